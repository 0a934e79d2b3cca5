package io.tutti.jinja;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Python's tuple.
 *
 * @param names the attributes that its items can be read by; empty for most tuples
 */
record Tuple(List<Object> items, List<String> names) {
    Tuple {
        items = Collections.unmodifiableList(new ArrayList<>(items));
    }

    Tuple(List<Object> items) {
        this(items, List.of());
    }

    static Tuple of(Object... items) {
        return new Tuple(Arrays.asList(items));
    }
}
