package io.tutti.tornado.opencl;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A kernel that TornadoVM generated, read line by line: its code is a list of assignments of one operation each, to variables
 * that are mostly assigned once, within ifs and loops.
 *
 * @param name of the kernel, its Java method's
 * @param parameters the names of all its parameters, TornadoVM's own first
 * @param lines its code, without pragmas and comments
 * @param assignments to each variable, in order
 */
public record KernelSource(
        String name, List<String> parameters, List<String> lines, Map<String, List<Assignment>> assignments) {

    private static final Pattern HEAD = Pattern.compile("__kernel void (\\w+)\\((.*)\\)");
    private static final Pattern ASSIGNMENT = Pattern.compile("([a-z]+_\\d+)  =  (.+);");
    private static final Pattern CONDITION = Pattern.compile("if\\((.+)\\)|for\\(;(.+);\\)");
    private static final Pattern LOAD = Pattern.compile("\\*\\(\\(__global (\\w+) \\*\\) (\\w+)\\)");
    private static final Pattern BASE = Pattern.compile("\\(ulong\\) (\\w+)");

    /**
     * A value that a variable takes.
     *
     * @param expression of other variables
     * @param conditions of the ifs and loops around it
     */
    public record Assignment(String expression, List<String> conditions) {}

    /**
     * A read of global memory.
     *
     * @param parameter the array
     * @param type of the number, OpenCL's
     * @param pointer the variable with its address
     */
    public record Load(String parameter, String type, String pointer) {}

    /** All kernels in some generated code. */
    public static List<KernelSource> parse(String sources) {
        return Arrays.stream(sources.split("(?=#pragma OPENCL EXTENSION cl_khr_fp64)"))
                .filter(source -> source.contains("__kernel"))
                .map(KernelSource::parseOne)
                .toList();
    }

    private static KernelSource parseOne(String source) {
        Matcher head = HEAD.matcher(source);
        if (!head.find()) {
            throw new AssertionError("no kernel in " + source);
        }
        List<String> parameters = Arrays.stream(head.group(2).split(","))
                .map(parameter ->
                        parameter.substring(parameter.lastIndexOf(' ') + 1).replace("*", ""))
                .toList();
        List<String> lines = source.substring(head.end())
                .lines()
                .map(line -> line.replaceFirst("//.*", "").strip())
                .filter(line -> !line.isEmpty())
                .toList();
        return new KernelSource(head.group(1), parameters, lines, assignments(lines));
    }

    private static Map<String, List<Assignment>> assignments(List<String> lines) {
        Map<String, List<Assignment>> all = new LinkedHashMap<>();
        Deque<String> around = new ArrayDeque<>();
        String next = "";
        for (String line : lines) {
            Matcher condition = CONDITION.matcher(line);
            Matcher assignment = ASSIGNMENT.matcher(line);
            if (condition.matches()) {
                next = condition.group(1) != null ? condition.group(1) : condition.group(2);
            } else if (line.equals("{")) {
                around.push(next);
            } else if (line.equals("}")) {
                // An else has its if's condition.
                next = around.pop();
            } else if (assignment.matches()) {
                all.computeIfAbsent(assignment.group(1), _ -> new ArrayList<>())
                        .add(new Assignment(assignment.group(2), List.copyOf(around)));
            }
        }
        return all;
    }

    /** Whether a parameter has this name. */
    public boolean has(String parameter) {
        return parameters.contains(parameter);
    }

    /** All reads of one of the arrays. */
    public List<Load> loads(String parameter) {
        List<Load> loads = new ArrayList<>();
        assignments.values().stream().flatMap(List::stream).forEach(assignment -> {
            Matcher load = LOAD.matcher(assignment.expression());
            if (load.matches() && array(load.group(2)).equals(parameter)) {
                loads.add(new Load(parameter, load.group(1), load.group(2)));
            }
        });
        return loads;
    }

    /** The array that an address lies in: the first term of it is where the array begins. */
    private String array(String pointer) {
        String expression = assignments.get(pointer).getFirst().expression();
        Matcher base = BASE.matcher(expression);
        return base.matches() ? base.group(1) : array(expression.split(" ", 2)[0]);
    }
}
