package io.tutti.jinja;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** Python's arithmetic operators, on numbers and on sequences. */
final class Arithmetic {
    /** Python's limit on the decimal digits of an int that it reads or writes. */
    static final int MAX_DIGITS = 4300;

    private final Budget budget;
    private final PythonText texts;
    private final StringFormat format;

    Arithmetic(Budget budget, PythonText texts, StringFormat format) {
        this.budget = budget;
        this.texts = texts;
        this.format = format;
    }

    /** An int as a Long if it fits, else a BigInteger. */
    static Object integer(BigInteger value) {
        return value.bitLength() < Long.SIZE ? (Object) value.longValue() : value;
    }

    static BigInteger big(Object integer) {
        return switch (integer) {
            case BigInteger big -> big;
            case Boolean bool -> bool ? BigInteger.ONE : BigInteger.ZERO;
            case Long number -> BigInteger.valueOf(number);
            default -> throw new IllegalArgumentException("no int: " + integer);
        };
    }

    static double real(Object number) {
        return switch (number) {
            case Double real -> real;
            case Long integer -> integer;
            default -> big(number).doubleValue();
        };
    }

    Object signed(String sign, Object operand) {
        if (operand instanceof Undefined undefined) {
            throw undefined.raised();
        }
        if (!Types.isNumber(operand)) {
            throw new JinjaException(
                    "bad operand type for unary " + sign + ": " + PythonText.quoted(Types.name(operand)));
        }
        if (operand instanceof Double real) {
            return sign.equals("-") ? (Object) (-real) : real;
        }
        return integer(sign.equals("-") ? big(operand).negate() : big(operand));
    }

    Object apply(String operator, Object left, Object right) {
        if (Types.isNumber(left) && Types.isNumber(right)) {
            return left instanceof Double || right instanceof Double
                    ? reals(operator, real(left), real(right))
                    : integers(operator, left, right);
        }
        if (operator.equals("%") && Types.isText(left)) {
            return format.percent(left, right);
        }
        if (left instanceof Undefined undefined) {
            throw undefined.raised();
        }
        if (right instanceof Undefined undefined) {
            throw undefined.raised();
        }
        return switch (operator) {
            case "+" -> add(left, right);
            case "*" -> multiply(left, right);
            default -> throw unsupported(operator, left, right);
        };
    }

    private Object integers(String operator, Object left, Object right) {
        if (left instanceof Long a && right instanceof Long b) {
            // Overflows continue below, in BigInteger.
            switch (operator) {
                case "+" -> {
                    long sum = a + b;
                    if (((a ^ sum) & (b ^ sum)) >= 0) {
                        return sum;
                    }
                }
                case "-" -> {
                    long difference = a - b;
                    if (((a ^ b) & (a ^ difference)) >= 0) {
                        return difference;
                    }
                }
                default -> {}
            }
        }
        BigInteger a = big(left);
        BigInteger b = big(right);
        return switch (operator) {
            case "+" -> integer(a.add(b));
            case "-" -> integer(a.subtract(b));
            case "*" -> {
                budget.number((long) a.bitLength() + b.bitLength());
                yield integer(a.multiply(b));
            }
            case "/" -> {
                requireNotZero(b.signum() == 0, "division by zero");
                yield real(left) / real(right);
            }
            case "//" -> {
                requireNotZero(b.signum() == 0, "integer division or modulo by zero");
                BigInteger[] quotient = a.divideAndRemainder(b);
                boolean down = quotient[1].signum() * b.signum() < 0;
                yield integer(down ? quotient[0].subtract(BigInteger.ONE) : quotient[0]);
            }
            case "%" -> {
                requireNotZero(b.signum() == 0, "integer division or modulo by zero");
                BigInteger remainder = a.remainder(b);
                yield integer(remainder.signum() * b.signum() < 0 ? remainder.add(b) : remainder);
            }
            case "**" -> {
                if (b.signum() < 0) {
                    yield reals("**", real(left), real(right));
                }
                int bits = a.abs().bitLength();
                if (bits <= 1) { // 0, 1 and -1 have powers of any size; those of one parity are alike.
                    yield integer(a.pow(b.signum() == 0 ? 0 : b.testBit(0) ? 1 : 2));
                }
                budget.number(b.bitLength() > 32 ? Long.MAX_VALUE : bits * b.longValue());
                yield integer(a.pow(b.intValueExact()));
            }
            default -> throw unsupported(operator, left, right);
        };
    }

