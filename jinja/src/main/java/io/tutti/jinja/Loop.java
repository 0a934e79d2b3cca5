package io.tutti.jinja;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BiFunction;

/** The variable {@code loop}, which also iterates over the loop's elements. */
final class Loop implements Callable {
    private static final Object NOTHING = new Object();

    private final Budget budget;
    private final Comparisons comparisons;
    private final BiFunction<Object, Long, Object> recursion;
    private final long depth;
    private Iterator<Object> elements;
    private OptionalLong length;
    private long index = -1;
    private Object before = NOTHING;
    private Object current = NOTHING;
    private Object after = NOTHING;
    private Object lastChanged = NOTHING;

    /**
     * @param iterable the value to loop over
     * @param elements its elements that pass the loop's condition
     * @param recursion renders the loop's body for an iterable at a depth; null if the loop is not recursive
     * @param depth 0 for the outermost
     */
    Loop(
            Budget budget,
            Comparisons comparisons,
            Object iterable,
            Iterator<Object> elements,
            BiFunction<Object, Long, Object> recursion,
            long depth) {
        this.budget = budget;
        this.comparisons = comparisons;
        this.elements = elements;
        this.length = Types.length(iterable);
        this.recursion = recursion;
        this.depth = depth;
    }

    boolean advance() {
        peek();
        if (after == NOTHING) {
            return false;
        }
        before = current;
        current = after;
        after = NOTHING;
        index++;
        return true;
    }

    Object current() {
        return current;
    }

    private void peek() {
        if (after == NOTHING && elements.hasNext()) {
            after = elements.next();
        }
    }

    /** The number of elements. For a generator, this computes all of them. */
    long length() {
        if (length.isEmpty()) {
            List<Object> rest = new ArrayList<>();
            while (elements.hasNext()) {
                budget.step();
                rest.add(elements.next());
            }
            elements = rest.iterator();
            length = OptionalLong.of(index + 1 + (after == NOTHING ? 0 : 1) + rest.size());
        }
        return length.getAsLong();
    }

    /** An attribute, or {@link Arguments#MISSING}. */
    Object attribute(String name) {
        return switch (name) {
            case "index" -> index + 1;
            case "index0" -> index;
            case "revindex" -> length() - index;
            case "revindex0" -> length() - index - 1;
            case "first" -> index == 0;
            case "last" -> {
                peek();
                yield after == NOTHING;
            }
            case "length" -> length();
            case "depth" -> depth + 1;
            case "depth0" -> depth;
            case "previtem" -> index == 0 ? new Undefined("there is no previous item") : before;
            case "nextitem" -> {
                peek();
                yield after == NOTHING ? new Undefined("there is no next item") : after;
            }
            case "cycle" -> (Callable) this::cycle;
            case "changed" -> (Callable) this::changed;
            default -> Arguments.MISSING;
        };
    }

    private Object cycle(Arguments arguments) {
        if (arguments.positional().isEmpty()) {
            throw new JinjaException("no items for cycling given");
        }
        return arguments.positional().get((int) (index % arguments.positional().size()));
    }

    private Object changed(Arguments arguments) {
        Tuple now = new Tuple(arguments.positional());
        boolean changed = lastChanged == NOTHING || !comparisons.equal(lastChanged, now);
        lastChanged = now;
        return changed;
    }

    /** {@code loop(elements)} in a recursive loop. */
    @Override
    public Object call(Arguments arguments) {
        if (recursion == null) {
            throw new JinjaException("The loop must have the 'recursive' marker to be called recursively.");
        }
        return recursion.apply(arguments.bindRequiring(1, "loop", "iterable")[0], depth + 1);
    }

    @Override
    public String toString() {
        return "<LoopContext " + (index + 1) + "/" + length() + ">";
    }
}
