package io.tutti.jinja;

import io.tutti.jinja.Token.Kind;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Splits a template into tokens, and strips whitespace: a minus beside a tag strips all of it on that side; without a sign,
 * the blanks before a block or comment that begins a line are stripped (lstrip_blocks), and the line break after it
 * (trim_blocks); a plus keeps them. One line break at the template's end is dropped, and every line break becomes {@code
 * \n}.
 */
final class Lexer {
    private static final Pattern NEWLINE = Pattern.compile("\r\n|\r");
    private static final Pattern RAW =
            Pattern.compile("\\{%([-+]?)\\s*raw\\s*(-%\\}\\s*|%\\})", Pattern.UNICODE_CHARACTER_CLASS);
    private static final Pattern END_RAW =
            Pattern.compile("\\{%([-+]?)\\s*endraw\\s*(\\+%\\}|-%\\}\\s*|%\\}\\n?)", Pattern.UNICODE_CHARACTER_CLASS);
    // Groups repeat possessively; otherwise the matcher recurses for each digit, and long numbers overflow the stack.
    private static final Pattern FLOAT = Pattern.compile(
            "(?<!\\.)[0-9]+(?:_[0-9]+)*+(?:(?:\\.[0-9]+(?:_[0-9]+)*+)?[eE][-+]?[0-9]+(?:_[0-9]+)*+|\\.[0-9]+(?:_[0-9]+)*+)");
    private static final Pattern INTEGER = Pattern.compile(
            "0[bB](?:_?[01])++|0[oO](?:_?[0-7])++|0[xX](?:_?[0-9a-fA-F])++|[1-9](?:_?[0-9])*+|0(?:_?0)*+");
    private static final Pattern OPERATOR = Pattern.compile("//|\\*\\*|==|!=|>=|<=|[-+/*%~\\[\\](){}><=.:|,;]");

    private final String source;
    private final List<Token> tokens = new ArrayList<>();
    private final Deque<Character> open = new ArrayDeque<>();
    private int position;
    private int line = 1;

    private Lexer(String source) {
        this.source = source;
    }

    /** The tokens of {@code template}; the last is {@link Kind#END}. */
    static List<Token> tokens(String template) {
        String source = NEWLINE.matcher(template).replaceAll("\n");
        if (source.endsWith("\n")) {
            source = source.substring(0, source.length() - 1);
        }
        Lexer lexer = new Lexer(source);
        lexer.run();
        return lexer.tokens;
    }

    private void run() {
        while (position < source.length()) {
            int tag = nextTag();
            if (tag < 0) {
                add(Kind.DATA, source.substring(position), null);
                advance(source.length());
            } else {
                tag(tag);
            }
        }
        add(Kind.END, "", null);
    }

    private int nextTag() {
        for (int at = source.indexOf('{', position); at >= 0; at = source.indexOf('{', at + 1)) {
            if (at + 1 < source.length() && "%{#".indexOf(source.charAt(at + 1)) >= 0) {
                return at;
            }
        }
        return -1;
    }

    /** Adds the text up to the tag at {@code at}, and the tag. */
    private void tag(int at) {
        char kind = source.charAt(at + 1);
        Matcher raw = RAW.matcher(source).region(at, source.length()).useTransparentBounds(true);
        boolean isRaw = kind == '%' && raw.lookingAt();
        char sign = at + 2 < source.length() ? source.charAt(at + 2) : ' ';
        data(at, isRaw ? firstOr(raw.group(1)) : sign, kind != '{');
        if (isRaw) {
            advance(raw.end());
            raw();
            return;
        }
        int begin = line;
        advance(sign == '-' || sign == '+' ? at + 3 : at + 2);
        switch (kind) {
            case '#' -> comment(begin);
            case '%' -> {
                add(Kind.BLOCK_BEGIN, "{%", null);
                expression(Kind.BLOCK_END);
            }
            default -> {
                add(Kind.VARIABLE_BEGIN, "{{", null);
                expression(Kind.VARIABLE_END);
            }
        }
    }

    private static char firstOr(String sign) {
        return sign.isEmpty() ? ' ' : sign.charAt(0);
    }

    /** Adds the text from here to {@code end}, without the whitespace that the tag there strips. */
    private void data(int end, char sign, boolean mayStripLine) {
        int keep = end;
        if (sign == '-') {
            while (keep > position && Characters.isSpace(source.charAt(keep - 1))) {
                keep--;
            }
        } else if (sign != '+' && mayStripLine) {
            int blank = end; // The first of the blanks before the tag.
            while (blank > position
                    && source.charAt(blank - 1) != '\n'
                    && Characters.isSpace(source.charAt(blank - 1))) {
                blank--;
            }
            if (blank == 0 || source.charAt(blank - 1) == '\n') {
                keep = blank;
            }
        }
        if (keep > position) {
            add(Kind.DATA, source.substring(position, keep), null);
        }
        advance(end);
    }

