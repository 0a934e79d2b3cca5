package io.tutti.cli.console;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Optional;

/** An output that remembers its first failure, and drops what comes after it. */
final class StandardOutput extends OutputStream {

    private final OutputStream out;
    private IOException failure;

    StandardOutput(OutputStream out) {
        this.out = out;
    }

    Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }

    /** Whether nobody reads any more, as after {@code | head -1}. */
    boolean closedByReader() {
        String message = failure == null ? null : failure.getMessage();
        return message != null && message.toLowerCase(Locale.ROOT).contains("pipe");
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        if (failure != null) {
            return;
        }
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            failure = e;
        }
    }

    @Override
    public void flush() {
        if (failure != null) {
            return;
        }
        try {
            out.flush();
        } catch (IOException e) {
            failure = e;
        }
    }
}
