package io.tutti.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Collects the unknown filters and tests that the parser meets. As in Jinja, one in an if tag or a conditional expression
 * is an error only if it runs, because the condition may test whether the filter exists; anywhere else the template is
 * refused, whether it runs or not. A loop, macro or block inside an if tag counts as anywhere else.
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

    /** The number of unknown names so far. */
    int count() {
        return found.size();
    }

    /** Keeps the first {@code count} names; the later ones are errors only if they run. */
    void forgive(int count) {
        found.subList(count, found.size()).clear();
    }

    /** Runs the parser {@code part}, and refuses its result if it holds an unknown name that was not forgiven. */
    <T> T refusedIn(Supplier<T> part) {
        int before = count();
        T parsed = part.get();
        if (count() > before) {
            throw found.get(before);
        }
        return parsed;
    }
}
