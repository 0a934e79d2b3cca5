package io.tutti.jinja;

import io.tutti.jinja.Token.Kind;
import java.util.List;

/** The tokens of a template and the position of the parser. */
final class TokenStream {
    private final List<Token> tokens;
    private int position;

    TokenStream(List<Token> tokens) {
        this.tokens = tokens;
    }

    Token current() {
        return tokens.get(position);
    }

    Token following() {
        return tokens.get(Math.min(position + 1, tokens.size() - 1));
    }

    Token next() {
        Token token = current();
        if (token.kind() != Kind.END) {
            position++;
        }
        return token;
    }

    boolean at(Kind kind) {
        return current().kind() == kind;
    }

    boolean atOperator(String operator) {
        return current().isOperator(operator);
    }

    boolean atName(String name) {
        return current().isName(name);
    }

    boolean skipOperator(String operator) {
        boolean there = atOperator(operator);
        if (there) {
            next();
        }
        return there;
    }

    boolean skipName(String name) {
        boolean there = atName(name);
        if (there) {
            next();
        }
        return there;
    }

    Token expect(Kind kind) {
        if (!at(kind)) {
            throw expected(
                    switch (kind) {
                        case NAME -> "a name";
                        case BLOCK_END -> "'%}'";
                        case VARIABLE_END -> "'}}'";
                        default -> kind.toString();
                    });
        }
        return next();
    }

    void expectOperator(String operator) {
        if (!skipOperator(operator)) {
            throw expected("'" + operator + "'");
        }
    }

    void expectName(String name) {
        if (!skipName(name)) {
            throw expected("'" + name + "'");
        }
    }

    SyntaxException expected(String what) {
        return fail("expected " + what + ", got " + current().described());
    }

    SyntaxException fail(String problem) {
        return new SyntaxException(problem, current().line());
    }
}
