package io.tutti.jinja;

import io.tutti.jinja.Expression.Call;
import io.tutti.jinja.Expression.Concat;
import io.tutti.jinja.Expression.Constant;
import io.tutti.jinja.Statement.Assign;
import io.tutti.jinja.Statement.AssignBlock;
import io.tutti.jinja.Statement.Branch;
import io.tutti.jinja.Statement.Break;
import io.tutti.jinja.Statement.CallBlock;
import io.tutti.jinja.Statement.Continue;
import io.tutti.jinja.Statement.Data;
import io.tutti.jinja.Statement.FilterBlock;
import io.tutti.jinja.Statement.For;
import io.tutti.jinja.Statement.If;
import io.tutti.jinja.Statement.MacroBody;
import io.tutti.jinja.Statement.MacroDefinition;
import io.tutti.jinja.Statement.Parameter;
import io.tutti.jinja.Statement.Print;
import io.tutti.jinja.Statement.Scoped;
import io.tutti.jinja.Statement.With;
import io.tutti.jinja.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Parses tags, and the text and expressions between them. */
final class Parser {
    private static final int MAX_DEPTH = 100;

    private final TokenStream stream;
    private final UnknownNames unknown = new UnknownNames();
    private final ExpressionParser expressions;
    private int depth;
    private int loops;

    private Parser(List<Token> tokens) {
        stream = new TokenStream(tokens);
        expressions = new ExpressionParser(stream, unknown);
    }

    /** The statements of {@code template}. */
    static List<Statement> parse(String template) {
        Parser parser = new Parser(Lexer.tokens(template));
        return parser.unknown.refusedIn(parser::body);
    }

    /**
     * Parses statements up to a tag with one of these names, which becomes the next token; without names, up to the end of
     * the template.
     */
    private List<Statement> body(String... ends) {
        if (++depth > MAX_DEPTH) {
            throw stream.fail("blocks nest more than " + MAX_DEPTH + " levels deep");
        }
        List<Statement> statements = new ArrayList<>();
        while (true) {
            Token token = stream.current();
            switch (token.kind()) {
                case DATA -> statements.add(new Data(stream.next().text(), token.line()));
                case VARIABLE_BEGIN -> {
                    stream.next();
                    statements.add(new Print(expressions.tuple(), token.line()));
                    stream.expect(Kind.VARIABLE_END);
                }
                case BLOCK_BEGIN -> {
                    stream.next();
                    if (Set.of(ends).contains(stream.current().text())) {
                        depth--;
                        return statements;
                    }
                    statements.add(tag());
                    stream.expect(Kind.BLOCK_END);
                }
                default -> {
                    if (ends.length > 0) {
                        throw stream.fail("the template ends where " + String.join(" or ", ends) + " is missing");
                    }
                    depth--;
                    return statements;
                }
            }
        }
    }

    /** Parses the end of a tag, its body, and its end tag up to the name. */
    private List<Statement> bodyOf(String end) {
        return unknown.refusedIn(() -> partOf(end));
    }

    /** As {@link #bodyOf}, in an if tag, where unknown names may be forgiven. */
    private List<Statement> partOf(String end) {
        stream.expect(Kind.BLOCK_END);
        List<Statement> body = body(end);
        stream.next();
        return body;
    }

    private Statement tag() {
        Token tag = stream.expect(Kind.NAME);
        int line = tag.line();
        return switch (tag.text()) {
            case "if" -> conditional(line);
            case "for" -> loop(line);
            case "break" -> inLoop(new Break(line));
            case "continue" -> inLoop(new Continue(line));
            case "set" -> assignment(line);
            case "macro" -> {
                String name = stream.expect(Kind.NAME).text();
                yield new MacroDefinition(name, macroBody(parameters(), "endmacro"), line);
            }
            case "call" -> callBlock(line);
            case "filter" -> new FilterBlock(unknown.refusedIn(expressions::filterBlock), bodyOf("endfilter"), line);
            case "with" -> with(line);
            case "print" -> new Print(new Concat(printed()), line);
            case "generation" -> new Scoped(bodyOf("endgeneration"), line);
            case "block" -> block(line);
            case "autoescape" -> autoescape(line);
            case "include", "import", "from", "extends" ->
                throw new SyntaxException(
                        "a chat template is one file: the tag " + tag.text() + " is not supported", line);
            default -> throw new SyntaxException("unknown tag " + PythonText.quoted(tag.text()), line);
        };
    }

