package io.tutti.jinja;

import io.tutti.jinja.Expression.And;
import io.tutti.jinja.Expression.Attribute;
import io.tutti.jinja.Expression.Binary;
import io.tutti.jinja.Expression.Call;
import io.tutti.jinja.Expression.CallArguments;
import io.tutti.jinja.Expression.Compare;
import io.tutti.jinja.Expression.Comparison;
import io.tutti.jinja.Expression.Concat;
import io.tutti.jinja.Expression.Conditional;
import io.tutti.jinja.Expression.Constant;
import io.tutti.jinja.Expression.DictOf;
import io.tutti.jinja.Expression.Entry;
import io.tutti.jinja.Expression.Filter;
import io.tutti.jinja.Expression.Item;
import io.tutti.jinja.Expression.Keyword;
import io.tutti.jinja.Expression.ListOf;
import io.tutti.jinja.Expression.Name;
import io.tutti.jinja.Expression.NamespaceAttribute;
import io.tutti.jinja.Expression.Not;
import io.tutti.jinja.Expression.Or;
import io.tutti.jinja.Expression.Signed;
import io.tutti.jinja.Expression.Slice;
import io.tutti.jinja.Expression.Test;
import io.tutti.jinja.Expression.TupleOf;
import io.tutti.jinja.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Parses expressions, with one method per level of precedence, the weakest first. */
final class ExpressionParser {
    /** Python's limit on nested parentheses. */
    private static final int MAX_DEPTH = 200;

    private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", "<=", ">", ">=");
    private static final Set<String> SPECIAL_NAMES = Set.of("caller", "varargs", "kwargs");

    private final TokenStream stream;
    private final UnknownNames unknown;
    private Set<String> specialNames = new TreeSet<>();
    private int depth;

    ExpressionParser(TokenStream stream, UnknownNames unknown) {
        this.stream = stream;
        this.unknown = unknown;
    }

    /** Runs the parser {@code body}, and adds the special names of a macro that it mentions to {@code uses}. */
    <T> T noting(Set<String> uses, Supplier<T> body) {
        Set<String> outer = specialNames;
        specialNames = uses;
        T parsed = body.get();
        specialNames = outer;
        specialNames.addAll(uses);
        return parsed;
    }

    Expression expression() {
        if (++depth > MAX_DEPTH) {
            throw stream.fail("expressions nest more than " + MAX_DEPTH + " levels deep");
        }
        int known = unknown.count();
        Expression value = or();
        while (stream.skipName("if")) {
            Expression test = or();
            Optional<Expression> otherwise = stream.skipName("else") ? Optional.of(expression()) : Optional.empty();
            value = new Conditional(test, value, otherwise);
            unknown.forgive(known);
        }
        depth--;
        return value;
    }

    /** Parses an expression, or a tuple: several with commas between. */
    Expression tuple() {
        return tuple(this::expression, "", false);
    }

    /** As {@link #tuple()}, in the tags for and if, where a following {@code if} or {@code recursive} is not part of it. */
    Expression tupleWithoutConditional() {
        return tuple(this::or, "recursive", false);
    }

    /** Parses the target of an assignment: a name, an attribute of a namespace, or a tuple of them. */
    Expression target(boolean withNamespaces) {
        Expression target = tuple(() -> primary(withNamespaces), "in", false);
        requireAssignable(target);
        return target;
    }

    private void requireAssignable(Expression target) {
        switch (target) {
            case Name _, NamespaceAttribute _ -> {}
            case TupleOf tuple -> tuple.items().forEach(this::requireAssignable);
            default -> throw stream.fail("cannot assign to an expression");
        }
    }

    private Expression tuple(Supplier<Expression> element, String end, boolean mayBeEmpty) {
        List<Expression> items = new ArrayList<>();
        boolean isTuple = false;
        while (!atTupleEnd() && (items.isEmpty() || !stream.atName(end))) {
            items.add(element.get());
            if (!stream.skipOperator(",")) {
                break;
            }
            isTuple = true;
        }
        if (isTuple || (items.isEmpty() && mayBeEmpty)) {
            return new TupleOf(items);
        }
        if (items.isEmpty()) {
            throw stream.expected("an expression");
        }
        return items.getFirst();
    }

    private boolean atTupleEnd() {
        return stream.at(Kind.VARIABLE_END) || stream.at(Kind.BLOCK_END) || stream.atOperator(")");
    }

    private Expression or() {
        Expression left = and();
        while (stream.skipName("or")) {
            left = new Or(left, and());
        }
        return left;
    }

    private Expression and() {
        Expression left = not();
        while (stream.skipName("and")) {
            left = new And(left, not());
        }
        return left;
    }

