package io.tutti.engine.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.golden.Golden.Prompt;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.reference.ReferenceDevice;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.EngineException;
import io.tutti.engine.runner.ForwardBatch;
import io.tutti.engine.runner.ForwardSeq;
import io.tutti.engine.runner.Logits;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvBlock;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** int4 models whose linear layers take their input in int8. */
class Int8ActivationsModelTest {

    private static final Model INT4 = new Model("tiny-int4");
    private static final EngineConfig INT8 = EngineConfig.defaults().withActivations(Activations.INT8);

    @ParameterizedTest
    @EnumSource(KvDtype.class)
    void int8LogitsEqualTheNumericsSpecificationBitForBit(KvDtype kv) {
        for (Device device : List.of(Runs.host(2), new ReferenceDevice())) {
            try (ModelRunner runner = ModelRunner.load(INT4.dir(), INT8.withKvDtype(kv), device, LoadProgress.NONE)) {
                for (Prompt prompt : INT4.prompts()) {
                    String name = "p%d.logits_%s_int8"
                            .formatted(prompt.index(), kv.name().toLowerCase(Locale.ROOT));
                    assertThat(Runs.bits(Runs.logits(runner, prompt.tokens())))
                            .as("%s, %s", device.name(), name)
                            .isEqualTo(Runs.bits(INT4.reference(name)));
                }
            }
        }
    }

    @Test
    void quantizingAtLoadEqualsTheFile() {
        int[] tokens = longest();
        try (ModelRunner file = Runs.load(INT4.dir(), INT8);
                ModelRunner atLoad = Runs.load(new Model("tiny-int4-f32").dir(), INT8.withQuantGroup(16));
                ModelRunner reference = ModelRunner.load(
                        new Model("tiny-int4-f32").dir(),
                        INT8.withQuantGroup(16),
                        new ReferenceDevice(),
                        LoadProgress.NONE)) {
            int[] got = Runs.bits(Runs.logits(atLoad, tokens));
            assertThat(got).isEqualTo(Runs.bits(Runs.logits(reference, tokens)));
            assertThat(got).isNotEqualTo(Runs.bits(Runs.logits(file, tokens)));
        }
    }

    @Test
    void stepsAndThreadsChangeNoBitOfInt8() {
        int[] tokens = longest();
        int[] want = null;
        for (int threads : new int[] {1, 2, 5}) {
            try (ModelRunner runner = ModelRunner.load(INT4.dir(), INT8, Runs.host(threads), LoadProgress.NONE)) {
                for (int chunk : new int[] {1, 3, 7, 16, 250}) {
                    int[] got = Runs.bits(Runs.logits(runner, tokens, chunk));
                    want = want == null ? got : want;
                    assertThat(got)
                            .as("%d threads, %d tokens a step", threads, chunk)
                            .isEqualTo(want);
                }
            }
        }
    }

    @Test
    void aRowOfInt8DoesNotDependOnItsBatch() {
        int[] tokens = longest();
        int vocab;
        try (ModelRunner runner = Runs.load(INT4.dir(), INT8)) {
            vocab = runner.config().vocabSize();
            List<ForwardSeq> sequences = new ArrayList<>();
            for (int n : new int[] {tokens.length, 1, 5}) {
                List<KvBlock> blocks = Runs.alloc(runner, n);
                sequences.add(new ForwardSeq(Arrays.copyOf(tokens, n), 0, blocks));
            }
            Logits together = runner.forward(new ForwardBatch(sequences));
            float[] alone = Runs.logits(runner, tokens);
            for (int s = 0; s < sequences.size(); s++) {
                int last = sequences.get(s).tokens().length - 1;
                assertThat(Runs.bits(together.row(s)))
                        .isEqualTo(Runs.bits(Arrays.copyOfRange(alone, last * vocab, (last + 1) * vocab)));
                runner.pool().release(sequences.get(s).blocks());
            }
        }
    }

    @Test
    void keysAndValuesOfInt8AreNotThoseOfF32() {
        try (ModelRunner int8 = Runs.load(INT4.dir(), INT8);
                ModelRunner f32 = Runs.load(INT4.dir(), EngineConfig.defaults())) {
            List<KvBlock> blocks = Runs.alloc(int8, 3);
            int8.forward(ForwardBatch.of(new ForwardSeq(new int[] {1, 2, 3}, 0, blocks)));
            byte[] envelope = int8.pool().exportBlocks(blocks);
            assertThatThrownBy(() -> f32.pool().importBlocks(envelope)).isInstanceOf(KvException.class);
            int8.pool().release(int8.pool().importBlocks(envelope));
            int8.pool().release(blocks);
        }
    }

    @Test
    void int8NeedsInt4Weights() {
        for (String name : new String[] {"tiny-llama", "bigram"}) {
            assertThatThrownBy(() -> Runs.load(new Model(name).dir(), INT8))
                    .isInstanceOf(EngineException.class)
                    .hasMessageStartingWith("--activations is int8, but no weights of ")
                    .hasMessageContaining(name)
                    .hasMessageContaining("--quant int4:G");
        }
    }

    private static int[] longest() {
        return INT4.prompts().getLast().tokens();
    }
}
