package io.tutti.tornado.kernel;

import io.tutti.engine.numerics.Int8Activations;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

/** Activations in int8, and int4 weights that meet them; groups that cut words, blocks and segments. */
final class Int8Checks {

    private static final int MAX_TOKENS = 6;
    private static final int LAYERS = 2;

    private Int8Checks() {}

    static Stream<Check> all() {
        List<Check> checks = new ArrayList<>();
        for (int cols : new int[] {2, 31, 32, 33, 600}) {
            checks.add(new Check("quantizeRows, " + cols + " columns", runner -> rows(runner, cols)));
        }
        int[][] shapes = {
            {2, 2, 31, 1}, {2, 258, 33, 0}, {12, 252, 1, 1}, {12, 600, 32, 0}, {32, 288, 31, 1}, {300, 600, 33, 1}
        };
        for (int[] shape : shapes) {
            int group = shape[0];
            int cols = shape[1];
            int rows = shape[2];
            boolean bias = shape[3] == 1;
            checks.add(new Check(
                    "matMul int8%s, group %d, %d x %d".formatted(bias ? " with bias" : "", group, rows, cols),
                    runner -> product(runner, group, rows % 2, bias, cols, rows)));
        }
        return checks.stream();
    }

    private static void rows(KernelRunner runner, int cols) {
        int stride = Workspace.stride(cols);
        Workspace work = new Workspace(MAX_TOKENS, 0, MAX_TOKENS * (stride + 2 * cols + 4) + 64);
        int in = work.view(MAX_TOKENS, cols);
        int out = work.view(1, MAX_TOKENS * QuantizeRows.stride(cols));
        Random random = new Random(cols);
        TaskPackage task = new TaskPackage(
                "quantize",
                QuantizeRows::rows,
                work.context,
                work.step,
                work.launches,
                work.values,
                Tables.make(Tables.COMPACT),
                StepLayout.TOKENS,
                cols,
                in,
                stride,
                out,
                work.task);
        try (KernelRunner.Launch launch = runner.prepare(task)) {
            for (int tokens : new int[] {MAX_TOKENS, 1}) {
                work.clear();
                work.step.set(StepLayout.TOKENS, tokens);
                for (int t = 0; t < MAX_TOKENS; t++) {
                    float[] row = activations(random, t, cols);
                    work.set(in + t * stride, row);
                    if (t < tokens) {
                        float[] quantized = quantized(row);
                        System.arraycopy(quantized, 0, work.expected, out + t * quantized.length, quantized.length);
                    }
                }
                work.run(launch, QuantizeRows.grid(MAX_TOKENS, cols));
                // An integer zero may have either sign.
                float[] got = work.values.toHeapArray();
                for (int i = out; i < out + tokens * QuantizeRows.stride(cols); i++) {
                    got[i] += 0f;
                }
                Bits.assertEqual(got, work.expected, tokens + " rows");
            }
        }
    }

    private static void product(KernelRunner runner, int group, int compact, boolean bias, int cols, int rows) {
        Packed weights = Packed.int4(new Random(cols), group, LAYERS, rows, cols);
        FloatArray tables = Tables.make(compact);
        int outStride = Workspace.stride(rows);
        int add = group % 4 == 0 ? 1 : 0;
        int count = rows % 2 == 0 ? StepLayout.TOKENS : StepLayout.OUTPUTS;
        int biases = LAYERS * Bias.stride(rows);
        Workspace work =
                new Workspace(MAX_TOKENS, 0, MAX_TOKENS * (QuantizeRows.stride(cols) + outStride) + biases + 64);
        int in = work.view(1, MAX_TOKENS * QuantizeRows.stride(cols));
        int out = work.view(MAX_TOKENS, rows);
        int biasAt = bias ? work.view(1, biases) : Bias.NONE;
        TaskPackage task = new TaskPackage(
                "matMul",
                MatMulInt8::nibbles,
                work.context,
                work.step,
                work.layer,
                work.launches,
                work.values,
                weights.words(),
                weights.scales(),
                tables,
                group,
                cols,
                rows,
                count,
                in,
                out,
                outStride,
                biasAt,
                add,
                work.task);
        try (KernelRunner.Launch launch = runner.prepare(task)) {
            for (int tokens : new int[] {MAX_TOKENS, 1}) {
                int layer = tokens % LAYERS;
                work.layer.set(0, layer);
                work.clear();
                work.step.set(count, tokens);
                Random random = new Random(tokens);
                if (bias) {
                    work.set(biasAt, Workspace.row(random, biases));
                }
                for (int t = 0; t < MAX_TOKENS; t++) {
                    float[] row = activations(random, t, cols);
                    work.set(in + t * QuantizeRows.stride(cols), quantized(row));
                    work.set(out + t * outStride, Workspace.row(random, rows));
                    for (int r = 0; t < tokens && r < rows; r++) {
                        int at = out + t * outStride + r;
                        float y = dot(weights, group, layer, rows, r, row);
                        y = bias ? y + work.expected[biasAt + layer * Bias.stride(rows) + r] : y;
                        work.expected[at] = add == 0 ? y : work.expected[at] + y;
                    }
                }
                work.check(launch, MatMulInt8.grid(tokens, rows), tokens + " tokens");
            }
        }
    }

    /** The product of a row of the weights and a row of activations. */
    static float dot(Packed weights, int group, int layer, int rows, int row, float[] x) {
        int cols = x.length;
        int before = layer * Tiles.count(rows) + row / Tiles.ROWS;
        byte[] w = new byte[cols];
        for (int k = 0; k < cols; k++) {
            int word = weights.words().get((before * Tiles.words(cols) + k / 8) * Tiles.ROWS + row % Tiles.ROWS);
            w[k] = (byte) (word << (28 - 4 * (k % 8)) >> 28);
        }
        float[] scales = new float[cols / group];
        for (int g = 0; g < scales.length; g++) {
            int pair = weights.scales().get((before * scales.length + g) * Tiles.PAIRS + row % Tiles.PAIRS);
            scales[g] = Float.float16ToFloat((short) (pair >> Tiles.halfShift(row)));
        }
        byte[] q = new byte[cols];
        float[] xScales = new float[QuantizeRows.blocks(cols)];
        Int8Activations.quantize(x, 0, cols, q, xScales);
        return Int8Activations.dot(w, 0, scales, 0, group, q, xScales, cols);
    }

    /** A row as the kernel leaves it: integers, then scales. */
    private static float[] quantized(float[] row) {
        byte[] q = new byte[row.length];
        float[] scales = new float[QuantizeRows.blocks(row.length)];
        Int8Activations.quantize(row, 0, row.length, q, scales);
        float[] both = new float[QuantizeRows.stride(row.length)];
        for (int k = 0; k < q.length; k++) {
            both[k] = q[k];
        }
        System.arraycopy(scales, 0, both, q.length, scales.length);
        return both;
    }

    /** A row whose numbers a token's place chooses: NaN, infinity, subnormal ones, halves, zeros. */
    static float[] activations(Random random, int token, int cols) {
        float[] row = Workspace.row(random, cols);
        for (int k = 0; k < cols; k++) {
            row[k] = switch (token) {
                case 1 -> k == cols / 2 ? Float.NaN : row[k];
                case 2 -> k == cols - 1 ? Float.NEGATIVE_INFINITY : row[k];
                case 3 -> (random.nextInt(381) - 190) * Float.MIN_VALUE;
                case 4 -> k % 32 == 0 ? 127 : random.nextInt(253) - 126.5f;
                case 5 -> k < 32 ? -0f : row[k];
                default -> row[k];
            };
        }
        return row;
    }
}