    private Expression not() {
        int times = 0;
        while (stream.skipName("not")) {
            times++;
        }
        Expression value = compare();
        for (; times > 0; times--) {
            value = new Not(value);
        }
        return value;
    }

    private Expression compare() {
        Expression first = sum();
        List<Comparison> comparisons = new ArrayList<>();
        while (true) {
            Token token = stream.current();
            if (token.kind() == Kind.OPERATOR && COMPARISONS.contains(token.text())) {
                stream.next();
                comparisons.add(new Comparison(token.text(), sum()));
            } else if (stream.skipName("in")) {
                comparisons.add(new Comparison("in", sum()));
            } else if (token.isName("not") && stream.following().isName("in")) {
                stream.next();
                stream.next();
                comparisons.add(new Comparison("not in", sum()));
            } else {
                return comparisons.isEmpty() ? first : new Compare(first, comparisons);
            }
        }
    }

    private Expression sum() {
        Expression left = concat();
        while (stream.atOperator("+") || stream.atOperator("-")) {
            left = new Binary(stream.next().text(), left, concat());
        }
        return left;
    }

    private Expression concat() {
        Expression first = product();
        if (!stream.atOperator("~")) {
            return first;
        }
        List<Expression> parts = new ArrayList<>(List.of(first));
        while (stream.skipOperator("~")) {
            parts.add(product());
        }
        return new Concat(parts);
    }

    private Expression product() {
        Expression left = power();
        while (stream.atOperator("*") || stream.atOperator("/") || stream.atOperator("//") || stream.atOperator("%")) {
            left = new Binary(stream.next().text(), left, power());
        }
        return left;
    }

    private Expression power() {
        Expression left = filtered(unary());
        while (stream.skipOperator("**")) {
            left = new Binary("**", left, filtered(unary()));
        }
        return left;
    }

    private Expression unary() {
        if (stream.atOperator("-") || stream.atOperator("+")) {
            if (++depth > MAX_DEPTH) {
                throw stream.fail("signs nest more than " + MAX_DEPTH + " levels deep");
            }
            String sign = stream.next().text();
            Expression signed = new Signed(sign, unary());
            depth--;
            return postfix(signed);
        }
        return postfix(primary(false));
    }

    private Expression primary(boolean withNamespaces) {
        Token token = stream.next();
        return switch (token.kind()) {
            case NAME -> name(token.text(), withNamespaces);
            case STRING -> {
                StringBuilder text = new StringBuilder((String) token.value());
                while (stream.at(Kind.STRING)) {
                    text.append((String) stream.next().value());
                }
                yield new Constant(text.toString());
            }
            case INTEGER, FLOAT -> new Constant(token.value());
            case OPERATOR ->
                switch (token.text()) {
                    case "(" -> {
                        Expression inner = tuple(this::expression, "", true);
                        stream.expectOperator(")");
                        yield inner;
                    }
                    case "[" -> new ListOf(listed("]", this::expression));
                    case "{" -> new DictOf(listed("}", this::entry));
                    default -> throw unexpected(token);
                };
            default -> throw unexpected(token);
        };
    }

    private static SyntaxException unexpected(Token token) {
        return new SyntaxException("unexpected " + token.described(), token.line());
    }

    private Expression name(String name, boolean withNamespaces) {
        return switch (name) {
            case "true", "True" -> new Constant(true);
            case "false", "False" -> new Constant(false);
            case "none", "None" -> new Constant(null);
            default -> {
                if (withNamespaces && stream.skipOperator(".")) {
                    yield new NamespaceAttribute(name, stream.expect(Kind.NAME).text());
                }
                if (SPECIAL_NAMES.contains(name)) {
                    specialNames.add(name);
                }
                yield new Name(name);
            }
        };
    }

    private Entry entry() {
        Expression key = expression();
        stream.expectOperator(":");
        return new Entry(key, expression());
    }

    /** Parses elements up to {@code close}, with commas between and optionally one at the end. */
    private <T> List<T> listed(String close, Supplier<T> element) {
        List<T> items = new ArrayList<>();
        while (!stream.skipOperator(close)) {
            items.add(element.get());
            if (!stream.atOperator(close)) {
                stream.expectOperator(",");
            }
        }
        return items;
    }

    private Expression postfix(Expression of) {
        Expression value = of;
        while (true) {
            if (stream.skipOperator(".")) {
                value = attribute(value);
            } else if (stream.skipOperator("[")) {
                value = subscript(value);
            } else if (stream.atOperator("(")) {
                value = new Call(value, arguments());
            } else {
                return value;
            }
        }
    }

