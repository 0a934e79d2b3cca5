package io.tutti.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code object[index]} and {@code object[start:stop:step]}. */
final class Items {
    private final Budget budget;

    Items(Budget budget) {
        this.budget = budget;
    }

    /** The element, or {@link Arguments#MISSING}. */
    static Object get(Object object, Object index) {
        return switch (object) {
            case Map<?, ?> map -> {
                if (index instanceof List<?> || index instanceof Map<?, ?> || index instanceof DictView) {
                    yield Arguments.MISSING;
                }
                Object key = Comparisons.key(index);
                yield map.containsKey(key) ? map.get(key) : Arguments.MISSING;
            }
            case List<?> list -> element(list, index);
            case Tuple tuple -> element(tuple.items(), index);
            case String text -> character(text, index);
            case Markup markup -> character(markup.text(), index);
            case null, default -> Arguments.MISSING;
        };
    }

    private static Object element(List<?> list, Object index) {
        if (!Types.isInteger(index)) {
            return Arguments.MISSING;
        }
        long at = Types.integer(index);
        at = at < 0 ? at + list.size() : at;
        return at >= 0 && at < list.size() ? list.get((int) at) : Arguments.MISSING;
    }

    private static Object character(String text, Object index) {
        if (!Types.isInteger(index)) {
            return Arguments.MISSING;
        }
        int length = text.codePointCount(0, text.length());
        long at = Types.integer(index);
        at = at < 0 ? at + length : at;
        return at >= 0 && at < length
                ? Character.toString(text.codePointAt(text.offsetByCodePoints(0, (int) at)))
                : Arguments.MISSING;
    }

    Object slice(Object object, Object start, Object stop, Object step) {
        return switch (object) {
            case String text -> slice(text, start, stop, step);
            case Markup markup -> new Markup(slice(markup.text(), start, stop, step));
            case List<?> list -> slice(list, start, stop, step);
            case Tuple tuple -> new Tuple(slice(tuple.items(), start, stop, step));
            case Undefined undefined -> throw undefined.raised();
            case null, default ->
                throw new JinjaException(PythonText.quoted(Types.name(object)) + " object is not subscriptable");
        };
    }

    private List<Object> slice(List<?> list, Object start, Object stop, Object step) {
        SliceBounds bounds = SliceBounds.of(list.size(), start, stop, step);
        List<Object> slice = new ArrayList<>();
        for (long i = bounds.start(); bounds.step() > 0 ? i < bounds.stop() : i > bounds.stop(); i += bounds.step()) {
            budget.step();
            slice.add(list.get((int) i));
        }
        return slice;
    }

    String slice(String text, Object start, Object stop, Object step) {
        budget.scan(text.length());
        int length = text.codePointCount(0, text.length());
        SliceBounds bounds = SliceBounds.of(length, start, stop, step);
        if (bounds.step() == 1) {
            if (bounds.start() >= bounds.stop()) {
                return "";
            }
            int from = text.offsetByCodePoints(0, (int) bounds.start());
            return budget.text(
                    text.substring(from, text.offsetByCodePoints(from, (int) (bounds.stop() - bounds.start()))));
        }
        budget.text(text.length());
        int[] characters = text.codePoints().toArray();
        StringBuilder slice = new StringBuilder();
        for (long i = bounds.start(); bounds.step() > 0 ? i < bounds.stop() : i > bounds.stop(); i += bounds.step()) {
            slice.appendCodePoint(characters[(int) i]);
        }
        return slice.toString();
    }
}
