package io.tutti.tornado.kernel;

import io.tutti.engine.reference.Numerics;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

final class RmsNormChecks {

    private static final int MAX_ROWS = 5;
    private static final int LAYERS = 3;

    private RmsNormChecks() {}

    static Stream<Check> all() {
        // More segments than lanes, and a width whose reciprocal is exact, as a compiler may notice.
        return IntStream.of(1, 255, 256, 257, 600, 64 * 256 + 257)
                .mapToObj(width -> new Check("rmsNorm, width " + width, runner -> rows(runner, width)));
    }

    private static void rows(KernelRunner runner, int width) {
        int stride = Workspace.stride(width);
        Workspace work = new Workspace(MAX_ROWS, 0, 2 * MAX_ROWS * stride + 64);
        int in = work.view(MAX_ROWS, width);
        int out = work.view(MAX_ROWS, width);
        Random random = new Random(width);
        FloatArray scales = new FloatArray(LAYERS * width);
        for (int i = 0; i < scales.getSize(); i++) {
            scales.set(i, random.nextFloat() * 3 - 1);
        }
        int count = width % 2 == 0 ? StepLayout.TOKENS : StepLayout.OUTPUTS;
        float eps = 1e-5f;
        TaskPackage task = new TaskPackage(
                "rms",
                RmsNorm::rows,
                work.context,
                work.step,
                work.layer,
                work.launches,
                work.values,
                scales,
                eps,
                count,
                width,
                in,
                stride,
                out,
                stride,
                work.task);
        try (KernelRunner.Launch launch = runner.prepare(task)) {
            for (int rows : new int[] {MAX_ROWS, 1}) {
                int layer = rows % LAYERS;
                work.layer.set(0, layer);
                work.clear();
                work.step.set(count, rows);
                float[] scale = new float[width];
                for (int i = 0; i < width; i++) {
                    scale[i] = scales.get(layer * width + i);
                }
                for (int t = 0; t < MAX_ROWS; t++) {
                    float[] row = Workspace.row(random, width);
                    switch (t) {
                        case 1 -> row[width / 2] = Float.NaN;
                        case 2 -> row[width - 1] = Float.NEGATIVE_INFINITY;
                        case 3 -> IntStream.range(0, width).forEach(i -> row[i] *= 0x1p-80f);
                        default -> {}
                    }
                    work.set(in + t * stride, row);
                    if (t < rows) {
                        Numerics.rmsNorm(row, 0, scale, eps, work.expected, out + t * stride);
                    }
                }
                work.check(launch, RmsNorm.grid(MAX_ROWS), rows + " rows");
            }
        }
    }
}
