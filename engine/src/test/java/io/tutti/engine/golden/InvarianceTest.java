package io.tutti.engine.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ForwardBatch;
import io.tutti.engine.runner.ForwardSeq;
import io.tutti.engine.runner.Logits;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvBlock;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The same tokens give the same bits, however they are put into steps, blocks, batches and threads. */
class InvarianceTest {

    private static final int[] CHUNKS = {1, 3, 7, 16, 250};

    @ParameterizedTest
    @MethodSource("io.tutti.engine.golden.Golden#models")
    void incrementalDecodeEqualsFullPrefill(Model model) {
        for (KvDtype kv : KvDtype.values()) {
            EngineConfig config = EngineConfig.defaults()
                    .withKvDtype(kv)
                    .withMaxBatchTokens(600)
                    .withPrefixCache(false);
            try (ModelRunner runner = Runs.load(model.dir(), config)) {
                int[] tokens = longest(model);
                int[] whole = Runs.bits(Runs.logits(runner, tokens));
                for (int chunk : CHUNKS) {
                    assertThat(Runs.bits(Runs.logits(runner, tokens, chunk)))
                            .as("%s cache, %d tokens a step", kv, chunk)
                            .isEqualTo(whole);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.tutti.engine.golden.Golden#models")
    void batchedForwardEqualsSingle(Model model) {
        try (ModelRunner runner = Runs.load(
                model.dir(), EngineConfig.defaults().withMaxBatchTokens(1000).withKvBlocks(200))) {
            int[] tokens = longest(model);
            int[] lengths = {tokens.length, 1, 5, tokens.length / 2, 2};
            int[] starts = {tokens.length - 3, 0, 2, 0, 1};
            List<ForwardSeq> sequences = new ArrayList<>();
            List<int[]> alone = new ArrayList<>();
            for (int s = 0; s < lengths.length; s++) {
                int[] own = rotated(tokens, s, lengths[s]);
                float[] all = Runs.logits(runner, own);
                alone.add(Runs.bits(lastRow(all, runner)));
                List<KvBlock> blocks = Runs.alloc(runner, own.length);
                if (starts[s] > 0) {
                    runner.forward(ForwardBatch.of(new ForwardSeq(Arrays.copyOf(own, starts[s]), 0, blocks)));
                }
                sequences.add(new ForwardSeq(Arrays.copyOfRange(own, starts[s], own.length), starts[s], blocks));
            }
            Logits together = runner.forward(new ForwardBatch(sequences));
            for (int s = 0; s < lengths.length; s++) {
                assertThat(Runs.bits(together.row(s))).as("sequence %d", s).isEqualTo(alone.get(s));
            }
            sequences.forEach(seq -> runner.pool().release(seq.blocks()));
        }
    }

    @ParameterizedTest
    @MethodSource("io.tutti.engine.golden.Golden#models")
    void eachSequenceOfAStepGetsTheLogitsThatItAsksFor(Model model) {
        int[] tokens = Arrays.copyOf(longest(model), 7);
        try (ModelRunner runner = Runs.load(model.dir(), EngineConfig.defaults().withKvBlocks(20))) {
            Runs.checkOutputs(runner, tokens, Runs.logits(runner, tokens));
        }
    }

    @ParameterizedTest
    @MethodSource("io.tutti.engine.golden.Golden#models")
    void threadsChangeNoBit(Model model) {
        int[] tokens = longest(model);
        int[] want = null;
        for (int threads : new int[] {1, 2, 5}) {
            try (ModelRunner runner =
                    ModelRunner.load(model.dir(), EngineConfig.defaults(), Runs.host(threads), LoadProgress.NONE)) {
                int[] got = Runs.bits(Runs.logits(runner, tokens));
                want = want == null ? got : want;
                assertThat(got).as("%d threads", threads).isEqualTo(want);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.tutti.engine.golden.Golden#llamas")
    void blocksOfAnySizeInAnyOrderChangeNoBit(Model model) {
        int[] tokens = longest(model);
        int[] want = null;
        for (int blockTokens : new int[] {16, 1, 3, 37, 1024}) {
            EngineConfig config = EngineConfig.defaults()
                    .withBlockTokens(blockTokens)
                    .withKvBlocks(ModelRunner.blocksFor(tokens.length, blockTokens) + 3);
            try (ModelRunner runner = Runs.load(model.dir(), config)) {
                List<KvBlock> blocks = new ArrayList<>(Runs.alloc(runner, tokens.length));
                Collections.shuffle(blocks, new Random(blockTokens));
                List<int[]> rows = new ArrayList<>();
                for (int start = 0; start < tokens.length; start += 100) {
                    int[] chunk = Arrays.copyOfRange(tokens, start, Math.min(tokens.length, start + 100));
                    rows.add(Runs.bits(runner.forward(ForwardBatch.of(new ForwardSeq(chunk, start, blocks)))
                            .data()));
                }
                int[] got = rows.stream().flatMapToInt(Arrays::stream).toArray();
                want = want == null ? got : want;
                assertThat(got).as("blocks of %d", blockTokens).isEqualTo(want);
                runner.pool().release(blocks);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(KvDtype.class)
    void aSequenceGoesOnFromAnExportedCacheWithTheSameBits(KvDtype kv) {
        Model model = new Model("tiny-llama");
        EngineConfig config = EngineConfig.defaults().withKvDtype(kv);
        int[] tokens = longest(model);
        int half = tokens.length / 2;
        try (ModelRunner first = Runs.load(model.dir(), config);
                ModelRunner second = Runs.load(model.dir(), config)) {
            float[] want = lastRow(Runs.logits(first, tokens), first);

            List<KvBlock> blocks = Runs.alloc(first, half);
            first.forward(ForwardBatch.of(new ForwardSeq(Arrays.copyOf(tokens, half), 0, blocks)));
            byte[] envelope = first.pool().exportBlocks(blocks);
            first.pool().release(blocks);

            second.pool().alloc(5).forEach(second.pool()::release); // so that indices differ
            List<KvBlock> imported = new ArrayList<>(second.pool().importBlocks(envelope));
            int more = ModelRunner.blocksFor(tokens.length, second.blockTokens()) - imported.size();
            imported.addAll(second.pool().alloc(more));
            int[] rest = Arrays.copyOfRange(tokens, half, tokens.length);
            float[] got = second.forward(ForwardBatch.of(new ForwardSeq(rest, half, imported)))
                    .data();
            second.pool().release(imported);
            assertThat(Runs.bits(got)).isEqualTo(Runs.bits(want));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "mistral-window-bf16, '\"sliding_window\": 7', '\"sliding_window\": 9'",
        "yarn-rope-f32, '\"factor\": 4.0', '\"factor\": 5.0'",
        "llama3-rope-bf16, '\"factor\": 8.0', '\"factor\": 16.0'"
    })
    void keysAndValuesOfAnotherWindowOrOtherPositionsAreNotTaken(
            String name, String said, String other, @TempDir Path changed) throws IOException {
        Path dir = new Model(name).dir();
        Files.copy(dir.resolve("model.safetensors"), changed.resolve("model.safetensors"));
        String config = Files.readString(dir.resolve("config.json"));
        assertThat(config).contains(said);
        Files.writeString(changed.resolve("config.json"), config.replace(said, other));
        try (ModelRunner first = Runs.load(dir, EngineConfig.defaults());
                ModelRunner second = Runs.load(changed, EngineConfig.defaults())) {
            List<KvBlock> blocks = Runs.alloc(first, 3);
            first.forward(ForwardBatch.of(new ForwardSeq(new int[] {1, 2, 3}, 0, blocks)));
            byte[] envelope = first.pool().exportBlocks(blocks);
            assertThatThrownBy(() -> second.pool().importBlocks(envelope)).isInstanceOf(KvException.class);
            first.pool().release(blocks);
        }
    }

    private static int[] longest(Model model) {
        return model.prompts().getLast().tokens();
    }

    /** Other tokens of the same model: {@code length} of them, from place {@code by} on, around the end. */
    private static int[] rotated(int[] tokens, int by, int length) {
        int[] out = new int[length];
        for (int i = 0; i < length; i++) {
            out[i] = tokens[(i + by) % tokens.length];
        }
        return out;
    }

    private static float[] lastRow(float[] logits, ModelRunner runner) {
        return Arrays.copyOfRange(logits, logits.length - runner.config().vocabSize(), logits.length);
    }
}
