package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.graph.Op;
import io.tutti.engine.numerics.Numerics;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** What the kernel in OpenCL C does in one launch has the bits of the ops one by one. */
final class ClFusedChecks {

    private static final int WHOLE = Op.Attention.WHOLE_CONTEXT;

    private ClFusedChecks() {}

    static Stream<DynamicTest> all(ClRunner.Device device) {
        return Stream.of(
                DynamicTest.dynamicTest("OpenCL C, normalized and gated product", () -> product(device, false)),
                DynamicTest.dynamicTest(
                        "OpenCL C, normalized and gated product with bias", () -> product(device, true)),
                DynamicTest.dynamicTest(
                        "OpenCL C, fresh attention, heads of 20", () -> new Fresh(20, 16, false, WHOLE).check(device)),
                DynamicTest.dynamicTest(
                        "OpenCL C, fresh attention, normalized heads of 32, a window of 3",
                        () -> new Fresh(32, 3, true, 3).check(device)),
                DynamicTest.dynamicTest(
                        "OpenCL C, fresh attention, normalized heads of 10, a window of 257",
                        () -> new Fresh(10, 16, true, 257).check(device)));
    }

    private static void product(ClRunner.Device device, boolean bias) {
        int cols = 300;
        int width = 96;
        int tokens = 3;
        int each = 4;
        Random random = new Random(1);
        Packed weights = Packed.halves(random, Tables.BF16, true, 2, 2 * width, cols);
        Workspace work = new Workspace(each, 0, 20_000);
        int in = work.view(each, cols);
        int out = work.view(each, width);
        int scratch = work.view(1, 3 * each * cols);
        int scalesAt = work.view(1, cols);
        int biasAt = bias ? work.view(1, 2 * width) : Bias.NONE;
        float[] scale = Workspace.row(random, cols);
        float[] biases = Workspace.row(random, 2 * width);
        work.set(scalesAt, scale);
        if (bias) {
            work.set(biasAt, biases);
        }
        work.step.set(StepLayout.TOKENS, tokens);
        for (int t = 0; t < tokens; t++) {
            work.set(in + t * Workspace.stride(cols), Workspace.row(random, cols));
            float[] normal = new float[cols];
            Numerics.rmsNorm(work.expected, in + t * Workspace.stride(cols), scale, 1e-5f, normal, 0);
            for (int r = 0; r < width; r++) {
                float gate = Numerics.dot(weights.widened()[1][r], 0, normal, 0, cols);
                float up = Numerics.dot(weights.widened()[1][r + width], 0, normal, 0, cols);
                gate = bias ? gate + biases[r] : gate;
                up = bias ? up + biases[r + width] : up;
                work.expected[out + t * Workspace.stride(width) + r] = Numerics.swiGlu(gate, up);
            }
        }
        OpTable table = new OpTable(work.task + 1);
        table.set(
                work.task,
                ClKernel.normalizing(
                        ClKernel.matMul(
                                ClKernel.BF16,
                                0,
                                StepLayout.TOKENS,
                                1,
                                cols,
                                2 * width,
                                ClKernel.OPEN_GATE,
                                1,
                                each,
                                in,
                                Workspace.stride(cols),
                                out,
                                Workspace.stride(width),
                                biasAt),
                        scalesAt,
                        1e-5f,
                        scratch));
        IntArray unused = table.array();
        try (KernelRunner.Launch launch = device.prepare(
                List.of(
                        table.array(),
                        work.step,
                        work.launches,
                        work.values,
                        unused,
                        weights.words(),
                        unused,
                        unused,
                        unused),
                work.task)) {
            work.run(launch, ClKernel.matMulGrid(width / 32, 1, tokens, each));
        }
        for (int i = 0; i < 3 * each * cols; i++) {
            work.expected[scratch + i] = work.values.get(scratch + i);
        }
        Bits.assertEqual(work.values.toHeapArray(), work.expected, "a normalized and gated product");
    }

    /**
     * Attention over what the matrices left, whose heads may be to be normalized: two sequences of one new token each, one deep
     * in its context.
     */
    private record Fresh(int headDim, int blockTokens, boolean normalized, int window) {

        private static final int HEADS = 6;
        private static final int KV_HEADS = 2;
        private static final int[] POSITIONS = {270, 5};
        private static final float EPS = 1e-6f;

