package io.tutti.jinja;

import java.time.Clock;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The functions that every chat template knows. */
final class Globals {
    private Globals() {}

    static Map<String, Object> of(Budget budget, PythonText texts, Clock clock) {
        Map<String, Object> globals = new HashMap<>();
        globals.put("range", (Callable) Globals::range);
        globals.put("dict", (Callable) arguments -> dict(arguments, budget));
        globals.put("namespace", (Callable) arguments -> namespace(arguments, budget));
        globals.put("cycler", (Callable) Globals::cycler);
        globals.put("joiner", (Callable) Globals::joiner);
        globals.put("raise_exception", (Callable) arguments -> {
            throw new RaisedException(texts.str(arguments.bindRequiring(1, "raise_exception", "message")[0]));
        });
        globals.put("strftime_now", (Callable) arguments -> {
            String format = Types.text(arguments.bindRequiring(1, "strftime_now", "format")[0]);
            budget.text(format.length() * 32L); // No directive writes more.
            return Strftime.format(LocalDateTime.now(clock), format);
        });
        return globals;
    }

    private static Range range(Arguments arguments) {
        Object[] bound = arguments.bindRequiring(1, "range", "start", "stop", "step");
        long first = Types.integer(bound[0]);
        return bound[1] == Arguments.MISSING
                ? new Range(0, first, 1)
                : new Range(first, Types.integer(bound[1]), Types.integer(Arguments.or(bound[2], 1L)));
    }

    private static Map<Object, Object> dict(Arguments arguments, Budget budget) {
        Map<Object, Object> dict = new LinkedHashMap<>();
        if (arguments.positional().size() > 1) {
            throw new JinjaException("dict expected at most 1 argument, got "
                    + arguments.positional().size());
        }
        for (Object given : arguments.positional()) {
            if (given instanceof Map<?, ?> map) {
                dict.putAll(map);
            } else {
                for (Object pair : Types.listOf(given, budget)) {
                    List<Object> entry = Types.listOf(pair, budget);
                    if (entry.size() != 2) {
                        throw new JinjaException("dict needs pairs of a key and a value");
                    }
                    dict.put(Comparisons.key(entry.get(0)), entry.get(1));
                }
            }
        }
        dict.putAll(arguments.named());
        budget.container(4L * dict.size());
        return dict;
    }

    private static Namespace namespace(Arguments arguments, Budget budget) {
        Namespace namespace = new Namespace();
        dict(arguments, budget).forEach((name, value) -> namespace.set(Types.text(name), value));
        return namespace;
    }

    /** A namespace that holds the methods and attributes of Jinja's cycler. */
    private static Namespace cycler(Arguments arguments) {
        List<Object> items = arguments.positional();
        if (items.isEmpty()) {
            throw new JinjaException("at least one item has to be provided");
        }
        int[] position = {0};
        Namespace cycler = new Namespace();
        cycler.set("items", new Tuple(items));
        cycler.set("current", items.getFirst());
        cycler.set("reset", (Callable) _ -> {
            position[0] = 0;
            cycler.set("current", items.getFirst());
            return null;
        });
        cycler.set("next", (Callable) _ -> {
            Object current = items.get(position[0]);
            position[0] = (position[0] + 1) % items.size();
            cycler.set("current", items.get(position[0]));
            return current;
        });
        return cycler;
    }

    private static Callable joiner(Arguments arguments) {
        Object separator = Arguments.or(arguments.bind("joiner", "sep")[0], ", ");
        boolean[] used = {false};
        return _ -> {
            Object text = used[0] ? separator : "";
            used[0] = true;
            return text;
        };
    }
}
