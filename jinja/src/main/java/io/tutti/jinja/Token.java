package io.tutti.jinja;

/**
 * A piece of a template.
 *
 * @param text the name or operator; for others as written
 * @param value what a literal stands for; else null
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

    /** What it is called in a message. */
    String described() {
        return switch (kind) {
            case DATA -> "template data";
            case BLOCK_BEGIN, BLOCK_END, VARIABLE_BEGIN, VARIABLE_END, NAME, OPERATOR -> "'" + text + "'";
            case STRING, INTEGER, FLOAT -> text;
            case END -> "the end of the template";
        };
    }
}
