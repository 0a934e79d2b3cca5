package io.tutti.tornado.kernel;

import io.tutti.engine.numerics.Numerics;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/**
 * int4 weights times rows in int8, as the kernel in OpenCL C has them: groups that cut words, blocks and segments, rows that a
 * launch of their own quantizes, and rows that each work-item normalizes and quantizes for itself.
 */
final class ClInt8Checks {

    private static final int MAX_TOKENS = 6;
    private static final int LAYERS = 2;
    private static final int LAYER = 1;
    private static final float EPS = 1e-5f;

    /** Tokens of a work-item that prepares its rows; tiles of one. */
    private static final int TOKENS_EACH = 4;

    private static final int TILES_EACH = 2;

    private ClInt8Checks() {}

    static Stream<DynamicTest> all(ClRunner.Device device) {
        return Stream.of(
                        new Product(1, 6, 3, false),
                        new Product(2, 2, 31, true),
                        new Product(2, 258, 33, false),
                        new Product(3, 300, 40, true),
                        new Product(12, 252, 1, true),
                        new Product(12, 600, 32, false),
                        new Product(32, 288, 31, true),
                        new Product(64, 1344, 96, false),
                        new Product(300, 600, 33, true))
                .flatMap(product -> product.checks(device));
    }

    /** What a product is made of. */
    private record Product(int group, int cols, int rows, boolean bias) {

        Stream<DynamicTest> checks(ClRunner.Device device) {
            String shape = "group %d, %d x %d%s".formatted(group, rows, cols, bias ? " with bias" : "");
            return Stream.of(
                    DynamicTest.dynamicTest(
                            "OpenCL C, quantize and matMul int8, " + shape, () -> quantizedFirst(device)),
                    DynamicTest.dynamicTest(
                            "OpenCL C, quantizing matMul int8, " + shape,
                            () -> new Prepared(this, false).check(device)),
                    DynamicTest.dynamicTest(
                            "OpenCL C, normalizing, quantizing and gated matMul int8, " + shape,
                            () -> new Prepared(this, true).check(device)));
        }

        private void quantizedFirst(ClRunner.Device device) {
            Packed weights = Packed.int4(new Random(cols), group, LAYERS, rows, cols);
            int stride = ClKernel.quantizedStride(cols, group);
            Workspace work = workspace(MAX_TOKENS * stride);
            int in = work.view(MAX_TOKENS, cols);
            int quantized = work.view(1, MAX_TOKENS * stride);
            int out = work.view(MAX_TOKENS, rows);
            int biasAt = bias ? work.view(1, Bias.stride(rows)) : Bias.NONE;
            int finish = group % 4 == 0 ? ClKernel.ADD_TO : ClKernel.REPLACE;
            int[] product = ClKernel.matMul(
                    ClKernel.INT8,
                    group,
                    StepLayout.OUTPUTS,
                    LAYER,
                    cols,
                    rows,
                    finish,
                    TILES_EACH,
                    MAX_TOKENS,
                    quantized,
                    stride,
                    out,
                    Workspace.stride(rows),
                    biasAt);
            OpTable table = new OpTable(work.task + 1);
            try (KernelRunner.Launch launch = prepare(device, work, table, weights)) {
                for (int tokens : new int[] {MAX_TOKENS, 3, 1}) {
                    work.clear();
                    work.step.set(StepLayout.OUTPUTS, tokens);
                    Random random = new Random(tokens);
                    float[] biases = biases(work, biasAt, rows, random);
                    for (int t = 0; t < MAX_TOKENS; t++) {
                        float[] x = Int8Checks.activations(random, t, cols);
                        work.set(in + t * Workspace.stride(cols), x);
                        work.set(out + t * Workspace.stride(rows), Workspace.row(random, rows));
                        for (int r = 0; t < tokens && r < rows; r++) {
                            int at = out + t * Workspace.stride(rows) + r;
                            float y = product(weights, rows, r, x, biases);
                            work.expected[at] = finish == ClKernel.REPLACE ? y : work.expected[at] + y;
                        }
                    }
                    table.set(
                            work.task,
                            ClKernel.quantize(StepLayout.OUTPUTS, cols, group, in, Workspace.stride(cols), quantized));
                    work.run(launch, ClKernel.rowGrid(tokens));
                    take(work, quantized, tokens * stride);
                    table.set(work.task, product);
                    work.check(
                            launch,
                            ClKernel.matMulGrid(Tiles.count(rows), TILES_EACH, tokens, MAX_TOKENS),
                            tokens + " tokens");
                }
            }
        }

