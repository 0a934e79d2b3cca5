package io.tutti.tornado.kernel;

import java.util.Random;
import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

final class EmbedChecks {

    private static final int MAX_TOKENS = 5;
    private static final int VOCABULARY = 70;

    private EmbedChecks() {}

    static Stream<Check> all() {
        return Stream.of(
                new Check("embed f32, width 65", runner -> f32(runner, 65)),
                new Check("embed f16, width 33, full", runner -> halves(runner, Tables.F16, Tables.FULL, 33)),
                new Check("embed f16, width 128, compact", runner -> halves(runner, Tables.F16, Tables.COMPACT, 128)),
                new Check("embed bf16, width 129, full", runner -> halves(runner, Tables.BF16, Tables.FULL, 129)),
                new Check("embed bf16, width 1, compact", runner -> halves(runner, Tables.BF16, Tables.COMPACT, 1)),
                new Check(
                        "embed bf16, width 600, compact", runner -> halves(runner, Tables.BF16, Tables.COMPACT, 600)));
    }

    private static void f32(KernelRunner runner, int width) {
        Workspace work = new Workspace(MAX_TOKENS, 0, 4096);
        int out = work.view(MAX_TOKENS, width);
        Packed table = Packed.f32(new Random(1), 1, VOCABULARY, width);
        TaskPackage task = new TaskPackage(
                "embed",
                Embed::f32,
                work.context,
                work.step,
                work.launches,
                work.values,
                table.data(),
                MAX_TOKENS,
                width,
                out,
                Workspace.stride(width),
                work.task);
        check(runner, task, work, table, width, out);
    }

    private static void halves(KernelRunner runner, int format, int compact, int width) {
        Workspace work = new Workspace(MAX_TOKENS, 0, 4096);
        int out = work.view(MAX_TOKENS, width);
        Packed table = Packed.halves(new Random(2), format, false, 1, VOCABULARY, width);
        FloatArray tables = Tables.make(compact);
        TaskPackage task = new TaskPackage(
                "embed",
                Embed::halves,
                work.context,
                work.step,
                work.launches,
                work.values,
                table.words(),
                tables,
                format,
                MAX_TOKENS,
                width,
                out,
                Workspace.stride(width),
                work.task);
        check(runner, task, work, table, width, out);
    }

    private static void check(KernelRunner runner, TaskPackage task, Workspace work, Packed table, int width, int out) {
        try (KernelRunner.Launch launch = runner.prepare(task, work.values)) {
            int[] ids = {VOCABULARY - 1, 0, 31, 32, 17};
            for (int tokens : new int[] {MAX_TOKENS, 1, 3}) {
                work.clear();
                work.step.set(StepLayout.TOKENS, tokens);
                for (int t = 0; t < tokens; t++) {
                    work.step.set(StepLayout.id(MAX_TOKENS, t), ids[t]);
                    System.arraycopy(
                            table.widened()[0][ids[t]], 0, work.expected, out + t * Workspace.stride(width), width);
                }
                // The grid may have more rows than the step.
                work.check(launch, Embed.grid(MAX_TOKENS, width), tokens + " tokens");
            }
        }
    }
}
