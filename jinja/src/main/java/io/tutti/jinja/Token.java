package io.tutti.jinja;

/**
 * A token of a template.
 *
 * @param text as written; for data, without the whitespace that the tags beside it strip
 * @param value the value of a literal; else null
 */
record Token(Kind kind, String text, Object value, int line) {
    enum Kind {
        DATA,
        BLOCK_BEGIN,
        BLOCK_END,
        VARIABLE_BEGIN,
        VARIABLE_END,
        NAME,
        STRING,
        INTEGER,
        FLOAT,
        OPERATOR,
        END
    }

    boolean isOperator(String operator) {
        return kind == Kind.OPERATOR && text.equals(operator);
    }

    boolean isName(String name) {
        return kind == Kind.NAME && text.equals(name);
    }

    /** Its name in a message. */
    String described() {
        return switch (kind) {
            case DATA -> "template data";
            case BLOCK_BEGIN, BLOCK_END, VARIABLE_BEGIN, VARIABLE_END, NAME, OPERATOR -> "'" + text + "'";
            case STRING, INTEGER, FLOAT -> text;
            case END -> "the end of the template";
        };
    }
}
