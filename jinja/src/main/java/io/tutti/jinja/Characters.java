package io.tutti.jinja;

/** Python's classes of characters. */
final class Characters {
    private Characters() {}

    /** {@code str.isspace}, the whitespace that strip and split look for too. */
    static boolean isSpace(int c) {
        return c <= ' ' ? c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F) : isWideSpace(c);
    }

    private static boolean isWideSpace(int c) {
        return switch (c) {
            case 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000 -> true;
            default -> c >= 0x2000 && c <= 0x200A;
        };
    }

    static boolean isWord(int c) {
        return c == '_' || Character.isLetterOrDigit(c);
    }

    /** Whether {@code str.splitlines} splits at it. */
    static boolean isLineBreak(int c) {
        return switch (c) {
            case '\n', '\r', 0x0B, '\f', 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029 -> true;
            default -> false;
        };
    }

    /** {@code str.isprintable} of one character. */
    static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }
}
