package io.tutti.jinja;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Operations on any of Python's values: the type's name, truth, length, elements. */
final class Types {
    private Types() {}

    /** The name of a value's type, as in Python's messages. */
    static String name(Object value) {
        return switch (value) {
            case null -> "NoneType";
            case Boolean _ -> "bool";
            case Long _, BigInteger _ -> "int";
            case Double _ -> "float";
            case String _ -> "str";
            case Markup _ -> "Markup";
            case Tuple _ -> "tuple";
            case Range _ -> "range";
            case List<?> _ -> "list";
            case Map<?, ?> _ -> "dict";
            case DictView view -> view.typeName();
            case PythonGenerator _ -> "generator";
            case Undefined _ -> "Undefined";
            case Namespace _ -> "Namespace";
            case Loop _ -> "LoopContext";
            case Macro _ -> "Macro";
            case Callable _ -> "function";
            default -> throw new IllegalArgumentException("no value of a template: " + value.getClass());
        };
    }

    static boolean truth(Object value) {
        return switch (value) {
            case null -> false;
            case Boolean bool -> bool;
            case Long number -> number != 0;
            case BigInteger number -> number.signum() != 0;
            case Double number -> number != 0;
            case Undefined _ -> false;
            default -> length(value).orElse(1) != 0;
        };
    }

    /** {@code len(value)}, if it has one. */
    static OptionalLong length(Object value) {
        return switch (value) {
            case String text -> OptionalLong.of(text.codePointCount(0, text.length()));
            case Markup markup -> length(markup.text());
            case Tuple tuple -> OptionalLong.of(tuple.items().size());
            case List<?> list -> OptionalLong.of(list.size());
            case Map<?, ?> map -> OptionalLong.of(map.size());
            case DictView view -> OptionalLong.of(view.dict().size());
            case Undefined _ -> OptionalLong.of(0);
            case Loop loop -> OptionalLong.of(loop.length());
            case null, default -> OptionalLong.empty();
        };
    }

    static boolean isIterable(Object value) {
        return switch (value) {
            case String _,
                    Markup _,
                    Tuple _,
                    List<?> _,
                    Map<?, ?> _,
                    DictView _,
                    PythonGenerator _,
                    Undefined _,
                    Loop _ -> true;
            case null, default -> false;
        };
    }

    /** The elements of a value: characters, items, or a dict's keys. */
    static Iterator<Object> iterate(Object value) {
        return switch (value) {
            case String text -> Iterators.mapped(text.codePoints().iterator(), Character::toString);
            case Markup markup -> iterate(markup.text());
            case Tuple tuple -> tuple.items().iterator();
            case List<?> list -> Iterators.mapped(list.iterator(), item -> item);
            case Map<?, ?> map -> Iterators.mapped(map.keySet().iterator(), key -> key);
            case DictView view -> view.iterator();
            case PythonGenerator generator -> generator.elements();
            case Undefined _ -> Collections.emptyIterator();
            case null, default -> throw new JinjaException(PythonText.quoted(name(value)) + " object is not iterable");
        };
    }

    static List<Object> listOf(Object value, Budget budget) {
        List<Object> list = new ArrayList<>();
        for (Iterator<Object> elements = iterate(value); elements.hasNext(); ) {
            budget.part();
            list.add(elements.next());
        }
        return list;
    }

    /** Whether it is a str, marked or not. */
    static boolean isText(Object value) {
        return value instanceof String || value instanceof Markup;
    }

    static boolean isNumber(Object value) {
        return isInteger(value) || value instanceof Double;
    }

    /** An int, or a bool, which is one. */
    static boolean isInteger(Object value) {
        return value instanceof Long || value instanceof BigInteger || value instanceof Boolean;
    }

    /** The value of an argument that must be an int. */
    static long integer(Object value) {
        return switch (value) {
            case Long number -> number;
            case Boolean bool -> bool ? 1 : 0;
            // Saturates: longer than any length.
            case BigInteger number -> number.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
            case Undefined undefined -> throw undefined.raised();
            case null, default ->
                throw new JinjaException(
                        PythonText.quoted(name(value)) + " object cannot be interpreted as an integer");
        };
    }

    /** The value of an argument that must be a str. */
    static String text(Object value) {
        return switch (value) {
            case String text -> text;
            case Markup markup -> markup.text();
            case null, default -> throw new JinjaException("expected str, got " + name(value));
        };
    }
}
