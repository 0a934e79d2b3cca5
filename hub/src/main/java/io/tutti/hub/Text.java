package io.tutti.hub;

import io.tutti.modelio.ModelException;
import java.util.Locale;

/** Pieces of messages. */
final class Text {
    private Text() {}

    /** A name of others: in quotes, on one line and not too long. */
    static String quote(String text) {
        return ModelException.quote(text);
    }

    /** {@code 1,234 bytes}. */
    static String bytes(long bytes) {
        return String.format(Locale.ROOT, "%,d bytes", bytes);
    }
}
