package io.tutti.tornado.kernel;

import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A check of one kernel, to be made wherever kernels run.
 *
 * @param name what is checked, for people
 */
record Check(String name, Consumer<KernelRunner> body) {

    /** Every kernel, on awkward shapes. */
    static Stream<Check> all() {
        return Stream.of(
                        EmbedChecks.all(),
                        RmsNormChecks.all(),
                        MatMulChecks.all(),
                        RotateChecks.all(),
                        WriteKvChecks.all(),
                        AttentionChecks.all(),
                        ElementwiseChecks.all())
                .flatMap(checks -> checks);
    }
}
