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
        return Stream.of(
                        EmbedChecks.all(),
                        RmsNormChecks.all(),
                        MatMulChecks.all(),
                        Int8Checks.all(),
                        RotateChecks.all(),
                        WriteKvChecks.all(),
                        AttentionChecks.all(),
                        ElementwiseChecks.all(),
                        TouchChecks.all())
                .flatMap(checks -> checks);
    }
}
