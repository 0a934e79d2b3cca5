package io.tutti.jinja;

import java.util.List;
import java.util.Optional;

/** An expression of a template. */
sealed interface Expression {
    record Constant(Object value) implements Expression {}

    record Name(String name) implements Expression {}

    /** {@code namespace.attribute}, as the target of an assignment. */
    record NamespaceAttribute(String namespace, String attribute) implements Expression {}

    record ListOf(List<Expression> items) implements Expression {}

    record TupleOf(List<Expression> items) implements Expression {}

    record DictOf(List<Entry> entries) implements Expression {}

    record Entry(Expression key, Expression value) {}

    /** {@code object.name}: an attribute, else an item. */
    record Attribute(Expression object, String name) implements Expression {}

    /** {@code object[index]}: an item, else an attribute. */
    record Item(Expression object, Expression index) implements Expression {}

    /** {@code object[start:stop:step]}. */
    record Slice(Expression object, Optional<Expression> start, Optional<Expression> stop, Optional<Expression> step)
            implements Expression {}

    record Call(Expression function, CallArguments arguments) implements Expression {}

    /** {@code input | name(arguments)}; a filter block has no input of its own. */
    record Filter(Optional<Expression> input, String name, CallArguments arguments) implements Expression {}

    /** {@code input is name(arguments)}. */
    record Test(Expression input, String name, CallArguments arguments) implements Expression {}

    record CallArguments(
            List<Expression> positional,
            List<Keyword> keywords,
            Optional<Expression> moreArguments,
            Optional<Expression> moreKeywords) {
        static final CallArguments NONE = new CallArguments(List.of(), List.of(), Optional.empty(), Optional.empty());

        static CallArguments of(Expression only) {
            return new CallArguments(List.of(only), List.of(), Optional.empty(), Optional.empty());
        }
    }

    record Keyword(String name, Expression value) {}

    /** {@code +} or {@code -} before a number. */
    record Signed(String sign, Expression operand) implements Expression {}

    record Binary(String operator, Expression left, Expression right) implements Expression {}

    /** {@code a ~ b ~ c}. */
    record Concat(List<Expression> parts) implements Expression {}

    /** {@code a < b <= c}, and {@code in}. */
    record Compare(Expression first, List<Comparison> comparisons) implements Expression {}

    record Comparison(String operator, Expression operand) {}

    record And(Expression left, Expression right) implements Expression {}

    record Or(Expression left, Expression right) implements Expression {}

    record Not(Expression operand) implements Expression {}

    /** {@code value if test else otherwise}. */
    record Conditional(Expression test, Expression value, Optional<Expression> otherwise) implements Expression {}
}