    private List<Expression> printed() {
        List<Expression> expressions = new ArrayList<>();
        while (!stream.at(Kind.BLOCK_END)) {
            if (!expressions.isEmpty()) {
                stream.expectOperator(",");
            }
            expressions.add(this.expressions.expression());
        }
        return expressions;
    }

    private Statement inLoop(Statement statement) {
        if (loops == 0) {
            throw stream.fail("break and continue belong in a loop");
        }
        return statement;
    }

    private If conditional(int line) {
        int known = unknown.count();
        List<Branch> branches = new ArrayList<>();
        List<Statement> otherwise = List.of();
        String tag = "if";
        while (!tag.equals("endif")) {
            if (tag.equals("else")) {
                otherwise = partOf("endif");
                break;
            }
            Expression test = expressions.tupleWithoutConditional();
            stream.expect(Kind.BLOCK_END);
            branches.add(new Branch(test, body("elif", "else", "endif")));
            tag = stream.next().text();
        }
        unknown.forgive(known);
        return new If(branches, otherwise, line);
    }

    private For loop(int line) {
        Expression target = expressions.target(false);
        stream.expectName("in");
        Expression iterable = expressions.tupleWithoutConditional();
        Optional<Expression> condition =
                stream.skipName("if") ? Optional.of(unknown.refusedIn(expressions::expression)) : Optional.empty();
        boolean recursive = stream.skipName("recursive");
        stream.expect(Kind.BLOCK_END);
        loops++;
        List<Statement> body = unknown.refusedIn(() -> body("endfor", "else"));
        loops--;
        List<Statement> otherwise = stream.next().isName("else") ? bodyOf("endfor") : List.of();
        return new For(target, iterable, condition, recursive, body, otherwise, line);
    }

    private Statement assignment(int line) {
        Expression target = expressions.target(true);
        if (stream.skipOperator("=")) {
            return new Assign(target, expressions.tuple(), line);
        }
        Optional<Expression> filter = unknown.refusedIn(() -> expressions.filters(Optional.empty()));
        return new AssignBlock(target, filter, bodyOf("endset"), line);
    }

    private Statement with(int line) {
        List<Expression> targets = new ArrayList<>();
        List<Expression> values = new ArrayList<>();
        while (!stream.at(Kind.BLOCK_END)) {
            if (!targets.isEmpty()) {
                stream.expectOperator(",");
            }
            targets.add(expressions.target(false));
            stream.expectOperator("=");
            values.add(expressions.expression());
        }
        return new With(targets, values, bodyOf("endwith"), line);
    }

    private Statement block(int line) {
        String name = stream.expect(Kind.NAME).text();
        stream.skipName("scoped");
        List<Statement> body = bodyOf("endblock");
        stream.skipName(name);
        return new Scoped(body, line);
    }

    private Statement autoescape(int line) {
        if (expressions.expression() instanceof Constant constant && Boolean.FALSE.equals(constant.value())) {
            return new Scoped(bodyOf("endautoescape"), line);
        }
        throw new SyntaxException("autoescape is not supported; accepted: autoescape false", line);
    }

    private Statement callBlock(int line) {
        List<Parameter> parameters = stream.atOperator("(") ? parameters() : List.of();
        if (!(expressions.expression() instanceof Call call)) {
            throw new SyntaxException("a call block needs the call of a macro", line);
        }
        return new CallBlock(call, macroBody(parameters, "endcall"), line);
    }

    private MacroBody macroBody(List<Parameter> parameters, String end) {
        Set<String> uses = new TreeSet<>();
        int outerLoops = loops;
        loops = 0;
        List<Statement> body = expressions.noting(uses, () -> bodyOf(end));
        loops = outerLoops;
        return new MacroBody(parameters, body, List.copyOf(uses));
    }

    private List<Parameter> parameters() {
        List<Parameter> parameters = new ArrayList<>();
        stream.expectOperator("(");
        while (!stream.skipOperator(")")) {
            String name = stream.expect(Kind.NAME).text();
            Optional<Expression> value = stream.skipOperator("=")
                    ? Optional.of(unknown.refusedIn(expressions::expression))
                    : Optional.empty();
            if (value.isEmpty()
                    && !parameters.isEmpty()
                    && parameters.getLast().defaultValue().isPresent()) {
                throw stream.fail("a parameter without a default follows one that has it");
            }
            parameters.add(new Parameter(name, value));
            if (!stream.atOperator(")")) {
                stream.expectOperator(",");
            }
        }
        return parameters;
    }
}
