package io.tutti.engine.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.numerics.Numerics;
import io.tutti.engine.parallel.Workers;
import io.tutti.kv.KvBlock;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvPart;
import io.tutti.kv.KvPool;
import io.tutti.kv.KvSlab;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Attention over whole steps, against {@link Numerics#attend} over the keys and values that the cache holds. */
class AttentionOpTest {

    /** A sequence of a step: the tokens before it, and its own. */
    private record Sequence(int before, int tokens) {
        int length() {
            return before + tokens;
        }
    }

    private static final Sequence DECODE = new Sequence(530, 1);
    private static final Sequence PROMPT = new Sequence(0, 37);
    /** Over two segments' ends, in tiles of which the last is cut short. */
    private static final Sequence CONTINUED = new Sequence(250, 270);

    private final Random random = new Random(5);
    private int threads = 2;
    private int room = AttentionWork.DEFAULT_FLOATS;
    private int window = Attention.WHOLE_CONTEXT;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7, 8})
    void equalsTheReferenceForAnyNumberOfHeadsThatShareAKvHead(int group) {
        for (Sequence sequence : List.of(DECODE, PROMPT, CONTINUED)) {
            check(new KvConfig(40, 16, 1, 2, 24, KvDtype.F16, false, "test"), group, sequence);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 10, 64, 80, 128, 300})
    void equalsTheReferenceForAnySizeOfHead(int headDim) {
        check(new KvConfig(40, 16, 1, 1, headDim, KvDtype.F16, false, "test"), 3, new Sequence(300, 5));
        check(new KvConfig(40, 7, 1, 2, headDim, KvDtype.F32, false, "test"), 2, PROMPT);
    }

    @ParameterizedTest
    @CsvSource({
        "1, F16",
        "5, F16",
        "16, F16",
        "32, F16",
        "48, F16",
        "600, F16",
        "1, F32",
        "7, F32",
        "16, F32",
        "32, F32"
    })
    void equalsTheReferenceForAnySizeOfBlock(int blockTokens, KvDtype dtype) {
        check(new KvConfig(1200 / blockTokens + 2, blockTokens, 1, 2, 20, dtype, false, "test"), 3, DECODE, CONTINUED);
    }

    @ParameterizedTest
    @EnumSource(KvDtype.class)
    void theRoomForPartialResultsChangesNoBit(KvDtype dtype) {
        for (int floats : new int[] {1, 3_000, 20_000}) {
            room = floats;
            check(new KvConfig(200, 7, 1, 2, 10, dtype, false, "test"), 3, CONTINUED, DECODE, PROMPT);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 31, 32, 33, 45, 64, 65, 255, 256, 257, 300, 519, 520, 10_000})
    void equalsTheReferenceForAnyWindow(int positions) {
        window = positions;
        for (int group : new int[] {1, 2, 3}) {
            check(new KvConfig(40, 16, 1, 2, 24, KvDtype.F16, false, "test"), group, DECODE);
            check(new KvConfig(40, 16, 1, 2, 24, KvDtype.F16, false, "test"), group, PROMPT);
            check(new KvConfig(200, 7, 1, 1, 10, KvDtype.F32, false, "test"), group, CONTINUED, DECODE);
        }
        room = 3_000;
        check(new KvConfig(200, 7, 1, 2, 10, KvDtype.F16, false, "test"), 3, CONTINUED, DECODE, PROMPT);
    }

    @ParameterizedTest
    @CsvSource({"F16, NaN", "F16, Infinity", "F32, -Infinity"})
    void whatIsNotFiniteBeforeTheWindowReachesNoQuery(KvDtype dtype, float value) {
        window = 45;
        for (KvPart part : KvPart.values()) {
            for (int position : new int[] {0, 17, 200, 230, 255, 256, 260}) {
                check(
                        new KvConfig(40, 16, 1, 2, 20, dtype, false, "test"),
                        3,
                        (pool, table) ->
                                pool.slab(table.get(position / 16), 0, part).set(1, position % 16, 7, value),
                        new Sequence(250, 70));
            }
        }
    }

    @Test
    void sequencesOfAllLengthsGoInOneStep() {
        Sequence[] sequences = new Sequence[16];
        for (int i = 0; i < sequences.length; i++) {
            sequences[i] = new Sequence(i * 53, i % 5 == 4 ? 20 : 1);
        }
        check(new KvConfig(600, 16, 1, 3, 16, KvDtype.F16, false, "test"), 3, sequences);
    }

    @Test
    void manyThreadsShareAStepsSequencesSegmentsAndHeads() {
        threads = 64;
        for (int repeat = 0; repeat < 10; repeat++) {
            check(new KvConfig(120, 16, 1, 2, 16, KvDtype.F16, false, "test"), 4, DECODE, CONTINUED, PROMPT, DECODE);
        }
    }

    @ParameterizedTest
    @CsvSource({"F16, NaN", "F16, Infinity", "F16, -Infinity", "F32, NaN", "F32, Infinity", "F32, -Infinity"})
    void whatIsNotFiniteInTheCacheReachesEveryQueryThatSeesItAndNoOther(KvDtype dtype, float value) {
        for (KvPart part : KvPart.values()) {
            for (int position : new int[] {0, 17, 260}) {
                check(
                        new KvConfig(40, 16, 1, 2, 20, dtype, false, "test"),
                        3,
                        (pool, table) ->
                                pool.slab(table.get(position / 16), 0, part).set(1, position % 16, 7, value),
                        new Sequence(10, 290));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {128, 256, 512})
    void equalsTheReferenceAtEveryVectorWidth(int bits) throws ReflectiveOperationException {
        Class<?> steps = new Vectors(bits).loadClass(SomeSteps.class.getName());
        assertThat(steps).isNotEqualTo(SomeSteps.class);
        ((Runnable) steps.getConstructor().newInstance()).run();
    }

    /** For another class loader. */
    public static final class SomeSteps implements Runnable {
        @Override
        public void run() {
            for (int headDim : new int[] {10, 24, 64}) {
                for (int blockTokens : new int[] {7, 16, 32}) {
                    KvConfig config = new KvConfig(100, blockTokens, 1, 2, headDim, KvDtype.F16, false, "test");
                    for (int window : new int[] {Attention.WHOLE_CONTEXT, 47}) {
                        AttentionOpTest test = new AttentionOpTest();
                        test.window = window;
                        test.check(config, 3, new Sequence(300, 1), new Sequence(0, 9), new Sequence(250, 60));
                    }
                }
            }
        }
    }

    /** Changes what the cache holds of the first sequence. */
    private interface Change {
        void apply(KvPool pool, List<KvBlock> table);
    }

    private void check(KvConfig config, int group, Sequence... sequences) {
        check(config, group, (pool, table) -> {}, sequences);
    }

    private void check(KvConfig config, int group, Change change, Sequence... sequences) {
        int heads = config.kvHeads() * group;
        int headDim = config.headDim();
        int block = config.blockTokens();
        try (KvPool pool = new KvPool(config);
                Workers workers = new Workers(threads)) {
            int[] starts = new int[sequences.length + 1];
            int[] tableStarts = new int[sequences.length + 1];
            for (int s = 0; s < sequences.length; s++) {
                starts[s + 1] = starts[s] + sequences[s].tokens();
                tableStarts[s + 1] = tableStarts[s] + Math.ceilDiv(sequences[s].length(), block);
            }
            int tokens = starts[sequences.length];
            List<KvBlock> table = pool.alloc(tableStarts[sequences.length]);
            for (KvBlock b : table) {
                for (KvPart part : KvPart.values()) {
                    fill(pool.slab(b, 0, part), config);
                }
            }
            change.apply(pool, table);

            Buffer q = Buffer.ofTokens("q", heads * headDim);
            Buffer out = Buffer.ofTokens("out", heads * headDim);
            Step step = new Step(workers);
            int[] positions = new int[tokens];
            for (int s = 0; s < sequences.length; s++) {
                for (int t = starts[s]; t < starts[s + 1]; t++) {
                    positions[t] = sequences[s].before() + t - starts[s];
                }
            }
            step.begin(new StepInputs(
                    new int[tokens],
                    positions,
                    new int[tokens],
                    starts,
                    table.stream().mapToInt(KvBlock::index).toArray(),
                    tableStarts,
                    new int[0]));
            float[] queries = step.data(q);
            for (int i = 0; i < tokens * heads * headDim; i++) {
                queries[i] = (float) random.nextGaussian() * 3;
            }
            new AttentionOp(
                            new Attention(q, heads, config.kvHeads(), headDim, window, out),
                            LayerCache.of(pool, 0),
                            new AttentionWork(room))
                    .run(step);

            float[] want = new float[tokens * heads * headDim];
            for (int s = 0; s < sequences.length; s++) {
                List<KvBlock> blocks = table.subList(tableStarts[s], tableStarts[s + 1]);
                for (int kvHead = 0; kvHead < config.kvHeads(); kvHead++) {
                    float[] keys = read(pool, config, blocks, KvPart.K, kvHead, sequences[s].length());
                    float[] values = read(pool, config, blocks, KvPart.V, kvHead, sequences[s].length());
                    for (int t = starts[s]; t < starts[s + 1]; t++) {
                        for (int h = kvHead * group; h < (kvHead + 1) * group; h++) {
                            int at = (t * heads + h) * headDim;
                            float[] row = Arrays.copyOfRange(queries, at, at + headDim);
                            for (int d = 0; d < headDim; d++) {
                                row[d] *= Numerics.attentionScale(headDim);
                            }
                            int from = Math.max(0, positions[t] + 1 - window);
                            Numerics.attend(row, keys, values, from, positions[t] + 1, want, at);
                        }
                    }
                }
            }
            assertThat(bits(Arrays.copyOf(step.data(out), want.length)))
                    .as("%d heads of %d, window %d, %s, %s", heads, headDim, window, config, Arrays.toString(sequences))
                    .isEqualTo(bits(want));
            pool.release(table);
        }
    }

    private void fill(KvSlab slab, KvConfig config) {
        for (int h = 0; h < config.kvHeads(); h++) {
            for (int p = 0; p < config.blockTokens(); p++) {
                for (int d = 0; d < config.headDim(); d++) {
                    // One in sixteen is subnormal as f16.
                    slab.set(h, p, d, (float) random.nextGaussian() * (random.nextInt(16) == 0 ? 1e-6f : 1f));
                }
            }
        }
    }

    private static float[] read(
            KvPool pool, KvConfig config, List<KvBlock> table, KvPart part, int kvHead, int positions) {
        float[] out = new float[positions * config.headDim()];
        for (int p = 0; p < positions; p++) {
            KvSlab slab = pool.slab(table.get(p / config.blockTokens()), 0, part);
            for (int d = 0; d < config.headDim(); d++) {
                out[p * config.headDim() + d] = slab.get(kvHead, p % config.blockTokens(), d);
            }
        }
        return out;
    }

    /** Bits, of which every NaN has the same. */
    private static int[] bits(float[] values) {
        return IntStream.range(0, values.length)
                .map(i -> Float.floatToIntBits(values[i]))
                .toArray();
    }
}
