package io.tutti.jinja;

/** The escapes of a Python string literal. */
final class Escapes {
    private Escapes() {}

    /** Decodes the text between the quotes of a literal; an escape that Python does not know stays as written. */
    static String decode(String literal, int line) {
        if (literal.indexOf('\\') < 0) {
            return literal;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < literal.length(); i++) {
            char c = literal.charAt(i);
            if (c != '\\') {
                text.append(c);
                continue;
            }
            char escape = literal.charAt(++i);
            switch (escape) {
                case '\n' -> {}
                case '\\', '\'', '"' -> text.append(escape);
                case 'a' -> text.append('\u0007');
                case 'b' -> text.append('\b');
                case 'f' -> text.append('\f');
                case 'n' -> text.append('\n');
                case 'r' -> text.append('\r');
                case 't' -> text.append('\t');
                case 'v' -> text.append('\u000B');
                case '0', '1', '2', '3', '4', '5', '6', '7' -> {
                    int end = i + 1;
                    while (end < literal.length() && end < i + 3 && Character.digit(literal.charAt(end), 8) >= 0) {
                        end++;
                    }
                    text.appendCodePoint(Integer.parseInt(literal, i, end, 8));
                    i = end - 1;
                }
                case 'x' -> i = hex(literal, i, 2, text, line);
                case 'u' -> i = hex(literal, i, 4, text, line);
                case 'U' -> i = hex(literal, i, 8, text, line);
                case 'N' -> i = named(literal, i, text, line);
                default -> text.append('\\').append(escape);
            }
        }
        return text.toString();
    }

    private static int hex(String literal, int at, int digits, StringBuilder text, int line) {
        int end = at + 1 + digits;
        try {
            long code = Long.parseLong(literal, at + 1, end, 16);
            if (Character.isValidCodePoint((int) code) && code == (int) code) {
                text.appendCodePoint((int) code);
                return end - 1;
            }
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            // Refused below, as is a code point that Unicode does not have.
        }
        throw new SyntaxException("truncated or illegal \\" + literal.charAt(at) + " escape in a string", line);
    }

    private static int named(String literal, int at, StringBuilder text, int line) {
        int end = literal.indexOf('}', at);
        if (end > at + 2 && literal.charAt(at + 1) == '{') {
            try {
                text.appendCodePoint(Character.codePointOf(literal.substring(at + 2, end)));
                return end;
            } catch (IllegalArgumentException e) {
                // Refused below.
            }
        }
        throw new SyntaxException("unknown Unicode character name in a string", line);
    }
}
