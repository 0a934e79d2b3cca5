package io.tutti.jinja;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * {@code object.name} and {@code object[key]} in Jinja's immutable sandbox: the first looks for an attribute and then an
 * item, the second for an item and then an attribute. Methods that would change a list or dict, and names with two
 * underscores at both ends, exist but are unsafe.
 */
final class Attributes {
    private static final Set<String> LIST_CHANGES =
            Set.of("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort");
    private static final Set<String> DICT_CHANGES = Set.of("clear", "pop", "popitem", "setdefault", "update");

    private final StringMethods strings;
    private final Comparisons comparisons;

    Attributes(StringMethods strings, Comparisons comparisons) {
        this.strings = strings;
        this.comparisons = comparisons;
    }

    /** {@code object.name}. */
    Object get(Object object, String name) {
        Object attribute = attribute(object, name);
        if (attribute != Arguments.MISSING) {
            return attribute;
        }
        Object item = Items.get(object, name);
        return item == Arguments.MISSING ? Undefined.in(object, name) : item;
    }

    /** {@code object[key]}. */
    Object item(Object object, Object key) {
        if (object instanceof Undefined undefined) {
            throw undefined.raised();
        }
        Object item = Items.get(object, key);
        if (item == Arguments.MISSING && key instanceof String name) {
            item = attribute(object, name);
        }
        return item == Arguments.MISSING ? Undefined.in(object, key) : item;
    }

    /** {@code object | attr(name)}, which does not look for an item. */
    Object attributeOnly(Object object, String name) {
        Object attribute = attribute(object, name);
        return attribute == Arguments.MISSING ? Undefined.in(object, name) : attribute;
    }

    /**
     * The element at a path such as that of {@code map(attribute='a.b.0')}.
     *
     * @param otherwise replaces any element on the path that does not exist; null leaves it undefined
     */
    Object path(Object object, Object path, Object otherwise) {
        if (!(path instanceof String names)) {
            return defined(item(object, path), otherwise);
        }
        Object value = object;
        for (String part : names.split("\\.", -1)) {
            boolean isIndex =
                    !part.isEmpty() && part.length() < 10 && part.chars().allMatch(c -> c >= '0' && c <= '9');
            value = defined(item(value, isIndex ? (Object) Long.valueOf(part) : part), otherwise);
        }
        return value;
    }

    private static Object defined(Object value, Object otherwise) {
        return value instanceof Undefined && otherwise != null ? otherwise : value;
    }

    /** An attribute, or {@link Arguments#MISSING}. */
    private Object attribute(Object object, String name) {
        if (object instanceof Undefined undefined) {
            throw undefined.raised();
        }
        if (name.startsWith("__") && name.endsWith("__") && !(object instanceof Namespace)) {
            return Undefined.unsafe(object, name);
        }
        return switch (object) {
            case String text -> method(strings.find(text, name));
            case Markup markup -> method(strings.find(markup.text(), name).map(Attributes::marked));
            case Range _ -> method(sequenceMethod((List<?>) object, name));
            case List<?> list ->
                LIST_CHANGES.contains(name) ? Undefined.unsafe(object, name) : method(sequenceMethod(list, name));
            case Tuple tuple -> {
                int index = tuple.names().indexOf(name);
                yield index >= 0 ? tuple.items().get(index) : method(sequenceMethod(tuple.items(), name));
            }
            case Map<?, ?> map ->
                DICT_CHANGES.contains(name) ? Undefined.unsafe(object, name) : method(dictMethod(map, name));
            case Namespace namespace -> namespace.attributes().getOrDefault(name, Arguments.MISSING);
            case Loop loop -> loop.attribute(name);
            case Macro macro -> macro.attribute(name);
            case Double real
            when name.equals("is_integer") -> (Callable) _ -> real == Math.rint(real) && !Double.isInfinite(real);
            case null, default -> Arguments.MISSING;
        };
    }

    private static Object method(Optional<Callable> method) {
        return method.isPresent() ? method.get() : Arguments.MISSING;
    }

    /** {@code method} with its result marked as HTML, as the methods of marked text have it. */
    private static Callable marked(Callable method) {
        return arguments -> {
            Object result = method.call(arguments);
            return result instanceof String text ? new Markup(text) : result;
        };
    }

    private Optional<Callable> sequenceMethod(List<?> list, String name) {
        return switch (name) {
            case "count" ->
                Optional.of(arguments -> {
                    Object wanted = arguments.bindRequiring(1, name, "value")[0];
                    return list.stream()
                            .filter(item -> comparisons.equal(item, wanted))
                            .count();
                });
            case "index" ->
                Optional.of(arguments -> {
                    Object wanted = arguments.bindRequiring(1, name, "value")[0];
                    for (int i = 0; i < list.size(); i++) {
                        if (comparisons.equal(list.get(i), wanted)) {
                            return (long) i;
                        }
                    }
                    throw new JinjaException(PythonText.shortRepr(wanted) + " is not in list");
                });
            case "copy" -> Optional.of(_ -> list);
            default -> Optional.empty();
        };
    }

    private static Optional<Callable> dictMethod(Map<?, ?> map, String name) {
        return switch (name) {
            case "get" ->
                Optional.of(arguments -> {
                    Object[] bound = arguments.bindRequiring(1, name, "key", "default");
                    Object key = Comparisons.key(bound[0]);
                    return map.containsKey(key) ? map.get(key) : Arguments.or(bound[1], null);
                });
            case "items" -> Optional.of(_ -> new DictView(DictView.Kind.ITEMS, map));
            case "keys" -> Optional.of(_ -> new DictView(DictView.Kind.KEYS, map));
            case "values" -> Optional.of(_ -> new DictView(DictView.Kind.VALUES, map));
            case "copy" -> Optional.of(_ -> map);
            default -> Optional.empty();
        };
    }
}