    private Expression attribute(Expression object) {
        Token name = stream.next();
        return switch (name.kind()) {
            case NAME -> new Attribute(object, name.text());
            case INTEGER -> new Item(object, new Constant(name.value()));
            default -> throw new SyntaxException("expected a name or a number, got " + name.described(), name.line());
        };
    }

    private Expression subscript(Expression object) {
        Optional<Expression> start = stream.atOperator(":") ? Optional.empty() : Optional.of(expression());
        if (stream.skipOperator(":")) {
            Optional<Expression> stop = slicePart();
            Optional<Expression> step = stream.skipOperator(":") ? slicePart() : Optional.empty();
            stream.expectOperator("]");
            return new Slice(object, start, stop, step);
        }
        if (stream.skipOperator("]")) {
            return new Item(object, start.orElseThrow());
        }
        stream.expectOperator(",");
        List<Expression> items = new ArrayList<>(List.of(start.orElseThrow()));
        items.addAll(listed("]", this::expression));
        return new Item(object, new TupleOf(items));
    }

    private Optional<Expression> slicePart() {
        return stream.atOperator(":") || stream.atOperator("]") ? Optional.empty() : Optional.of(expression());
    }

    private Expression filtered(Expression of) {
        Expression value = of;
        while (true) {
            if (stream.atOperator("|")) {
                value = filters(Optional.of(value)).orElseThrow();
            } else if (stream.skipName("is")) {
                value = test(value);
            } else if (stream.atOperator("(")) {
                value = new Call(value, arguments());
            } else {
                return value;
            }
        }
    }

    /** Parses the filters that follow {@code input}, each after a bar. */
    Optional<Expression> filters(Optional<Expression> input) {
        Optional<Expression> value = input;
        while (stream.skipOperator("|")) {
            value = Optional.of(filter(value));
        }
        return value;
    }

    /** Parses a filter block's filters; the first has no bar before it. */
    Expression filterBlock() {
        return filters(Optional.of(filter(Optional.empty()))).orElseThrow();
    }

    private Expression filter(Optional<Expression> input) {
        int line = stream.current().line();
        String name = dottedName();
        unknown.filter(name, line);
        return new Filter(input, name, stream.atOperator("(") ? arguments() : CallArguments.NONE);
    }

    private Expression test(Expression input) {
        boolean negated = stream.skipName("not");
        int line = stream.current().line();
        String name = dottedName();
        unknown.test(name, line);
        CallArguments arguments = CallArguments.NONE;
        if (stream.atOperator("(")) {
            arguments = arguments();
        } else if (beginsArgumentOfTest()) {
            arguments = CallArguments.of(postfix(primary(false)));
        }
        Expression test = new Test(input, name, arguments);
        return negated ? new Not(test) : test;
    }

    private boolean beginsArgumentOfTest() {
        Token token = stream.current();
        if (token.isName("is")) {
            throw stream.fail("tests cannot be chained with 'is'");
        }
        return switch (token.kind()) {
            case NAME -> !token.isName("else") && !token.isName("or") && !token.isName("and");
            case STRING, INTEGER, FLOAT -> true;
            case OPERATOR -> token.text().equals("[") || token.text().equals("{");
            default -> false;
        };
    }

    private String dottedName() {
        StringBuilder name = new StringBuilder(stream.expect(Kind.NAME).text());
        while (stream.skipOperator(".")) {
            name.append('.').append(stream.expect(Kind.NAME).text());
        }
        return name.toString();
    }

    CallArguments arguments() {
        List<Expression> positional = new ArrayList<>();
        List<Keyword> keywords = new ArrayList<>();
        Optional<Expression> moreArguments = Optional.empty();
        Optional<Expression> moreKeywords = Optional.empty();
        stream.expectOperator("(");
        while (!stream.skipOperator(")")) {
            boolean positionalsOver = moreArguments.isPresent() || moreKeywords.isPresent();
            if (!positionalsOver && stream.skipOperator("*")) {
                moreArguments = Optional.of(expression());
            } else if (moreKeywords.isEmpty() && stream.skipOperator("**")) {
                moreKeywords = Optional.of(expression());
            } else if (moreKeywords.isEmpty()
                    && stream.at(Kind.NAME)
                    && stream.following().isOperator("=")) {
                String name = stream.next().text();
                stream.next();
                keywords.add(new Keyword(name, expression()));
            } else if (positionalsOver || !keywords.isEmpty()) {
                throw stream.fail("a positional argument follows others");
            } else {
                positional.add(expression());
            }
            if (!stream.atOperator(")")) {
                stream.expectOperator(",");
            }
        }
        return new CallArguments(positional, keywords, moreArguments, moreKeywords);
    }
}
