package io.tutti.tornado.kernel;

import io.tutti.engine.numerics.Numerics;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.common.TaskPackage;

final class RmsNormChecks {

    private static final int MAX_ROWS = 5;
    private static final int LAYERS = 3;

    private RmsNormChecks() {}

    static Stream<Check> all() {
        // More segments than lanes, and a width whose reciprocal is exact, as a compiler may notice.
        Stream<Check> rows = IntStream.of(1, 255, 256, 257, 600, 64 * 256 + 257)
                .mapToObj(width -> new Check("rmsNorm, width " + width, r -> new Shape(1, width, false).check(r)));
        Stream<Check> heads = IntStream.of(1, 33, 64, 257)
                .mapToObj(width -> new Check("headNorm, heads of " + width, r -> new Shape(5, width, true).check(r)));
        return Stream.concat(rows, heads);
    }

    /**
     * One check.
     *
     * @param width of a head
     * @param inPlace whether the rows are overwritten
     */
    private record Shape(int heads, int width, boolean inPlace) {

        void check(KernelRunner runner) {
            int stride = Workspace.stride(heads * width);
            int scalesEach = heads * width;
            Workspace work = new Workspace(MAX_ROWS, 0, 2 * MAX_ROWS * stride + LAYERS * scalesEach + 64);
            int in = work.view(MAX_ROWS, heads * width);
            int out = inPlace ? in : work.view(MAX_ROWS, heads * width);
            int scalesAt = work.view(1, LAYERS * scalesEach);
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
                    scalesAt,
                    eps,
                    count,
                    heads,
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
                    Random random = new Random(width);
                    float[] scales = new float[LAYERS * scalesEach];
                    for (int i = 0; i < scales.length; i++) {
                        scales[i] = random.nextFloat() * 3 - 1;
                    }
                    work.set(scalesAt, scales);
                    for (int t = 0; t < MAX_ROWS; t++) {
                        float[] row = row(random, t);
                        work.set(in + t * stride, row);
                        for (int h = 0; h < heads && t < rows; h++) {
                            int from = (layer * heads + h) * width;
                            float[] scale = Arrays.copyOfRange(scales, from, from + width);
                            Numerics.rmsNorm(row, h * width, scale, eps, work.expected, out + t * stride + h * width);
                        }
                    }
                    work.check(launch, RmsNorm.grid(MAX_ROWS, heads), rows + " rows");
                }
            }
        }

        private float[] row(Random random, int t) {
            float[] row = Workspace.row(random, heads * width);
            switch (t) {
                case 1 -> row[width / 2] = Float.NaN; // spoils one head only
                case 2 -> row[row.length - 1] = Float.NEGATIVE_INFINITY;
                case 3 -> IntStream.range(0, row.length).forEach(i -> row[i] *= 0x1p-80f);
                default -> {}
            }
            return row;
        }
    }
}
