package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;

final class WriteKvChecks {

    private static final int BLOCKS = 12;
    private static final short UNTOUCHED = 0x1234;

    /** Elements of the cache ahead of and behind the layer's. */
    private static final int AROUND = 40;

    private WriteKvChecks() {}

    static Stream<Check> all() {
        return Stream.of(
                new Check("writeKv f16, 2 heads of 65, blocks of 7", runner -> f16(runner, 2, 65, 7, 5)),
                Check.large("writeKv f16, 4 heads of 256, blocks of 16", runner -> f16(runner, 4, 256, 16, 150)),
                new Check("writeKv f16, 1 head of 1, blocks of 1", runner -> f16(runner, 1, 1, 1, 3)),
                new Check("writeKv f32, 3 heads of 33, blocks of 12", runner -> f32(runner, 3, 33, 12, 5)));
    }

    private static void f16(KernelRunner runner, int kvHeads, int headDim, int blockTokens, int maxTokens) {
        Layout layout = new Layout(kvHeads, headDim, blockTokens, maxTokens);
        Workspace work = layout.workspace();
        int key = work.view(maxTokens, layout.width());
        int value = work.view(maxTokens, layout.width());
        ShortArray keys = new ShortArray(layout.size());
        ShortArray values = new ShortArray(layout.size());
        int stride = Workspace.stride(layout.width());
        FloatArray tables = Tables.make(Tables.COMPACT);
        TaskPackage task = new TaskPackage(
                "write",
                WriteKv::f16,
                work.context,
                work.step,
                work.layer,
                work.launches,
                work.values,
                keys,
                values,
                tables,
                key,
                stride,
                value,
                stride,
                kvHeads,
                headDim,
                blockTokens,
                maxTokens,
                work.task);
        try (KernelRunner.Launch launch = runner.prepare(task, keys, values)) {
            for (int tokens : new int[] {maxTokens, 1}) {
                short[][] expected = new short[2][layout.size()];
                Arrays.fill(expected[0], UNTOUCHED);
                Arrays.fill(expected[1], UNTOUCHED);
                keys.init(UNTOUCHED);
                values.init(UNTOUCHED);
                layout.fill(work, tokens, key, value, (k, at, x) -> expected[k][at] = f16(x));
                work.check(launch, WriteKv.grid(maxTokens, kvHeads, headDim), tokens + " tokens");
                assertThat(keys.toHeapArray()).as("keys").isEqualTo(expected[0]);
                assertThat(values.toHeapArray()).as("values").isEqualTo(expected[1]);
            }
        }
    }

    private static void f32(KernelRunner runner, int kvHeads, int headDim, int blockTokens, int maxTokens) {
        Layout layout = new Layout(kvHeads, headDim, blockTokens, maxTokens);
        Workspace work = layout.workspace();
        int key = work.view(maxTokens, layout.width());
        int value = work.view(maxTokens, layout.width());
        FloatArray keys = new FloatArray(layout.size());
        FloatArray values = new FloatArray(layout.size());
        int stride = Workspace.stride(layout.width());
        FloatArray tables = Tables.make(Tables.COMPACT);
        TaskPackage task = new TaskPackage(
                "write",
                WriteKv::f32,
                work.context,
                work.step,
                work.layer,
                work.launches,
                work.values,
                keys,
                values,
                tables,
                key,
                stride,
                value,
                stride,
                kvHeads,
                headDim,
                blockTokens,
                maxTokens,
                work.task);
        try (KernelRunner.Launch launch = runner.prepare(task, keys, values)) {
            for (int tokens : new int[] {maxTokens, 1}) {
                int[][] expected = new int[2][layout.size()];
                Arrays.fill(expected[0], Float.floatToRawIntBits(UNTOUCHED));
                Arrays.fill(expected[1], Float.floatToRawIntBits(UNTOUCHED));
                keys.init(UNTOUCHED);
                values.init(UNTOUCHED);
                // Unlike floatToRawIntBits, floatToIntBits knows one NaN only.
                layout.fill(work, tokens, key, value, (k, at, x) -> expected[k][at] = Float.floatToIntBits(x));
                work.check(launch, WriteKv.grid(maxTokens, kvHeads, headDim), tokens + " tokens");
                assertThat(rawBits(keys)).as("keys").isEqualTo(expected[0]);
                assertThat(rawBits(values)).as("values").isEqualTo(expected[1]);
            }
        }
    }

    private static int[] rawBits(FloatArray array) {
        int[] bits = new int[array.getSize()];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = Float.floatToRawIntBits(array.get(i));
        }
        return bits;
    }

    private static short f16(float x) {
        return Float.isNaN(x) ? 0x7E00 : Float.floatToFloat16(x);
    }

    private interface Put {
        /** @param part 0 for keys, 1 for values */
        void put(int part, int at, float x);
    }

    private record Layout(int kvHeads, int headDim, int blockTokens, int maxTokens) {

        int width() {
            return kvHeads * headDim;
        }

        int size() {
            return BLOCKS * blockTokens * width() + 2 * AROUND;
        }

        Workspace workspace() {
            Workspace work = new Workspace(maxTokens, 0, 2 * maxTokens * Workspace.stride(width()) + 64);
            work.layer.set(1, AROUND);
            return work;
        }

        /** Inputs, and what must come of them. */
        void fill(Workspace work, int tokens, int key, int value, Put put) {
            Random random = new Random(tokens);
            work.clear();
            work.step.set(StepLayout.TOKENS, tokens);
            for (int t = 0; t < maxTokens; t++) {
                int slot = (t * 5 + 3) % (BLOCKS * blockTokens); // in no order, and never one twice
                work.step.set(StepLayout.slot(maxTokens, t), slot);
                for (int i = 0; i < width(); i++) {
                    float k = awkward(random);
                    float v = awkward(random);
                    work.set(key + t * Workspace.stride(width()) + i, k);
                    work.set(value + t * Workspace.stride(width()) + i, v);
                    if (t < tokens) {
                        int head = i / headDim;
                        int d = i % headDim;
                        int slab = AROUND + (slot / blockTokens * kvHeads + head) * headDim * blockTokens;
                        put.put(0, slab + d * blockTokens + slot % blockTokens, k);
                        put.put(1, slab + slot % blockTokens * headDim + d, v);
                    }
                }
            }
        }

        /** Any float; mostly an f16, halfway between two or beside that, since these are what rounding is about. */
        private static float awkward(Random random) {
            int half = random.nextInt(1 << 16);
            float low = Float.float16ToFloat((short) half);
            float high = Float.float16ToFloat((short) (half + 1));
            float middle = (float) (((double) low + high) / 2);
            return switch (random.nextInt(8)) {
                case 0 -> Float.intBitsToFloat(random.nextInt());
                case 1 -> low;
                case 2, 3, 4 -> middle;
                case 5 -> Math.nextUp(middle);
                case 6 -> Math.nextDown(middle);
                default -> Math.copySign(65504f + random.nextInt(33), low);
            };
        }
    }
}
