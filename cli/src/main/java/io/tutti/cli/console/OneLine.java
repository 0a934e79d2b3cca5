package io.tutti.cli.console;

/** Keeps a message on its one line, whatever names and values it carries. */
public final class OneLine {

    private static final int LONGEST_VALUE = 60;

    private OneLine() {}

    /** {@code text} with a space in place of each control character. */
    public static String of(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().forEach(c -> line.appendCodePoint(breaksLine(c) ? ' ' : c));
        return line.toString();
    }

    /** A value as a message shows it: in quotes, and not too long. */
    public static String quote(String value) {
        int end = Math.min(value.length(), LONGEST_VALUE);
        if (end < value.length() && Character.isHighSurrogate(value.charAt(end - 1))) {
            end--;
        }
        return '"' + of(value.substring(0, end)) + (end < value.length() ? "…\"" : "\"");
    }

    private static boolean breaksLine(int c) {
        return Character.isISOControl(c) || c == 0x2028 || c == 0x2029;
    }
}
