package io.tutti.jinja;

import java.util.Iterator;
import java.util.Map;

/** The result of a dict's keys(), values() or items(). It has a length, and can be iterated any number of times. */
record DictView(Kind kind, Map<?, ?> dict) implements Iterable<Object> {
    enum Kind {
        KEYS,
        VALUES,
        ITEMS
    }

    String typeName() {
        return "dict_" + kind.name().toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    public Iterator<Object> iterator() {
        return switch (kind) {
            case KEYS -> Iterators.mapped(dict.keySet().iterator(), key -> key);
            case VALUES -> Iterators.mapped(dict.values().iterator(), value -> value);
            case ITEMS ->
                Iterators.mapped(dict.entrySet().iterator(), entry -> Tuple.of(entry.getKey(), entry.getValue()));
        };
    }
}