        void check(ClRunner.Device device) {
            Object[] oneByOne = run(device, false);
            Object[] fused = run(device, true);
            Bits.assertEqual((float[]) fused[0], (float[]) oneByOne[0], "fresh attention");
            assertThat((short[]) fused[1]).as("keys").isEqualTo(oneByOne[1]);
            assertThat((short[]) fused[2]).as("values").isEqualTo(oneByOne[2]);
        }

        /** What is in all arrays after attention. */
        private Object[] run(ClRunner.Device device, boolean fused) {
            int blocksEach = 271 / blockTokens + 1;
            int width = (HEADS + 2 * KV_HEADS) * headDim;
            Workspace work = new Workspace(2, 2 * blocksEach, 40_000);
            int x = work.view(2, width);
            int out = work.view(2, HEADS * headDim);
            int partials = work.view(1, (int) Attention.partialSize(2, HEADS, headDim, 2));
            int scalesAt = work.view(1, (HEADS + KV_HEADS) * headDim);
            Random random = new Random(headDim);
            work.set(scalesAt, Workspace.row(random, (HEADS + KV_HEADS) * headDim));
            ShortArray keys = cache(random, 2 * blocksEach * blockTokens * KV_HEADS * headDim);
            ShortArray slabValues = cache(random, keys.getSize());
            FloatArray angles = new FloatArray(2 * 3 * (headDim / 2));
            for (int i = 0; i < angles.getSize(); i++) {
                angles.set(i, random.nextFloat());
            }
            work.step.set(StepLayout.TOKENS, 2);
            for (int t = 0; t < 2; t++) {
                int position = POSITIONS[t];
                work.set(x + t * Workspace.stride(width), Workspace.row(random, width));
                work.step.set(StepLayout.position(2, t), position);
                work.step.set(
                        StepLayout.slot(2, t),
                        (t * blocksEach + position / blockTokens) * blockTokens + position % blockTokens);
                work.step.set(StepLayout.table(2, t), t * blocksEach);
                for (int b = 0; b < blocksEach; b++) {
                    work.step.set(StepLayout.block(2, t * blocksEach + b), t * blocksEach + b);
                }
            }
            int stride = Workspace.stride(width);
            int turned = HEADS + KV_HEADS;
            int key = x + HEADS * headDim;
            int value = key + KV_HEADS * headDim;
            int[] cache = ClKernel.cache(ClKernel.F16, KV_HEADS, headDim, blockTokens, 0, 2);
            int[] attention = ClKernel.attention(
                    cache,
                    HEADS,
                    2,
                    partials,
                    Numerics.attentionScale(headDim),
                    window,
                    x,
                    stride,
                    out,
                    Workspace.stride(HEADS * headDim));
            int[] rotate = ClKernel.rotate(turned, headDim / 2, x, stride);
            OpTable table = new OpTable(work.task + 1);
            List<TornadoNativeArray> arrays = List.of(
                    table.array(),
                    work.step,
                    work.launches,
                    work.values,
                    angles,
                    table.array(),
                    table.array(),
                    keys,
                    slabValues);
            try (KernelRunner.Launch launch = device.prepare(arrays, work.task)) {
                if (fused) {
                    int[] turn = normalized ? ClKernel.normalized(rotate, scalesAt, EPS) : rotate;
                    table.set(work.task, ClKernel.fresh(attention, turn, value, stride));
                    work.run(launch, ClKernel.attentionGrid(KV_HEADS, 2));
                } else {
                    if (normalized) {
                        table.set(
                                work.task,
                                ClKernel.rmsNorm(
                                        StepLayout.TOKENS, turned, headDim, scalesAt, EPS, x, stride, x, stride));
                        work.run(launch, ClKernel.rowGrid(2));
                    }
                    table.set(work.task, rotate);
                    work.run(launch, ClKernel.rowGrid(2));
                    table.set(work.task, ClKernel.writeKv(cache, key, stride, value, stride));
                    work.run(launch, ClKernel.rowGrid(2));
                    table.set(work.task, attention);
                    work.run(launch, ClKernel.attentionGrid(KV_HEADS, 2));
                }
            }
            return new Object[] {work.values.toHeapArray(), keys.toHeapArray(), slabValues.toHeapArray()};
        }
    }

    private static ShortArray cache(Random random, int size) {
        ShortArray cache = new ShortArray(size);
        for (int i = 0; i < size; i++) {
            cache.set(i, Float.floatToFloat16(random.nextFloat() * 2 - 1));
        }
        return cache;
    }
}
