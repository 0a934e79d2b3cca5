package io.tutti.tornado.opencl;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a GPU would run slowly, or not at all, in a kernel that TornadoVM generated; what no kernel of ours should have. */
public final class GpuFaults {

    /** What every device of the full profile has for a work-group: OpenCL 1.2, table 4.3, CL_DEVICE_LOCAL_MEM_SIZE. */
    private static final int LOCAL_BYTES = 32 * 1024;

    /** Lanes that a GPU runs in step. */
    private static final int LANES = 32;

    private static final int NUMBER_BYTES = 4;

    private static final Pattern DOUBLE =
            Pattern.compile("\\bdouble\\d*\\b|\\bd_\\d+|(?<![\\w.])\\d+\\.\\d+(E-?\\d+)?(?![\\dEF])");
    private static final Pattern LOCAL_ARRAY = Pattern.compile("__local (\\w+) \\w+\\[(\\d+)]");
    private static final Pattern PRIVATE_ARRAY = Pattern.compile("__private \\w+\\* (\\w+) = ");
    private static final Pattern SUM = Pattern.compile("(f_\\d+) [+-] (\\S+)|(\\S+) [+-] (f_\\d+)");
    private static final Pattern PRODUCT = Pattern.compile("\\S+ \\* \\S+");

    private GpuFaults() {}

    /** Arithmetic with doubles, which GPUs do at a fraction of the speed, and some not at all. */
    public static List<String> doubles(KernelSource kernel) {
        return kernel.lines().stream()
                .filter(line -> DOUBLE.matcher(line).find())
                .toList();
    }

    /** Bytes of local memory, where they are more than a device may have. */
    public static List<String> localMemory(KernelSource kernel) {
        int bytes = kernel.lines().stream()
                .map(LOCAL_ARRAY::matcher)
                .filter(Matcher::find)
                .mapToInt(array -> Integer.parseInt(array.group(2)) * bytes(array.group(1)))
                .sum();
        return bytes < LOCAL_BYTES ? List.of() : List.of(bytes + " bytes of local memory");
    }

    private static int bytes(String type) {
        return switch (type) {
            case "int", "float" -> 4;
            case "long" -> 8;
            default -> throw new AssertionError("local memory of " + type);
        };
    }

    /** Private arrays indexed by what is no constant: they are memory, not registers. */
    public static List<String> spills(KernelSource kernel) {
        List<String> arrays = kernel.lines().stream()
                .map(PRIVATE_ARRAY::matcher)
                .filter(Matcher::find)
                .map(array -> array.group(1))
                .toList();
        return kernel.lines().stream()
                .filter(line -> arrays.stream().anyMatch(array -> line.matches(".*\\b" + array + "\\[\\D.*")))
                .toList();
    }

    /** Sums of a product that are rounded twice. */
    public static List<String> unfused(KernelSource kernel) {
        List<String> found = new ArrayList<>();
        kernel.assignments()
                .forEach((variable, values) -> values.forEach(value -> {
                    Matcher sum = SUM.matcher(value.expression());
                    if (sum.matches()
                            && Stream.of(value.expression().split(" [+-] "))
                                    .anyMatch(term -> isProduct(kernel, term))) {
                        found.add(variable + " = " + value.expression());
                    }
                }));
        return found;
    }

    private static boolean isProduct(KernelSource kernel, String term) {
        return kernel.assignments().getOrDefault(term, List.of()).stream()
                .anyMatch(value -> PRODUCT.matcher(value.expression()).matches());
    }

    /**
     * Reads of an array that are not coalesced: where neighbouring lanes do not read neighbouring numbers of 4 bytes, each
     * one or, of 16-bit numbers in pairs, lane i the one that lane i + 16 reads.
     */
    public static List<String> scattered(KernelSource kernel, String array) {
        return faults(kernel, array, offsets -> isEach(offsets, LANES) || isEach(offsets, LANES / 2));
    }

    /** Reads of an array that are neither coalesced nor of one number for all lanes. */
    public static List<String> neitherCoalescedNorShared(KernelSource kernel, String array) {
        return faults(kernel, array, offsets -> isEach(offsets, LANES) || isEach(offsets, 1));
    }

    /** Whether lane i reads number {@code i % period}. */
    private static boolean isEach(long[] offsets, int period) {
        for (int lane = 0; lane < offsets.length; lane++) {
            if (offsets[lane] != (long) NUMBER_BYTES * (lane % period)) {
                return false;
            }
        }
        return true;
    }

    private interface Accepted {
        boolean test(long[] offsets);
    }

    private static List<String> faults(KernelSource kernel, String array, Accepted accepted) {
        LaneAddresses addresses = new LaneAddresses(kernel);
        List<KernelSource.Load> loads = kernel.loads(array);
        if (loads.isEmpty()) {
            return List.of("no read of " + array);
        }
        return loads.stream()
                .map(load -> fault(addresses, load, accepted))
                .filter(fault -> !fault.isEmpty())
                .toList();
    }

    private static String fault(LaneAddresses addresses, KernelSource.Load load, Accepted accepted) {
        try {
            for (int seed = 0; seed < 3; seed++) {
                long[] offsets = addresses.offsets(load.pointer(), LANES, seed);
                if (!accepted.test(offsets)) {
                    return load + " is at " + Arrays.toString(offsets);
                }
            }
            return "";
        } catch (UnsupportedOperationException e) {
            return load + ": " + e.getMessage();
        }
    }
}
