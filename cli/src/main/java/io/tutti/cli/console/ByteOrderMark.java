package io.tutti.cli.console;

import java.util.Arrays;

/**
 * The mark that editors and pipes, such as PowerShell's, put before a text to say how it is encoded. It is no part of the text:
 * UTF-8's is left out, unless a text is wanted byte for byte, and UTF-16 is refused.
 */
public final class ByteOrderMark {

    private static final byte[] UTF_8 = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final byte[] UTF_16_LITTLE_ENDIAN = {(byte) 0xFF, (byte) 0xFE};
    private static final byte[] UTF_16_BIG_ENDIAN = {(byte) 0xFE, (byte) 0xFF};

    private ByteOrderMark() {}

    /**
     * Passes what does not begin with the mark of UTF-16.
     *
     * @param name where the text is from, for messages
     * @throws RefusedException if it does
     */
    public static void refuseUtf16(byte[] text, String name) {
        if (startsWith(text, UTF_16_LITTLE_ENDIAN) || startsWith(text, UTF_16_BIG_ENDIAN)) {
            throw new RefusedException(name + " begins with the byte-order mark of UTF-16; accepted: UTF-8 text"
                    + " (PowerShell pipes it after $OutputEncoding = [Text.UTF8Encoding]::new())");
        }
    }

    /**
     * The text without its mark; a text without one is returned as it is.
     *
     * @param name where the text is from, for messages
     * @throws RefusedException if it is UTF-16
     */
    public static byte[] without(byte[] text, String name) {
        refuseUtf16(text, name);
        return startsWith(text, UTF_8) ? Arrays.copyOfRange(text, UTF_8.length, text.length) : text;
    }

    private static boolean startsWith(byte[] text, byte[] mark) {
        return text.length >= mark.length && Arrays.equals(text, 0, mark.length, mark, 0, mark.length);
    }
}
