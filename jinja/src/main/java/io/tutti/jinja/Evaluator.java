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
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Evaluates expressions. */
final class Evaluator {
    private final Budget budget;
    private final PythonText texts;
    private final Comparisons comparisons;
    private final Arithmetic arithmetic;
    private final Items items;
    private final Attributes attributes;
    private final Filters filters;
    private final Tests tests;

    Evaluator(Budget budget) {
        this.budget = budget;
        texts = new PythonText(budget);
        comparisons = new Comparisons(budget);
        items = new Items(budget);
        StringFormat format = new StringFormat(budget, texts);
        arithmetic = new Arithmetic(budget, texts, format);
        StringMethods strings = new StringMethods(budget, format);
        attributes = new Attributes(strings, comparisons);
        tests = new Tests(comparisons, texts, arithmetic);
        SequenceFilters sequences = new SequenceFilters(budget, texts, attributes, comparisons, arithmetic, tests);
        filters = new Filters(budget, texts, strings, format, arithmetic, sequences);
    }

    PythonText texts() {
        return texts;
    }

    Comparisons comparisons() {
        return comparisons;
    }

    Object evaluate(Expression expression, Scope scope) {
        budget.step();
        return switch (expression) {
            case Constant constant -> constant.value();
            case Name name -> scope.get(name.name());
            case NamespaceAttribute attribute ->
                attributes.get(scope.get(attribute.namespace()), attribute.attribute());
            case ListOf list -> all(list.items(), scope);
            case TupleOf tuple -> new Tuple(all(tuple.items(), scope));
            case DictOf dict -> dict(dict, scope);
            case Attribute attribute -> attributes.get(evaluate(attribute.object(), scope), attribute.name());
            case Item item -> {
                Object object = evaluate(item.object(), scope);
                if (Types.isText(object)) {
                    budget.scan(Types.text(object).length());
                }
                yield attributes.item(object, evaluate(item.index(), scope));
            }
            case Slice slice ->
                items.slice(
                        evaluate(slice.object(), scope),
                        orNone(slice.start(), scope),
                        orNone(slice.stop(), scope),
                        orNone(slice.step(), scope));
            case Call call -> call(evaluate(call.function(), scope), arguments(call.arguments(), scope));
            case Filter filter -> filter(filter, evaluate(filter.input().orElseThrow(), scope), scope);
            case Test test -> {
                Object input = evaluate(test.input(), scope);
                if (Types.isText(input)) {
                    budget.scan(Types.text(input).length());
                }
                yield tests.apply(test.name(), input, arguments(test.arguments(), scope));
            }
            case Signed signed -> arithmetic.signed(signed.sign(), evaluate(signed.operand(), scope));
            case Binary binary ->
                arithmetic.apply(binary.operator(), evaluate(binary.left(), scope), evaluate(binary.right(), scope));
            case Concat concat -> concat(concat, scope);
            case Compare compare -> compare(compare, scope);
            case And and -> {
                Object left = evaluate(and.left(), scope);
                yield Types.truth(left) ? evaluate(and.right(), scope) : left;
            }
            case Or or -> {
                Object left = evaluate(or.left(), scope);
                yield Types.truth(left) ? left : evaluate(or.right(), scope);
            }
            case Not not -> !Types.truth(evaluate(not.operand(), scope));
            case Conditional conditional -> conditional(conditional, scope);
        };
    }

    private List<Object> all(List<Expression> expressions, Scope scope) {
        budget.container(expressions.size());
        List<Object> values = new ArrayList<>(expressions.size());
        for (Expression expression : expressions) {
            values.add(evaluate(expression, scope));
        }
        return values;
    }

    private Map<Object, Object> dict(DictOf dict, Scope scope) {
        budget.container(4L * dict.entries().size());
        Map<Object, Object> map = new LinkedHashMap<>();
        for (Entry entry : dict.entries()) {
            map.put(Comparisons.key(evaluate(entry.key(), scope)), evaluate(entry.value(), scope));
        }
        return map;
    }

    private Object orNone(Optional<Expression> expression, Scope scope) {
        return expression.isPresent() ? evaluate(expression.get(), scope) : null;
    }

