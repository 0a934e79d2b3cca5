package io.tutti.cli.chat;

import java.util.Optional;

/** Where messages and commands come from. */
public interface ChatInput extends AutoCloseable {

    /** The next message or command as it was typed, which may be several lines; empty once there are no more. */
    Optional<String> read();

    /** Whether what was read is a message as it stands, in which commands, backslashes and {@code """} mean nothing. */
    default boolean isVerbatim() {
        return false;
    }

    /** Whether, since the last {@link #read}, somebody asked for the answer alone to stop. */
    boolean stopsAnswer();

    @Override
    void close();
}
