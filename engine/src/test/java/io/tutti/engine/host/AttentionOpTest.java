package io.tutti.engine.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.host.AttentionOp.Partials;
import io.tutti.engine.reference.Numerics;
import io.tutti.kv.KvBlock;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvPart;
import io.tutti.kv.KvPool;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AttentionOpTest {

    private static final int HEADS = 6;
    private static final int KV_HEADS = 2;
    private static final int DIM = 10;
    private static final int BLOCK = 7;
    /** Over a segment's end, in tiles of sixteen tokens of which the last is cut short. */
    private static final int TOKENS = 299;

    /** With little room for partial results the tokens of a sequence go in several passes. */
    @ParameterizedTest
    @EnumSource(KvDtype.class)
    void theRoomForPartialResultsChangesNoBit(KvDtype dtype) {
        Random random = new Random(5);
        int blocks = Math.ceilDiv(TOKENS, BLOCK);
        KvConfig config = new KvConfig(blocks, BLOCK, 1, KV_HEADS, DIM, dtype, false, "test");
        try (KvPool pool = new KvPool(config);
                Workers workers = new Workers(2)) {
            List<KvBlock> table = pool.alloc(blocks);
            float[][] keys = new float[KV_HEADS][TOKENS * DIM];
            float[][] values = new float[KV_HEADS][TOKENS * DIM];
            fill(pool, table, KvPart.K, keys, random);
            fill(pool, table, KvPart.V, values, random);

            Buffer q = Buffer.ofTokens("q", HEADS * DIM);
            Buffer out = Buffer.ofTokens("out", HEADS * DIM);
            float[] queries = new float[TOKENS * HEADS * DIM];
            for (int i = 0; i < queries.length; i++) {
                queries[i] = (float) random.nextGaussian() * 3;
            }
            float[] want = reference(queries, keys, values);
            for (int floats : new int[] {1, 20_000, Partials.DEFAULT_FLOATS}) {
                AttentionOp op = new AttentionOp(
                        new Attention(q, HEADS, KV_HEADS, DIM, out),
                        pool.layer(0, KvPart.K),
                        pool.layer(0, KvPart.V),
                        dtype,
                        BLOCK,
                        new Partials(floats));
                Step step = new Step(workers);
                step.begin(new StepInputs(
                        new int[TOKENS],
                        IntStream.range(0, TOKENS).toArray(),
                        new int[TOKENS],
                        new int[] {0, TOKENS},
                        table.stream().mapToInt(KvBlock::index).toArray(),
                        new int[] {0, blocks},
                        new int[0]));
                System.arraycopy(queries, 0, step.data(q), 0, queries.length);
                op.run(step);
                assertThat(Runs.bits(Arrays.copyOf(step.data(out), want.length)))
                        .as("room for %d", floats)
                        .isEqualTo(Runs.bits(want));
            }
            pool.release(table);
        }
    }

    private static void fill(KvPool pool, List<KvBlock> table, KvPart part, float[][] into, Random random) {
        for (int p = 0; p < TOKENS; p++) {
            var slab = pool.slab(table.get(p / BLOCK), 0, part);
            for (int h = 0; h < KV_HEADS; h++) {
                for (int d = 0; d < DIM; d++) {
                    slab.set(h, p % BLOCK, d, (float) random.nextGaussian());
                    into[h][p * DIM + d] = slab.get(h, p % BLOCK, d);
                }
            }
        }
    }

    private static float[] reference(float[] queries, float[][] keys, float[][] values) {
        float[] out = new float[queries.length];
        for (int row = 0; row < TOKENS * HEADS; row++) {
            float[] q = Arrays.copyOfRange(queries, row * DIM, (row + 1) * DIM);
            for (int d = 0; d < DIM; d++) {
                q[d] *= Numerics.attentionScale(DIM);
            }
            int kvHead = row % HEADS / (HEADS / KV_HEADS);
            Numerics.attend(q, keys[kvHead], values[kvHead], row / HEADS + 1, out, row * DIM);
        }
        return out;
    }
}
