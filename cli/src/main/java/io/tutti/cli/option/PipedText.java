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
 * Text that is piped into standard input although no option asks for that. Lines end in a line feed, whatever system they come
 * from. The end of the last line, which {@code echo} and editors add, is dropped, and so is a byte-order mark.
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

    /**
     * Reads all of it, and waits for it as long as it takes.
     *
     * @throws RefusedException if it cannot be read, is far too long, or not UTF-8
     */
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
