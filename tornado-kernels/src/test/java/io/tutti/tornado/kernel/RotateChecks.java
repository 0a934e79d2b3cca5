package io.tutti.tornado.kernel;

import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.numerics.Numerics;
import io.tutti.engine.numerics.RopeTable;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

final class RotateChecks {

    private static final int MAX_TOKENS = 4;
    private static final int HEADS = 3;

    private RotateChecks() {}

    static Stream<Check> all() {
        return IntStream.of(1, 5, 64, 65)
                .mapToObj(pairs -> new Check("rotate, %d pairs".formatted(pairs), runner -> pairs(runner, pairs)));
    }

    private static void pairs(KernelRunner runner, int pairs) {
        int width = HEADS * 2 * pairs;
        int stride = Workspace.stride(width);
        Workspace work = new Workspace(MAX_TOKENS, 0, MAX_TOKENS * stride + 64);
        int at = work.view(MAX_TOKENS, width);
        FloatArray angles = new FloatArray(MAX_TOKENS * 3 * pairs);
        TaskPackage task = new TaskPackage(
                "rotate",
                Rotate::pairs,
                work.context,
                work.step,
                work.launches,
                work.values,
                angles,
                at,
                stride,
                pairs,
                work.task);
        RopeTable table = new RopeTable(new RopeParameters(2 * pairs, 10000));
        int[] positions = {1000, 0, 77, 3};
        table.extendTo(1001);
        try (KernelRunner.Launch launch = runner.prepare(task)) {
            for (int tokens : new int[] {MAX_TOKENS, 1}) {
                work.clear();
                work.step.set(StepLayout.TOKENS, tokens);
                Random random = new Random(pairs);
                for (int t = 0; t < MAX_TOKENS; t++) {
                    for (int i = 0; i < pairs; i++) {
                        float sin = table.sin()[positions[t] * pairs + i];
                        angles.set((t * 3) * pairs + i, table.cos()[positions[t] * pairs + i]);
                        angles.set((t * 3 + 1) * pairs + i, sin);
                        angles.set((t * 3 + 2) * pairs + i, -sin);
                    }
                    float[] row = Workspace.row(random, width);
                    if (t == 2) {
                        row[0] = Float.NaN;
                        row[width - 1] = Float.POSITIVE_INFINITY;
                    }
                    work.set(at + t * stride, row);
                    for (int h = 0; h < HEADS && t < tokens; h++) {
                        Numerics.rope(work.expected, at + t * stride + h * 2 * pairs, table, positions[t]);
                    }
                }
                work.check(launch, Rotate.grid(MAX_TOKENS, HEADS, pairs), tokens + " tokens");
            }
        }
    }
}
