package io.tutti.tornado.kernel;

import io.tutti.engine.graph.Op;
import io.tutti.engine.numerics.Numerics;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;

/**
 * Both halves of attention, over contexts of one to three segments whose blocks lie in no order, and windows that begin
 * anywhere: keys and values before them are no numbers, and would spoil what they came into.
 */
final class AttentionChecks {

    private static final int MAX_TOKENS = 5;
    private static final int CAPACITY = 3;

    /** Of the tokens; the last two share a sequence's table. */
    private static final int[] POSITIONS = {0, 599, 256, 254, 255};

    private static final int[] SEQUENCES = {0, 1, 2, 3, 3};
    private static final int WHOLE = Op.Attention.WHOLE_CONTEXT;

    private AttentionChecks() {}

    static Stream<Check> all() {
        return Stream.of(
                f16("full, heads of 64", new Shape(4, 2, 64, WHOLE, 16, 0), Tables.FULL),
                f16("compact, heads of 33", new Shape(6, 2, 33, WHOLE, 12, 7), Tables.COMPACT),
                Check.large(
                        "attention f16 full, heads of 300",
                        r -> new Shape(2, 2, 300, WHOLE, 7, 33).f16(r, Tables.FULL)),
                f32("heads of 1", new Shape(3, 1, 1, WHOLE, 1, 5), Tables.FULL),
                f32("heads of 129", new Shape(2, 1, 129, WHOLE, 256, 0), Tables.COMPACT),
                f32("a window of 1", new Shape(2, 1, 20, 1, 256, 0), Tables.COMPACT),
                f16("a window of 3", new Shape(3, 1, 33, 3, 1, 5), Tables.FULL),
                f16("a window of 255", new Shape(2, 2, 8, 255, 7, 33), Tables.COMPACT),
                f16("a window of 256", new Shape(6, 2, 16, 256, 12, 7), Tables.FULL),
                f32("a window of 257", new Shape(5, 1, 24, 257, 16, 0), Tables.FULL),
                f16("a window of 599", new Shape(2, 1, 8, 599, 16, 0), Tables.FULL));
    }

    private static Check f16(String name, Shape shape, int form) {
        return new Check("attention f16, " + name, r -> shape.f16(r, form));
    }

    private static Check f32(String name, Shape shape, int form) {
        return new Check("attention f32, " + name, r -> shape.f32(r, form));
    }

    /** @param layerAt elements of the cache ahead of the layer */
    private record Shape(int heads, int kvHeads, int headDim, int window, int blockTokens, int layerAt) {

        void f16(KernelRunner runner, int compact) {
            Setup setup = new Setup(this);
            ShortArray keys = new ShortArray(setup.cacheSize());
            ShortArray values = new ShortArray(setup.cacheSize());
            for (int i = 0; i < keys.getSize(); i++) {
                keys.set(i, Float.floatToFloat16(setup.cache[0][i]));
                values.set(i, Float.floatToFloat16(setup.cache[1][i]));
            }
            Workspace work = setup.work;
            FloatArray tables = Tables.make(compact);
            setup.check(
                    runner,
                    tables,
                    new TaskPackage(
                            "attend",
                            Attention::f16,
                            work.context,
                            work.step,
                            work.layer,
                            work.launches,
                            work.values,
                            keys,
                            values,
                            tables,
                            Numerics.attentionScale(headDim),
                            heads,
                            kvHeads,
                            headDim,
                            window,
                            blockTokens,
                            MAX_TOKENS,
                            CAPACITY,
                            setup.query,
                            setup.stride,
                            setup.partial,
                            work.task));
        }

        void f32(KernelRunner runner, int compact) {
            Setup setup = new Setup(this);
            FloatArray keys = FloatArray.fromArray(setup.cache[0]);
            FloatArray values = FloatArray.fromArray(setup.cache[1]);
            Workspace work = setup.work;
            FloatArray tables = Tables.make(compact);
            setup.check(
                    runner,
                    tables,
                    new TaskPackage(
                            "attend",
                            Attention::f32,
                            work.context,
                            work.step,
                            work.layer,
                            work.launches,
                            work.values,
                            keys,
                            values,
                            tables,
                            Numerics.attentionScale(headDim),
                            heads,
                            kvHeads,
                            headDim,
                            window,
                            blockTokens,
                            MAX_TOKENS,
                            CAPACITY,
                            setup.query,
                            setup.stride,
                            setup.partial,
                            work.task));
        }
    }

    /** Queries and a cache, f32 of f16s. */
    private static final class Setup {
        final Shape shape;
        final Workspace work;
        final int stride;
        final int query;
        final int out;
        final int partial;
        final int blocksEach;
        final float[][] cache = new float[2][]; // keys [block][kvHead][headDim][B], values [block][kvHead][B][headDim]
        final int[][] tables; // [sequence][block]

        Setup(Shape shape) {
            this.shape = shape;
            int width = shape.heads * shape.headDim;
            stride = Workspace.stride(width);
            int partials = (int) Attention.partialSize(MAX_TOKENS, shape.heads, shape.headDim, CAPACITY);
            blocksEach = Math.ceilDiv(600, shape.blockTokens);
            int sequences = 4;
            work = new Workspace(MAX_TOKENS, sequences * blocksEach, 2 * MAX_TOKENS * stride + partials + 64);
            query = work.view(MAX_TOKENS, width);
            out = work.view(MAX_TOKENS, width);
            partial = work.view(1, partials);
            Random random = new Random(shape.headDim);
            tables = new int[sequences][blocksEach];
            List<Integer> blocks =
                    IntStream.range(0, sequences * blocksEach).boxed().collect(Collectors.toList());
            Collections.shuffle(blocks, random);
            for (int i = 0; i < blocks.size(); i++) {
                tables[i / blocksEach][i % blocksEach] = blocks.get(i);
            }
            for (int part = 0; part < 2; part++) {
                cache[part] = new float[cacheSize()];
                for (int i = 0; i < cacheSize(); i++) {
                    cache[part][i] = Float.float16ToFloat(Float.floatToFloat16(random.nextFloat() * 2 - 1));
                }
            }
            work.layer.set(1, shape.layerAt);
            for (int t = 0; t < MAX_TOKENS; t++) {
                // A later token of the same sequence sees no less.
                if (t == 0 || SEQUENCES[t] != SEQUENCES[t - 1]) {
                    spoil(SEQUENCES[t], firstVisible(t));
                }
            }
        }

