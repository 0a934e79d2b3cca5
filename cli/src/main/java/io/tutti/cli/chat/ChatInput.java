package io.tutti.cli.chat;

import java.util.Optional;

/** Where messages and commands come from. */
public interface ChatInput extends AutoCloseable {

    /** The next message or command as it was typed, which may be several lines; empty once there are no more. */
    Optional<String> read();

    /** Whether, since the last {@link #read}, somebody asked for the answer alone to stop. */
    boolean stopsAnswer();

    @Override
    void close();
}
