package io.tutti.jinja;

import java.util.HashMap;
import java.util.Map;

/** Names and their values. A lookup continues in the outer scopes; an assignment stays in this one. */
final class Scope {
    private final Scope outer;
    private final Map<String, Object> values;

    private Scope(Scope outer, Map<String, Object> values) {
        this.outer = outer;
        this.values = values;
    }

    /** The outermost scope, with the names that every template knows. */
    static Scope of(Map<String, Object> values) {
        return new Scope(null, values);
    }

    Scope inner() {
        return new Scope(this, new HashMap<>());
    }

    void set(String name, Object value) {
        values.put(name, value);
    }

    Object get(String name) {
        for (Scope scope = this; scope != null; scope = scope.outer) {
            Object value = scope.values.getOrDefault(name, Arguments.MISSING);
            if (value != Arguments.MISSING) {
                return value;
            }
        }
        return Undefined.variable(name);
    }
}
