package io.tutti.tornado.kernel;

import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A check of one kernel, to be made wherever kernels run.
 *
 * @param name what is checked, for people
 * @param large whether it is too much work for a device that interprets kernels; others check the same kernel there
 */
record Check(String name, boolean large, Consumer<KernelRunner> body) {

    Check(String name, Consumer<KernelRunner> body) {
        this(name, false, body);
    }

    static Check large(String name, Consumer<KernelRunner> body) {
        return new Check(name, true, body);
    }

    /** Every kernel, on awkward shapes. */
    static Stream<Check> all() {
        return Stream.of(ofOps(MatMulChecks.all()), Int8Checks.all(), TouchChecks.all())
                .flatMap(checks -> checks);
    }

    /** Those for a {@link ClRunner}: every op on the same shapes, but int8's, whose rows lie otherwise: {@link ClInt8Checks}. */
    static Stream<Check> inOpenClC() {
        return ofOps(MatMulChecks.tiles())
                .map(check -> new Check("OpenCL C, " + check.name(), check.large(), check.body()));
    }

    private static Stream<Check> ofOps(Stream<Check> products) {
        return Stream.of(
                        EmbedChecks.all(),
                        RmsNormChecks.all(),
                        products,
                        RotateChecks.all(),
                        WriteKvChecks.all(),
                        AttentionChecks.all(),
                        ElementwiseChecks.all())
                .flatMap(checks -> checks);
    }
}