    private void comment(int begin) {
        int end = source.indexOf("#}", position);
        if (end < 0) {
            throw new SyntaxException("the comment is not closed", begin);
        }
        boolean minus = end > position && source.charAt(end - 1) == '-';
        boolean plus = end > position && source.charAt(end - 1) == '+';
        advance(end + 2);
        afterTag(minus, plus);
    }

    private void raw() {
        Matcher end = END_RAW.matcher(source).region(position, source.length());
        if (!end.find()) {
            throw new SyntaxException("the raw block is not closed", line);
        }
        data(end.start(), firstOr(end.group(1)), true);
        advance(end.end());
    }

    /** Skips the whitespace that the end of a block or comment strips. */
    private void afterTag(boolean minus, boolean plus) {
        if (minus) {
            skipSpace();
        } else if (!plus && position < source.length() && source.charAt(position) == '\n') {
            advance(position + 1);
        }
    }

    private void skipSpace() {
        int to = position;
        while (to < source.length() && Characters.isSpace(source.charAt(to))) {
            to++;
        }
        advance(to);
    }

    private void expression(Kind end) {
        String close = end == Kind.BLOCK_END ? "%}" : "}}";
        while (true) {
            skipSpace();
            if (position >= source.length()) {
                return; // The parser reports what is missing.
            }
            if (open.isEmpty()) {
                boolean minus = source.startsWith("-" + close, position);
                boolean plus = end == Kind.BLOCK_END && source.startsWith("+" + close, position);
                if (minus || plus || source.startsWith(close, position)) {
                    add(end, close, null);
                    advance(position + close.length() + (minus || plus ? 1 : 0));
                    if (end == Kind.BLOCK_END || minus) {
                        afterTag(minus, plus);
                    }
                    return;
                }
            }
            token();
        }
    }

    private void token() {
        char c = source.charAt(position);
        Matcher number = FLOAT.matcher(source).region(position, source.length()).useTransparentBounds(true);
        if (c >= '0' && c <= '9') {
            if (number.lookingAt()) {
                add(Kind.FLOAT, number.group(), Double.valueOf(number.group().replace("_", "")));
                advance(number.end());
            } else {
                integer();
            }
        } else if (Characters.isWord(source.codePointAt(position))) {
            int end = position;
            while (end < source.length() && Characters.isWord(source.codePointAt(end))) {
                end += Character.charCount(source.codePointAt(end));
            }
            add(Kind.NAME, source.substring(position, end), null);
            advance(end);
        } else if (c == '\'' || c == '"') {
            string(c);
        } else {
            operator(c);
        }
    }

    private void integer() {
        Matcher matcher = INTEGER.matcher(source).region(position, source.length());
        if (!matcher.lookingAt()) {
            throw unexpected();
        }
        String digits = matcher.group().replace("_", "");
        int radix = digits.length() < 2
                ? 10
                : switch (Character.toLowerCase(digits.charAt(1))) {
                    case 'b' -> 2;
                    case 'o' -> 8;
                    case 'x' -> 16;
                    default -> 10;
                };
        if (digits.length() > Arithmetic.MAX_DIGITS) {
            throw new SyntaxException("a number of more than " + Arithmetic.MAX_DIGITS + " digits", line);
        }
        BigInteger value = new BigInteger(radix == 10 ? digits : digits.substring(2), radix);
        add(Kind.INTEGER, matcher.group(), Arithmetic.integer(value));
        advance(matcher.end());
    }

    private void string(char quote) {
        int end = position + 1;
        while (end < source.length() && source.charAt(end) != quote) {
            end += source.charAt(end) == '\\' ? 2 : 1;
        }
        if (end >= source.length()) {
            throw unexpected();
        }
        String value = Escapes.decode(source.substring(position + 1, end), line);
        add(Kind.STRING, source.substring(position, end + 1), value);
        advance(end + 1);
    }

    private void operator(char c) {
        Matcher matcher = OPERATOR.matcher(source).region(position, source.length());
        if (!matcher.lookingAt()) {
            throw unexpected();
        }
        switch (c) {
            case '(' -> open.push(')');
            case '[' -> open.push(']');
            case '{' -> open.push('}');
            case ')', ']', '}' -> {
                if (open.isEmpty() || open.pop() != c) {
                    throw unexpected();
                }
            }
            default -> {}
        }
        add(Kind.OPERATOR, matcher.group(), null);
        advance(matcher.end());
    }

    private SyntaxException unexpected() {
        String seen = Character.toString(source.codePointAt(position));
        return new SyntaxException("unexpected " + PythonText.quoted(seen), line);
    }

    private void add(Kind kind, String text, Object value) {
        tokens.add(new Token(kind, text, value, line));
    }

    private void advance(int to) {
        for (int i = position; i < to; i++) {
            if (source.charAt(i) == '\n') {
                line++;
            }
        }
        position = to;
    }
}
