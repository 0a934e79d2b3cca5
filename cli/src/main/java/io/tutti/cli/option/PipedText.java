package io.tutti.cli.option;

import io.tutti.cli.console.ByteOrderMark;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.RefusedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * What is piped into standard input where no option speaks of it: lines end in a line feed, whatever system they come from, and the
 * end of the last one, which {@code echo} and editors put there, is no part of the text, nor is a byte-order mark.
 */
public record PipedText(String text) {

    /** What messages call it. */
    public static final String NAME = "standard input";

    /**
     * Reads all of it; empty if nothing, not even its end, comes within {@code patience}.
     *
     * @throws RefusedException if it cannot be read, is far too long, or not UTF-8
     */
    public static Optional<PipedText> read(Console console, Duration patience) {
        try {
            return console.readInput(Console.LONGEST_INPUT, patience).map(PipedText::of);
        } catch (IOException e) {
            throw new RefusedException(NAME + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** The same, however long it takes. */
    public static PipedText read(Console console) {
        try {
            return of(console.readInput(Console.LONGEST_INPUT));
        } catch (IOException e) {
            throw new RefusedException(NAME + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static PipedText of(byte[] bytes) {
        if (bytes.length > Console.LONGEST_INPUT) {
            throw new RefusedException(NAME + " is too long; accepted: at most " + Console.LONGEST_INPUT + " bytes");
        }
        String text = decode(ByteOrderMark.without(bytes, NAME), NAME).replace("\r\n", "\n");
        return new PipedText(text.endsWith("\n") ? text.substring(0, text.length() - 1) : text);
    }

    /**
     * The text that {@code bytes} are.
     *
     * @param name where they are from, for messages
     * @throws RefusedException if they are not UTF-8
     */
    static String decode(byte[] bytes, String name) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT)
                .decode(in, out, true);
        if (result.isError()) {
            throw new RefusedException(name
                    + " has the byte 0x%02x at place %d, which is not UTF-8; accepted: UTF-8 text"
                            .formatted(bytes[in.position()], in.position()));
        }
        return out.flip().toString();
    }
}
