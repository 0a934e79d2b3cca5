package io.tutti.jinja;

import java.util.Iterator;
import java.util.Map;

/** What a dict's keys(), values() and items() give: it can be walked again and again, and has a length. */
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