        /** The product of one of so many rows of the weights, with its bias. */
        float product(Packed weights, int all, int row, float[] x, float[] biases) {
            float y = Int8Checks.dot(weights, group, LAYER, all, row, x);
            return bias ? y + biases[row] : y;
        }

        float[] biases(Workspace work, int at, int count, Random random) {
            float[] biases = Workspace.row(random, count);
            if (bias) {
                work.set(at, Arrays.copyOf(biases, Bias.stride(count)));
            }
            return biases;
        }

        Workspace workspace(int more) {
            int rowsOfAll = Math.ceilDiv(rows, 32) * 64;
            return new Workspace(
                    MAX_TOKENS, 0, MAX_TOKENS * (cols + 2 * rowsOfAll + 8) + 2 * rowsOfAll + cols + more + 64);
        }
    }

    /** A product that prepares its input. */
    private record Prepared(Product of, boolean normalizedAndGated) {

        void check(ClRunner.Device device) {
            int cols = of.cols();
            int width = normalizedAndGated ? Math.ceilDiv(of.rows(), 32) * 32 : of.rows();
            int rows = normalizedAndGated ? 2 * width : width;
            int tiles = Math.ceilDiv(width, 32);
            int items = Math.ceilDiv(tiles, TILES_EACH);
            int own = ClKernel.quantizedStride(cols, of.group()) + (normalizedAndGated ? cols : 0);
            Packed weights = Packed.int4(new Random(cols), of.group(), LAYERS, rows, cols);
            Workspace work = of.workspace(items * TOKENS_EACH * own);
            int in = work.view(TOKENS_EACH, cols);
            int out = work.view(TOKENS_EACH, width);
            int scratch = work.view(1, items * TOKENS_EACH * own);
            int scalesAt = work.view(1, cols);
            int biasAt = of.bias() ? work.view(1, Bias.stride(rows)) : Bias.NONE;
            int[] product = ClKernel.matMul(
                    ClKernel.INT8,
                    of.group(),
                    StepLayout.TOKENS,
                    LAYER,
                    cols,
                    rows,
                    normalizedAndGated ? ClKernel.OPEN_GATE : ClKernel.REPLACE,
                    TILES_EACH,
                    TOKENS_EACH,
                    in,
                    Workspace.stride(cols),
                    out,
                    Workspace.stride(width),
                    biasAt);
            OpTable table = new OpTable(work.task + 1);
            table.set(
                    work.task,
                    ClKernel.quantizing(
                            normalizedAndGated ? ClKernel.normalizing(product, scalesAt, EPS, scratch) : product,
                            scratch));
            try (KernelRunner.Launch launch = prepare(device, work, table, weights)) {
                for (int tokens : new int[] {TOKENS_EACH, 3, 1}) {
                    work.clear();
                    work.step.set(StepLayout.TOKENS, tokens);
                    Random random = new Random(tokens);
                    float[] scales = Workspace.row(random, cols);
                    work.set(scalesAt, scales);
                    float[] biases = of.biases(work, biasAt, rows, random);
                    for (int t = 0; t < tokens; t++) {
                        float[] x = Int8Checks.activations(random, t + MAX_TOKENS - TOKENS_EACH, cols);
                        work.set(in + t * Workspace.stride(cols), x);
                        float[] normal = new float[cols];
                        Numerics.rmsNorm(x, 0, scales, EPS, normal, 0);
                        for (int r = 0; r < width; r++) {
                            float gate = of.product(weights, rows, r, normalizedAndGated ? normal : x, biases);
                            work.expected[out + t * Workspace.stride(width) + r] = normalizedAndGated
                                    ? Numerics.swiGlu(gate, of.product(weights, rows, r + width, normal, biases))
                                    : gate;
                        }
                    }
                    work.run(launch, ClKernel.matMulGrid(tiles, TILES_EACH, tokens, TOKENS_EACH));
                    take(work, scratch, items * TOKENS_EACH * own);
                    Bits.assertEqual(work.values.toHeapArray(), work.expected, tokens + " tokens");
                }
            }
        }
    }

    private static KernelRunner.Launch prepare(ClRunner.Device device, Workspace work, OpTable table, Packed weights) {
        IntArray unused = table.array();
        return device.prepare(
                List.of(
                        unused,
                        work.step,
                        work.launches,
                        work.values,
                        unused,
                        weights.words(),
                        weights.scales(),
                        unused,
                        unused),
                work.task);
    }

    /** Expects what the kernel has left for itself. */
    private static void take(Workspace work, int at, int numbers) {
        for (int i = at; i < at + numbers; i++) {
            work.expected[i] = work.values.get(i);
        }
    }
}