    private static Object reals(String operator, double a, double b) {
        return switch (operator) {
            case "+" -> a + b;
            case "-" -> a - b;
            case "*" -> a * b;
            case "/" -> {
                requireNotZero(b == 0, "float division by zero");
                yield a / b;
            }
            case "//" -> {
                requireNotZero(b == 0, "float floor division by zero");
                yield Math.floor((a - modulo(a, b)) / b);
            }
            case "%" -> {
                requireNotZero(b == 0, "float modulo");
                yield modulo(a, b);
            }
            case "**" -> Math.pow(a, b);
            default -> throw unsupported(operator, a, b);
        };
    }

    private static double modulo(double a, double b) {
        double remainder = a % b;
        if (remainder == 0) {
            return Math.copySign(remainder, b);
        }
        return remainder < 0 != b < 0 ? remainder + b : remainder;
    }

    private static void requireNotZero(boolean isZero, String problem) {
        if (isZero) {
            throw new JinjaException(problem);
        }
    }

    private Object add(Object left, Object right) {
        if (Types.isText(left) && Types.isText(right)) {
            if (left instanceof Markup || right instanceof Markup) {
                return new Markup(budget.text(texts.markup(left) + texts.markup(right)));
            }
            String a = (String) left;
            String b = (String) right;
            budget.text((long) a.length() + b.length());
            return a + b;
        }
        if (isList(left) && isList(right)) {
            return joined((List<?>) left, (List<?>) right);
        }
        if (left instanceof Tuple a && right instanceof Tuple b) {
            return new Tuple(joined(a.items(), b.items()));
        }
        if (Types.isText(left) || isList(left) || left instanceof Tuple) {
            String type = Types.name(left);
            throw new JinjaException(
                    "can only concatenate " + type + " (not \"" + Types.name(right) + "\") to " + type);
        }
        throw unsupported("+", left, right);
    }

    private static boolean isList(Object value) {
        return value instanceof List<?> && !(value instanceof Range);
    }

    private List<Object> joined(List<?> a, List<?> b) {
        budget.steps((long) a.size() + b.size());
        List<Object> joined = new ArrayList<>(a);
        joined.addAll(b);
        return joined;
    }

    private Object multiply(Object left, Object right) {
        if (Types.isInteger(left)) {
            return multiply(right, left);
        }
        if (!Types.isInteger(right)) {
            throw unsupported("*", left, right);
        }
        long times = Math.max(0, Types.integer(right));
        return switch (left) {
            case String text -> repeated(text, times);
            case Markup markup -> new Markup(repeated(markup.text(), times));
            case Tuple tuple -> new Tuple(repeated(tuple.items(), times));
            case Range _ -> throw unsupported("*", left, right);
            case List<?> list -> repeated(list, times);
            case null, default -> throw unsupported("*", left, right);
        };
    }

    private String repeated(String text, long times) {
        budget.text(saturated(text.length(), times));
        return text.isEmpty() ? "" : text.repeat((int) times);
    }

    private List<Object> repeated(List<?> list, long times) {
        budget.steps(saturated(list.size(), times));
        List<Object> repeated = new ArrayList<>();
        for (long i = 0; i < times && !list.isEmpty(); i++) {
            repeated.addAll(list);
        }
        return repeated;
    }

    /** The product, or a number that is beyond every limit but does not overflow in later sums. */
    private static long saturated(long length, long times) {
        return length == 0 || times <= Integer.MAX_VALUE ? length * times : Integer.MAX_VALUE * 4L;
    }

    private static JinjaException unsupported(String operator, Object left, Object right) {
        return new JinjaException("unsupported operand type(s) for " + operator + ": "
                + PythonText.quoted(Types.name(left)) + " and " + PythonText.quoted(Types.name(right)));
    }
}
