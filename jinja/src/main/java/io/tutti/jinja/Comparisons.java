package io.tutti.jinja;

import java.math.BigDecimal;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Python's {@code ==}, {@code <} and {@code in}. */
final class Comparisons {
    private static final int MAX_KEY_ELEMENTS = 100;

    private final Budget budget;

    Comparisons(Budget budget) {
        this.budget = budget;
    }

    boolean holds(String operator, Object left, Object right) {
        boolean ordered = operator.startsWith("<") || operator.startsWith(">");
        if (ordered && (isNotANumber(left) || isNotANumber(right)) && Types.isNumber(left) && Types.isNumber(right)) {
            return false;
        }
        return switch (operator) {
            case "==" -> equal(left, right);
            case "!=" -> !equal(left, right);
            case "in" -> contains(right, left);
            case "not in" -> !contains(right, left);
            case "<" -> compare(operator, left, right) < 0;
            case "<=" -> compare(operator, left, right) <= 0;
            case ">" -> compare(operator, left, right) > 0;
            case ">=" -> compare(operator, left, right) >= 0;
            default -> throw new IllegalArgumentException("no comparison: " + operator);
        };
    }

    boolean equal(Object left, Object right) {
        budget.step();
        if (Types.isNumber(left) && Types.isNumber(right)) {
            return !isNotANumber(left) && compareNumbers(left, right) == 0;
        }
        if (Types.isText(left) && Types.isText(right)) {
            String a = Types.text(left);
            budget.steps(a.length() / 64);
            return a.equals(Types.text(right));
        }
        return switch (left) {
            case Undefined _ -> right instanceof Undefined;
            case Tuple a -> right instanceof Tuple b && equal(a.items(), b.items());
            case Range a -> right instanceof Range b && a.equals(b);
            case List<?> a -> right instanceof List<?> b && !(b instanceof Range) && equal(a, b);
            case Map<?, ?> a -> right instanceof Map<?, ?> b && equal(a, b);
            case null -> right == null;
            default -> left.equals(right);
        };
    }

    private boolean equal(List<?> a, List<?> b) {
        if (a.size() != b.size()) {
            return false;
        }
        budget.enter();
        Iterator<?> others = b.iterator();
        boolean equal = a.stream().allMatch(item -> equal(item, others.next()));
        budget.leave();
        return equal;
    }

    private boolean equal(Map<?, ?> a, Map<?, ?> b) {
        if (a.size() != b.size()) {
            return false;
        }
        budget.enter();
        boolean equal = a.entrySet().stream()
                .allMatch(entry -> b.containsKey(entry.getKey()) && equal(entry.getValue(), b.get(entry.getKey())));
        budget.leave();
        return equal;
    }

    private static boolean isNotANumber(Object value) {
        return value instanceof Double real && Double.isNaN(real);
    }

    /**
     * Compares as {@link java.util.Comparator#compare} does. NaN is above every number, because sorting needs a total order.
     *
     * @param operator for the message if the values have no order
     */
    int compare(String operator, Object left, Object right) {
        budget.step();
        if (Types.isNumber(left) && Types.isNumber(right)) {
            return compareNumbers(left, right);
        }
        if (Types.isText(left) && Types.isText(right)) {
            return compareTexts(Types.text(left), Types.text(right));
        }
        if (left instanceof Undefined undefined) {
            throw undefined.raised();
        }
        if (right instanceof Undefined undefined) {
            throw undefined.raised();
        }
        if (left instanceof Tuple a && right instanceof Tuple b) {
            return compare(operator, a.items(), b.items());
        }
        if (left instanceof List<?> a && right instanceof List<?> b && !(a instanceof Range || b instanceof Range)) {
            return compare(operator, a, b);
        }
        throw new JinjaException(PythonText.quoted(operator) + " not supported between instances of "
                + PythonText.quoted(Types.name(left)) + " and " + PythonText.quoted(Types.name(right)));
    }

    private int compare(String operator, List<?> a, List<?> b) {
        budget.enter();
        int order = Integer.compare(a.size(), b.size());
        for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
            if (!equal(a.get(i), b.get(i))) {
                order = compare(operator, a.get(i), b.get(i));
                break;
            }
        }
        budget.leave();
        return order;
    }

    private static int compareNumbers(Object left, Object right) {
        if (left instanceof Long a && right instanceof Long b) {
            return Long.compare(a, b);
        }
        if (left instanceof Double || right instanceof Double) {
            double a = Arithmetic.real(left);
            double b = Arithmetic.real(right);
            if (!Double.isFinite(a) || !Double.isFinite(b)) {
                return Double.compare(a, b);
            }
            return exact(left).compareTo(exact(right));
        }
        return Arithmetic.big(left).compareTo(Arithmetic.big(right));
    }

    private static BigDecimal exact(Object number) {
        return number instanceof Double real ? new BigDecimal(real) : new BigDecimal(Arithmetic.big(number));
    }

    /** Compares by code points; {@code String.compareTo} would compare UTF-16 units. */
    private int compareTexts(String a, String b) {
        int length = Math.min(a.length(), b.length());
        budget.steps(length / 64);
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean bothHigh = Character.isSurrogate(x) == Character.isSurrogate(y);
                return bothHigh ? Character.compare(x, y) : Character.isSurrogate(x) ? 1 : -1;
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    /** {@code element in container}. */
    boolean contains(Object container, Object element) {
        return switch (container) {
            case String text -> containsText(text, element);
            case Markup markup -> containsText(markup.text(), element);
            case Map<?, ?> map -> map.containsKey(key(element));
            case Tuple _, List<?> _, DictView _, PythonGenerator _, Undefined _ -> {
                for (Iterator<Object> elements = Types.iterate(container); elements.hasNext(); ) {
                    if (equal(elements.next(), element)) {
                        yield true;
                    }
                }
                yield false;
            }
            case null, default ->
                throw new JinjaException(
                        "argument of type " + PythonText.quoted(Types.name(container)) + " is not iterable");
        };
    }

    private boolean containsText(String text, Object element) {
        if (!Types.isText(element)) {
            throw new JinjaException("'in <string>' requires string as left operand, not " + Types.name(element));
        }
        String needle = Types.text(element);
        budget.search(text.length(), needle.length());
        return text.contains(needle);
    }

    /** {@code value} as a key of a dict; in Python 1, 1.0 and True are the same key. */
    static Object key(Object value) {
        return switch (value) {
            case Boolean bool -> bool ? 1L : 0L;
            case Double real when real == Math.rint(real) && Math.abs(real) < 1L << 53 -> (long) (double) real;
            case Markup markup -> markup.text();
            case Tuple tuple -> {
                requireKey(tuple, 0);
                yield tuple;
            }
            case List<?> _, Map<?, ?> _, DictView _ ->
                throw new JinjaException("unhashable type: " + PythonText.quoted(Types.name(value)));
            case null, default -> value;
        };
    }

    /** Adds the elements of {@code tuple} to {@code counted}, and refuses large keys, because hashing them is slow. */
    private static int requireKey(Tuple tuple, int counted) {
        int count = counted;
        for (Object item : tuple.items()) {
            if (++count > MAX_KEY_ELEMENTS) {
                throw new LimitException("it has a key of more than " + MAX_KEY_ELEMENTS + " elements");
            }
            if (item instanceof Tuple inner) {
                count = requireKey(inner, count);
            } else {
                key(item);
            }
        }
        return count;
    }
}