    Object call(Object function, Arguments arguments) {
        return switch (function) {
            case Callable callable -> callable.call(arguments);
            case Undefined undefined -> throw undefined.raised();
            case null, default ->
                throw new JinjaException(PythonText.quoted(Types.name(function)) + " object is not callable");
        };
    }

    /** {@code filter} on {@code input}, which is not the filter's own where it has none: in filter and set blocks. */
    Object filter(Filter filter, Object input, Scope scope) {
        return filters.apply(filter.name(), input, arguments(filter.arguments(), scope));
    }

    /** Filters of a block, the innermost of which takes {@code input}. */
    Object blockFilters(Expression filters, Object input, Scope scope) {
        Filter filter = (Filter) filters;
        Object value = filter.input().isPresent() ? blockFilters(filter.input().get(), input, scope) : input;
        return filter(filter, value, scope);
    }

    Arguments arguments(CallArguments call, Scope scope) {
        if (call.equals(CallArguments.NONE)) {
            return Arguments.NONE;
        }
        List<Object> positional = all(call.positional(), scope);
        Map<String, Object> named = new LinkedHashMap<>();
        for (Keyword keyword : call.keywords()) {
            named.put(keyword.name(), evaluate(keyword.value(), scope));
        }
        if (call.moreArguments().isPresent()) {
            positional.addAll(Types.listOf(evaluate(call.moreArguments().get(), scope), budget));
        }
        if (call.moreKeywords().isPresent()) {
            if (!(evaluate(call.moreKeywords().get(), scope) instanceof Map<?, ?> more)) {
                throw new JinjaException("argument after ** must be a mapping");
            }
            more.forEach((name, value) -> named.put(Types.text(name), value));
        }
        return new Arguments(positional, named);
    }

    private String concat(Concat concat, Scope scope) {
        StringBuilder out = new StringBuilder();
        for (Expression part : concat.parts()) {
            String text = texts.str(evaluate(part, scope));
            budget.fits((long) out.length() + text.length());
            out.append(text);
        }
        return budget.text(out.toString());
    }

    private Object compare(Compare compare, Scope scope) {
        Object left = evaluate(compare.first(), scope);
        for (Comparison comparison : compare.comparisons()) {
            Object right = evaluate(comparison.operand(), scope);
            if (!comparisons.holds(comparison.operator(), left, right)) {
                return false;
            }
            left = right;
        }
        return true;
    }

    private Object conditional(Conditional conditional, Scope scope) {
        if (Types.truth(evaluate(conditional.test(), scope))) {
            return evaluate(conditional.value(), scope);
        }
        return conditional.otherwise().isPresent()
                ? evaluate(conditional.otherwise().get(), scope)
                : new Undefined("the inline if-expression evaluated to false and no else section was defined.");
    }

    /** Gives {@code value} to the name, namespace's attribute or tuple of them that {@code target} is. */
    void assign(Expression target, Object value, Scope scope) {
        switch (target) {
            case Name name -> scope.set(name.name(), value);
            case NamespaceAttribute attribute -> {
                if (!(scope.get(attribute.namespace()) instanceof Namespace namespace)) {
                    throw new JinjaException("cannot assign attribute on non-namespace object");
                }
                namespace.set(attribute.attribute(), value);
            }
            case TupleOf tuple -> unpack(tuple, value, scope);
            default -> throw new IllegalArgumentException("no target: " + target);
        }
    }

    private void unpack(TupleOf targets, Object value, Scope scope) {
        if (!Types.isIterable(value)) {
            throw new JinjaException("cannot unpack non-iterable " + Types.name(value) + " object");
        }
        int wanted = targets.items().size();
        Iterator<Object> elements = Types.iterate(value);
        List<Object> values = new ArrayList<>();
        while (elements.hasNext() && values.size() <= wanted) {
            values.add(elements.next());
        }
        if (values.size() > wanted) {
            throw new JinjaException("too many values to unpack (expected " + wanted + ")");
        }
        if (values.size() < wanted) {
            throw new JinjaException(
                    "not enough values to unpack (expected " + wanted + ", got " + values.size() + ")");
        }
        for (int i = 0; i < wanted; i++) {
            assign(targets.items().get(i), values.get(i), scope);
        }
    }
}