        private int firstVisible(int t) {
            return Math.max(0, POSITIONS[t] - shape.window + 1);
        }

        /** Makes all keys and values of a sequence's first positions what must not come into a sum. */
        private void spoil(int sequence, int positions) {
            for (int p = 0; p < positions; p++) {
                for (int h = 0; h < shape.kvHeads; h++) {
                    int slab = slab(sequence, h, p);
                    int place = p % shape.blockTokens;
                    for (int i = 0; i < shape.headDim; i++) {
                        cache[0][slab + i * shape.blockTokens + place] = Float.NaN;
                        cache[1][slab + place * shape.headDim + i] = Float.POSITIVE_INFINITY;
                    }
                }
            }
        }

        /** Where a head's part of the block with a sequence's position begins. */
        private int slab(int sequence, int kvHead, int position) {
            int block = tables[sequence][position / shape.blockTokens];
            return shape.layerAt + (block * shape.kvHeads + kvHead) * shape.headDim * shape.blockTokens;
        }

        int cacheSize() {
            return shape.layerAt + 4 * blocksEach * shape.blockTokens * shape.kvHeads * shape.headDim;
        }

        void check(KernelRunner runner, FloatArray constants, TaskPackage attend) {
            TaskPackage combine = new TaskPackage(
                    "combine",
                    AttentionCombine::heads,
                    work.context,
                    work.step,
                    work.launches,
                    work.values,
                    constants,
                    shape.heads,
                    shape.headDim,
                    shape.window,
                    MAX_TOKENS,
                    CAPACITY,
                    partial,
                    out,
                    stride,
                    work.task);
            try (KernelRunner.Launch first = runner.prepare(attend);
                    KernelRunner.Launch second = runner.prepare(combine)) {
                for (int tokens : new int[] {MAX_TOKENS, 1}) {
                    fill(tokens);
                    int segments = tokens == 1 ? 1 : CAPACITY;
                    work.run(first, Attention.grid(MAX_TOKENS, shape.heads, segments));
                    expectPartials(tokens);
                    work.check(
                            second, AttentionCombine.grid(MAX_TOKENS, shape.heads, shape.headDim), tokens + " tokens");
                }
            }
        }

        private void fill(int tokens) {
            Random random = new Random(tokens);
            work.clear();
            work.step.set(StepLayout.TOKENS, tokens);
            for (int t = 0; t < MAX_TOKENS; t++) {
                work.step.set(StepLayout.position(MAX_TOKENS, t), POSITIONS[t]);
                work.step.set(StepLayout.table(MAX_TOKENS, t), SEQUENCES[t] * blocksEach);
                float[] row = new float[shape.heads * shape.headDim];
                for (int i = 0; i < row.length; i++) {
                    row[i] = (random.nextFloat() * 2 - 1) * (i < shape.headDim ? 20 : 1);
                }
                if (t == 2) {
                    row[row.length - 1] = Float.NaN; // spoils one head of one token only
                }
                work.set(query + t * stride, row);
                for (int h = 0; h < shape.heads && t < tokens; h++) {
                    attend(t, h, row);
                }
            }
            for (int s = 0; s < tables.length; s++) {
                for (int b = 0; b < blocksEach; b++) {
                    work.step.set(StepLayout.block(MAX_TOKENS, s * blocksEach + b), tables[s][b]);
                }
            }
        }

        private void attend(int t, int h, float[] queries) {
            int d = shape.headDim;
            int n = POSITIONS[t] + 1;
            float scale = Numerics.attentionScale(d);
            float[] scaled = new float[d];
            for (int i = 0; i < d; i++) {
                scaled[i] = queries[h * d + i] * scale;
            }
            float[] keys = new float[n * d];
            float[] values = new float[n * d];
            int kvHead = h / (shape.heads / shape.kvHeads);
            for (int p = 0; p < n; p++) {
                int place = p % shape.blockTokens;
                int slab = slab(SEQUENCES[t], kvHead, p);
                for (int i = 0; i < d; i++) {
                    keys[p * d + i] = cache[0][slab + i * shape.blockTokens + place];
                    values[p * d + i] = cache[1][slab + place * d + i];
                }
            }
            Numerics.attend(scaled, keys, values, firstVisible(t), n, work.expected, out + t * stride + h * d);
        }

        /** Takes over what there is for the segments that tokens see, and expects all others untouched. */
        private void expectPartials(int tokens) {
            int size = shape.headDim + 2;
            for (int t = 0; t < tokens; t++) {
                for (int h = 0; h < shape.heads; h++) {
                    int at = partial + (t * shape.heads + h) * CAPACITY * size;
                    int first = firstVisible(t) / Numerics.SEGMENT * size;
                    int end = (POSITIONS[t] / Numerics.SEGMENT + 1) * size;
                    for (int i = at + first; i < at + end; i++) {
                        work.expected[i] = work.values.get(i);
                    }
                }
            }
        }
    }
}
