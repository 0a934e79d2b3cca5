package io.tutti.jinja;

import java.util.LinkedHashMap;
import java.util.Map;

/** The result of {@code namespace(…)}, the only object whose attributes a template can set. */
final class Namespace {
    private final Map<Object, Object> attributes = new LinkedHashMap<>();

    Map<Object, Object> attributes() {
        return attributes;
    }

    void set(String name, Object value) {
        if (name.startsWith("_")) {
            throw new JinjaException(
                    "a namespace takes no attribute that begins with an underscore: " + PythonText.quoted(name));
        }
        attributes.put(name, value);
    }
}
