package io.tutti.cli.chat;

/**
 * A message as it is typed, one line or several: a line that ends with a backslash goes on in the next, and so does all
 * that {@code """} begins, up to {@code """} at a line's end.
 */
final class Draft {

    private static final String BLOCK = "\"\"\"";

    private Draft() {}

    /** Whether another line belongs to {@code typed}. */
    static boolean isUnfinished(String typed) {
        if (isBlock(typed)) {
            String end = typed.stripTrailing();
            return end.length() < 2 * BLOCK.length() || !end.endsWith(BLOCK);
        }
        return typed.endsWith("\\");
    }

    /** Whether {@code typed} is a block between {@code """}, or the beginning of one. */
    static boolean isBlock(String typed) {
        return typed.startsWith(BLOCK);
    }

    /** Whether {@code typed} is a command, not a message. */
    static boolean isCommand(String typed) {
        return typed.startsWith("/");
    }

    /** The message that {@code typed} means. */
    static String text(String typed) {
        if (isBlock(typed)) {
            String text = typed.stripTrailing().substring(BLOCK.length());
            text = text.endsWith(BLOCK) ? text.substring(0, text.length() - BLOCK.length()) : text;
            text = text.startsWith("\n") ? text.substring(1) : text;
            return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
        }
        return typed.replace("\\\n", "\n");
    }
}
