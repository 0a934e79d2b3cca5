package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.reference.Numerics;
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

    private ClFusedChecks() {}

    static Stream<DynamicTest> all(ClRunner.Device device) {
        return Stream.of(
                DynamicTest.dynamicTest("OpenCL C, normalized and gated product", () -> product(device)),
                DynamicTest.dynamicTest("OpenCL C, fresh attention, heads of 20", () -> attention(device, 20, 16)),
                DynamicTest.dynamicTest("OpenCL C, fresh attention, heads of 32", () -> attention(device, 32, 3)));
    }

    private static void product(ClRunner.Device device) {
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
        FloatArray scales = new FloatArray(2 * cols);
        scales.init(0f);
        float[] scale = new float[cols];
        for (int i = 0; i < cols; i++) {
            scale[i] = random.nextFloat() * 3 - 1;
            scales.set(cols + i, scale[i]);
        }
        work.step.set(StepLayout.TOKENS, tokens);
        for (int t = 0; t < tokens; t++) {
            work.set(in + t * Workspace.stride(cols), Workspace.row(random, cols));
            float[] normal = new float[cols];
            Numerics.rmsNorm(work.expected, in + t * Workspace.stride(cols), scale, 1e-5f, normal, 0);
            for (int r = 0; r < width; r++) {
                float gate = Numerics.dot(weights.widened()[1][r], 0, normal, 0, cols);
                float up = Numerics.dot(weights.widened()[1][r + width], 0, normal, 0, cols);
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
                                Workspace.stride(width)),
                        1e-5f,
                        scratch));
        IntArray unused = table.array();
        try (KernelRunner.Launch launch = device.prepare(
                List.of(
                        table.array(),
                        work.step,
                        work.launches,
                        work.values,
                        scales,
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

    private static void attention(ClRunner.Device device, int headDim, int blockTokens) {
        Object[] oneByOne = attention(device, headDim, blockTokens, false);
        Object[] fused = attention(device, headDim, blockTokens, true);
        Bits.assertEqual((float[]) fused[0], (float[]) oneByOne[0], "fresh attention");
        assertThat((short[]) fused[1]).as("keys").isEqualTo(oneByOne[1]);
        assertThat((short[]) fused[2]).as("values").isEqualTo(oneByOne[2]);
    }

    /** Two sequences of one new token each, one deep in its context: what is in all arrays after attention. */
    private static Object[] attention(ClRunner.Device device, int headDim, int blockTokens, boolean fused) {
        int heads = 6;
        int kvHeads = 2;
        int[] positions = {270, 5};
        int blocksEach = 271 / blockTokens + 1;
        int width = (heads + 2 * kvHeads) * headDim;
        Workspace work = new Workspace(2, 2 * blocksEach, 40_000);
        int x = work.view(2, width);
        int out = work.view(2, heads * headDim);
        int partials = work.view(1, (int) Attention.partialSize(2, heads, headDim, 2));
        Random random = new Random(headDim);
        ShortArray keys = cache(random, 2 * blocksEach * blockTokens * kvHeads * headDim);
        ShortArray slabValues = cache(random, keys.getSize());
        FloatArray angles = new FloatArray(2 * 3 * (headDim / 2));
        for (int i = 0; i < angles.getSize(); i++) {
            angles.set(i, random.nextFloat());
        }
        work.step.set(StepLayout.TOKENS, 2);
        for (int t = 0; t < 2; t++) {
            work.set(x + t * Workspace.stride(width), Workspace.row(random, width));
            work.step.set(StepLayout.position(2, t), positions[t]);
            work.step.set(
                    StepLayout.slot(2, t),
                    (t * blocksEach + positions[t] / blockTokens) * blockTokens + positions[t] % blockTokens);
            work.step.set(StepLayout.table(2, t), t * blocksEach);
            for (int b = 0; b < blocksEach; b++) {
                work.step.set(StepLayout.block(2, t * blocksEach + b), t * blocksEach + b);
            }
        }
        int stride = Workspace.stride(width);
        int key = x + heads * headDim;
        int value = key + kvHeads * headDim;
        int[] cache = ClKernel.cache(ClKernel.F16, kvHeads, headDim, blockTokens, 0, 2);
        int[] attention = ClKernel.attention(
                cache,
                heads,
                2,
                partials,
                Numerics.attentionScale(headDim),
                x,
                stride,
                out,
                Workspace.stride(heads * headDim));
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
                table.set(work.task, ClKernel.fresh(attention, headDim / 2, key, stride, value, stride));
                work.run(launch, ClKernel.attentionGrid(kvHeads, 2));
            } else {
                table.set(work.task, ClKernel.rotate(heads + kvHeads, headDim / 2, x, stride));
                work.run(launch, ClKernel.rowGrid(2));
                table.set(work.task, ClKernel.writeKv(cache, key, stride, value, stride));
                work.run(launch, ClKernel.rowGrid(2));
                table.set(work.task, attention);
                work.run(launch, ClKernel.attentionGrid(kvHeads, 2));
            }
        }
        return new Object[] {work.values.toHeapArray(), keys.toHeapArray(), slabValues.toHeapArray()};
    }

    private static ShortArray cache(Random random, int size) {
        ShortArray cache = new ShortArray(size);
        for (int i = 0; i < size; i++) {
            cache.set(i, Float.floatToFloat16(random.nextFloat() * 2 - 1));
        }
        return cache;
    }
}
