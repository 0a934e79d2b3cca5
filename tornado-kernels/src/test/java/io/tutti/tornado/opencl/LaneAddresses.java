package io.tutti.tornado.opencl;

import io.tutti.tornado.opencl.KernelSource.Assignment;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Where the lanes of a work-group read at the same time, the lanes being its neighbours in the first dimension. What is the
 * same for all lanes may be any number; what is not has to follow from the lane by integer arithmetic.
 */
public final class LaneAddresses {

    /** The fewest lanes of a group along the first dimension. */
    private static final int LANES = 32;

    private static final Pattern VARIABLE = Pattern.compile("\\b[a-z]+_\\d+\\b");
    private static final Pattern LANE = Pattern.compile("get_(local|global)_id\\(0\\)");
    private static final Pattern BINARY = Pattern.compile("(\\S+) (\\+|-|\\*|&|\\||<<|>>) (\\S+)");
    private static final Pattern CAST = Pattern.compile("\\((?:long|ulong|int)\\) (\\S+)");
    private static final Pattern CONSTANT = Pattern.compile("(-?\\d+)U?L?");

    private final Map<String, List<Assignment>> assignments;
    private final Set<String> varying = new HashSet<>();

    public LaneAddresses(KernelSource kernel) {
        assignments = kernel.assignments();
        int known;
        do {
            known = varying.size();
            assignments.forEach((variable, values) -> {
                if (values.stream().anyMatch(value -> varies(value, values.size() > 1))) {
                    varying.add(variable);
                }
            });
        } while (varying.size() > known);
    }

    /** @param chosen whether which value the variable takes depends on the conditions around them */
    private boolean varies(Assignment value, boolean chosen) {
        return varies(value.expression())
                || (chosen && value.conditions().stream().anyMatch(this::varies));
    }

    /** Local and private memory counts as varying. */
    private boolean varies(String expression) {
        return LANE.matcher(expression).find()
                || expression.contains("[")
                || VARIABLE.matcher(expression)
                        .results()
                        .map(MatchResult::group)
                        .anyMatch(varying::contains);
    }

    /** Whether all lanes see the same value of the variable. */
    public boolean isUniform(String variable) {
        return !varying.contains(variable);
    }

    /**
     * How far each lane's address is from lane 0's, in bytes.
     *
     * @param seed of the numbers that all lanes share
     * @throws UnsupportedOperationException if that can not be told
     */
    public long[] offsets(String pointer, int lanes, int seed) {
        long first = value(pointer, 0, seed);
        return IntStream.range(0, lanes)
                .mapToLong(lane -> value(pointer, lane, seed) - first)
                .toArray();
    }

    private long value(String operand, int lane, int seed) {
        Matcher constant = CONSTANT.matcher(operand);
        if (constant.matches()) {
            return Long.parseLong(constant.group(1));
        }
        List<Assignment> values = assignments.get(operand);
        if (values == null || values.size() > 1) {
            return isCounter(operand)
                    ? value(values.getFirst().expression(), lane, seed) + anyNumber(operand, seed)
                    : shared(operand, seed);
        }
        String expression = values.getFirst().expression();
        if (LANE.matcher(expression).matches()) {
            return expression.contains("local") ? lane : anyNumber("group", seed) * LANES + lane;
        }
        Matcher cast = CAST.matcher(expression);
        if (cast.matches()) {
            return value(cast.group(1), lane, seed);
        }
        Matcher binary = BINARY.matcher(expression);
        if (binary.matches()) {
            long a = value(binary.group(1), lane, seed);
            long b = value(binary.group(3), lane, seed);
            return switch (binary.group(2)) {
                case "+" -> a + b;
                case "-" -> a - b;
                case "*" -> a * b;
                case "&" -> a & b;
                case "|" -> a | b;
                case "<<" -> a << b;
                default -> a >> b;
            };
        }
        return shared(operand, seed);
    }

    /** Whether it counts a loop's rounds by steps that all lanes share; in the same round it is as far from its first value. */
    private boolean isCounter(String variable) {
        List<Assignment> values = assignments.getOrDefault(variable, List.of());
        if (values.size() != 2) {
            return false;
        }
        List<Assignment> next = assignments.getOrDefault(values.getLast().expression(), List.of());
        Matcher step = BINARY.matcher(next.size() == 1 ? next.getFirst().expression() : "");
        return step.matches()
                && step.group(2).equals("+")
                && ((step.group(1).equals(variable) && isUniform(step.group(3)))
                        || (step.group(3).equals(variable) && isUniform(step.group(1))));
    }

    private long shared(String variable, int seed) {
        if (!isUniform(variable)) {
            throw new UnsupportedOperationException(
                    variable + " is not the same for all lanes, nor a sum of the lane's number");
        }
        return anyNumber(variable, seed);
    }

    private static long anyNumber(String variable, int seed) {
        return Math.floorMod(variable.hashCode() * 31 + seed * 7919, 4096);
    }
}
