package io.tutti.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Filters and tests that Jinja does not know, found while a template is parsed. As in Jinja, one in an if tag or in a
 * conditional expression is an error only if it comes to run, since the condition may ask whether the filter exists;
 * anywhere else the template is refused, whether it runs or not. A loop, macro or block within an if tag is such an
 * elsewhere again.
 */
final class UnknownNames {
    private final List<SyntaxException> found = new ArrayList<>();

    void filter(String name, int line) {
        if (!Filters.isKnown(name)) {
            found.add(new SyntaxException(Filters.unknown(name), line));
        }
    }

    void test(String name, int line) {
        if (!Tests.exists(name)) {
            found.add(new SyntaxException(Tests.unknown(name), line));
        }
    }

    /** How many were found so far. */
    int count() {
        return found.size();
    }

    /** Those found since there were {@code count} are errors only if they come to run. */
    void forgive(int count) {
        found.subList(count, found.size()).clear();
    }

    /** What {@code part} parses, refused if there is an unknown name in it that was not forgiven. */
    <T> T refusedIn(Supplier<T> part) {
        int before = count();
        T parsed = part.get();
        if (count() > before) {
            throw found.get(before);
        }
        return parsed;
    }
}
