package io.tutti.jinja;

import java.util.List;
import java.util.Map;

/**
 * The arguments of a call.
 *
 * @param positional may hold null, which is None
 * @param named in the call's order
 */
record Arguments(List<Object> positional, Map<String, Object> named) {
    /** Stands for an absent argument or element, which null (None) is not. */
    static final Missing MISSING = Missing.MISSING;

    enum Missing {
        MISSING
    }

    static final Arguments NONE = new Arguments(List.of(), Map.of());

    static Arguments of(Object... positional) {
        return new Arguments(java.util.Arrays.asList(positional), Map.of());
    }

    /** The arguments in the order of {@code parameters}, with {@link #MISSING} for those not given. */
    Object[] bind(String function, String... parameters) {
        if (positional.size() > parameters.length) {
            throw new JinjaException(function + "() takes at most " + parameters.length + " arguments ("
                    + positional.size() + " given)");
        }
        Object[] bound = new Object[parameters.length];
        java.util.Arrays.fill(bound, MISSING);
        for (int i = 0; i < positional.size(); i++) {
            bound[i] = positional.get(i);
        }
        named.forEach((name, value) -> {
            int index = List.of(parameters).indexOf(name);
            if (index < 0) {
                throw new JinjaException(function + "() got an unexpected keyword argument " + PythonText.quoted(name));
            }
            if (bound[index] != MISSING) {
                throw new JinjaException(function + "() got multiple values for argument " + PythonText.quoted(name));
            }
            bound[index] = value;
        });
        return bound;
    }

    /** As {@link #bind}, where the first {@code required} must be given. */
    Object[] bindRequiring(int required, String function, String... parameters) {
        Object[] bound = bind(function, parameters);
        for (int i = 0; i < required; i++) {
            if (bound[i] == MISSING) {
                throw new JinjaException(function + "() is missing its argument " + PythonText.quoted(parameters[i]));
            }
        }
        return bound;
    }

    static Object or(Object argument, Object otherwise) {
        return argument == MISSING ? otherwise : argument;
    }
}
