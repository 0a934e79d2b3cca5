package io.tutti.jinja;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Jinja's tests, the words after {@code is}. */
final class Tests {
    /** Tests without an argument. */
    private static final Set<String> ALONE = Set.of(
            "odd",
            "even",
            "defined",
            "undefined",
            "filter",
            "test",
            "none",
            "boolean",
            "false",
            "true",
            "integer",
            "float",
            "lower",
            "upper",
            "string",
            "mapping",
            "number",
            "sequence",
            "iterable",
            "callable",
            "escaped");

    /** Tests with one argument. */
    private static final Set<String> BESIDE = Set.of(
            "divisibleby",
            "sameas",
            "in",
            "==",
            "eq",
            "equalto",
            "!=",
            "ne",
            ">",
            "gt",
            "greaterthan",
            ">=",
            "ge",
            "<",
            "lt",
            "lessthan",
            "<=",
            "le");

    private final Comparisons comparisons;
    private final PythonText texts;
    private final Arithmetic arithmetic;

    Tests(Comparisons comparisons, PythonText texts, Arithmetic arithmetic) {
        this.comparisons = comparisons;
        this.texts = texts;
        this.arithmetic = arithmetic;
    }

    static boolean exists(String name) {
        return ALONE.contains(name) || BESIDE.contains(name);
    }

    static String unknown(String name) {
        return "No test named " + PythonText.quoted(name) + ".";
    }

    boolean apply(String name, Object value, Arguments arguments) {
        if (BESIDE.contains(name)) {
            return holds(name, value, arguments.bindRequiring(1, name, "other")[0]);
        }
        arguments.bind(name);
        return holds(name, value);
    }

    private boolean holds(String name, Object value) {
        return switch (name) {
            case "odd" -> comparisons.equal(arithmetic.apply("%", value, 2L), 1L);
            case "even" -> comparisons.equal(arithmetic.apply("%", value, 2L), 0L);
            case "defined" -> !(value instanceof Undefined);
            case "undefined" -> value instanceof Undefined;
            case "filter" -> Filters.exists(Types.text(value));
            case "test" -> exists(Types.text(value));
            case "none" -> value == null;
            case "boolean" -> value instanceof Boolean;
            case "false" -> Boolean.FALSE.equals(value);
            case "true" -> Boolean.TRUE.equals(value);
            case "integer" -> Types.isInteger(value) && !(value instanceof Boolean);
            case "float" -> value instanceof Double;
            case "lower" -> StringMethods.isLower(texts.str(value));
            case "upper" -> StringMethods.isUpper(texts.str(value));
            case "string" -> Types.isText(value);
            case "mapping" -> value instanceof Map<?, ?>;
            case "number" -> Types.isNumber(value);
            case "sequence" ->
                Types.isText(value)
                        || value instanceof List<?>
                        || value instanceof Tuple
                        || value instanceof Map<?, ?>
                        || value instanceof Undefined;
            case "iterable" -> Types.isIterable(value);
            case "callable" -> value instanceof Callable || value instanceof Undefined;
            case "escaped" -> value instanceof Markup;
            default -> throw new JinjaException(unknown(name));
        };
    }

    private boolean holds(String name, Object value, Object other) {
        return switch (name) {
            case "divisibleby" -> comparisons.equal(arithmetic.apply("%", value, other), 0L);
            case "sameas" -> isSame(value, other);
            case "in" -> comparisons.contains(other, value);
            case "==", "eq", "equalto" -> comparisons.equal(value, other);
            case "!=", "ne" -> !comparisons.equal(value, other);
            case ">", "gt", "greaterthan" -> comparisons.holds(">", value, other);
            case ">=", "ge" -> comparisons.holds(">=", value, other);
            case "<", "lt", "lessthan" -> comparisons.holds("<", value, other);
            default -> comparisons.holds("<=", value, other);
        };
    }

    /** Python's {@code is}. Equal numbers or texts of one type count as the same object, as small ones are in Python. */
    @SuppressWarnings("ReferenceEquality") // Identity is the question here.
    private boolean isSame(Object value, Object other) {
        if (value == other) {
            return true;
        }
        boolean isPlain = value instanceof Boolean || value instanceof Long || value instanceof String;
        return isPlain && other != null && value.getClass() == other.getClass() && comparisons.equal(value, other);
    }
}
