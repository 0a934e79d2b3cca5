package io.tutti.tornado;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ForwardBatch;
import io.tutti.engine.runner.ForwardSeq;
import io.tutti.engine.runner.Logits;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.BlockHash;
import io.tutti.kv.KvBlock;
import io.tutti.kv.KvDtype;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** On the device, too, the same tokens give the same bits, however they are put into steps, blocks and batches. */
@ParameterizedClass
@CsvSource({
    "mqa-bf16-tied, F16, 16",
    "tiny-llama, F32, 5",
    "mistral-long-window-f16, F16, 16",
    "qwen3-biases-yarn-bf16, F32, 5"
})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InvarianceOnDeviceTest {

    @Parameter(0)
    private String name;

    @Parameter(1)
    private KvDtype kv;

    @Parameter(2)
    private int blockTokens;

    private int[] tokens;
    private ModelRunner host;
    private ModelRunner device;

    @BeforeParameterizedClassInvocation
    void load() {
        Model model = new Model(name);
        tokens = model.prompts().getLast().tokens();
        EngineConfig config = EngineConfig.defaults()
                .withKvDtype(kv)
                .withBlockTokens(blockTokens)
                .withMaxBatchTokens(800)
                .withKvBlocks(200);
        host = Runs.load(model.dir(), config);
        device = OnDevice.load(model.dir(), config);
    }

    @AfterParameterizedClassInvocation
    void close() {
        device.close();
        host.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 800})
    void chunksChangeNoBit(int chunk) {
        int[] want = Runs.bits(Runs.logits(host, tokens));
        assertThat(Runs.bits(Runs.logits(device, tokens, chunk))).isEqualTo(want);
    }

    @Test
    void sequencesOfUnlikeLengthsInOneStepHaveTheBitsThatEachHasAlone() {
        int[] lengths = {tokens.length, 1, 5, tokens.length / 2, 2};
        int[] starts = {tokens.length - 3, 0, 2, 0, 1};
        List<ForwardSeq> sequences = new ArrayList<>();
        List<int[]> alone = new ArrayList<>();
        for (int s = 0; s < lengths.length; s++) {
            int[] own = rotated(s, lengths[s]);
            alone.add(Runs.bits(lastRow(Runs.logits(host, own))));
            List<KvBlock> blocks = new ArrayList<>(Runs.alloc(device, own.length));
            Collections.shuffle(blocks, new Random(s));
            if (starts[s] > 0) {
                device.forward(ForwardBatch.of(new ForwardSeq(Arrays.copyOf(own, starts[s]), 0, blocks)));
            }
            sequences.add(new ForwardSeq(Arrays.copyOfRange(own, starts[s], own.length), starts[s], blocks));
        }
        Logits together = device.forward(new ForwardBatch(sequences));
        for (int s = 0; s < lengths.length; s++) {
            assertThat(Runs.bits(together.row(s))).as("sequence %d", s).isEqualTo(alone.get(s));
        }
        sequences.forEach(seq -> device.pool().release(seq.blocks()));
    }

    @Test
    void eachSequenceOfAStepGetsTheLogitsThatItAsksFor() {
        int[] few = Arrays.copyOf(tokens, 7);
        Runs.checkOutputs(device, few, Runs.logits(host, few));
    }

    @Test
    void aPrefixComputedEarlierGivesTheBitsOfOneComputedAnew() {
        int prefix = 2 * blockTokens;
        List<KvBlock> computed = Runs.alloc(device, prefix);
        device.forward(ForwardBatch.of(new ForwardSeq(Arrays.copyOf(tokens, prefix), 0, computed)));
        BlockHash hash = device.pool().root();
        for (int b = 0; b < computed.size(); b++) {
            hash = BlockHash.chain(hash, tokens, b * blockTokens, (b + 1) * blockTokens);
            device.pool().register(computed.get(b), hash);
        }
        device.pool().release(computed);

        List<KvBlock> blocks = new ArrayList<>(device.pool().lookupPrefix(Arrays.copyOf(tokens, prefix + 1)));
        assertThat(blocks).hasSize(2);
        blocks.addAll(device.pool().alloc(ModelRunner.blocksFor(tokens.length, blockTokens) - 2));
        int[] rest = Arrays.copyOfRange(tokens, prefix, tokens.length);
        float[] got = device.forward(ForwardBatch.of(new ForwardSeq(rest, prefix, blocks)))
                .data();
        device.pool().release(blocks);
        assertThat(Runs.bits(got)).isEqualTo(Runs.bits(lastRow(Runs.logits(host, tokens))));
    }

    /** Other tokens of the same model: {@code length} of them, from place {@code by} on, around the end. */
    private int[] rotated(int by, int length) {
        int[] out = new int[length];
        for (int i = 0; i < length; i++) {
            out[i] = tokens[(i + by) % tokens.length];
        }
        return out;
    }

    private float[] lastRow(float[] logits) {
        return Arrays.copyOfRange(logits, logits.length - host.config().vocabSize(), logits.length);
    }
}
