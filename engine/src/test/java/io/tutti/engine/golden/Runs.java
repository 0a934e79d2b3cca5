package io.tutti.engine.golden;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ForwardBatch;
import io.tutti.engine.runner.ForwardSeq;
import io.tutti.engine.runner.Logits;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvBlock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Ways of running a model that tests compare. */
public final class Runs {

    private Runs() {}

    /** The host with this many threads. */
    public static Device host(int threads) {
        return Devices.all(new BackendOptions(threads)).getFirst();
    }

    public static ModelRunner load(Path dir, EngineConfig config) {
        return ModelRunner.load(dir, config, host(2), LoadProgress.NONE);
    }

    /** Logits of every token, {@code [tokens, vocab]}, the tokens going in {@code chunk} a step. */
    public static float[] logits(ModelRunner runner, int[] tokens, int chunk) {
        List<KvBlock> blocks = alloc(runner, tokens.length);
        try {
            int vocab = runner.config().vocabSize();
            float[] all = new float[tokens.length * vocab];
            for (int start = 0; start < tokens.length; start += chunk) {
                int end = Math.min(tokens.length, start + chunk);
                ForwardSeq seq = ForwardSeq.scored(Arrays.copyOfRange(tokens, start, end), start, blocks);
                float[] part = runner.forward(ForwardBatch.of(seq)).data();
                System.arraycopy(part, 0, all, start * vocab, part.length);
            }
            return all;
        } finally {
            runner.pool().release(blocks);
        }
    }

    /** Logits of every token in steps as large as the runner takes. */
    public static float[] logits(ModelRunner runner, int[] tokens) {
        return logits(runner, tokens, runner.engineConfig().maxBatchTokens());
    }

    /**
     * Requires that each sequence of a step gets the logits that it asks for.
     *
     * @param tokens at least four
     * @param rows their logits, {@code [tokens, vocab]}
     */
    public static void checkOutputs(ModelRunner runner, int[] tokens, float[] rows) {
        int vocab = runner.config().vocabSize();
        int most = tokens.length - 1;
        List<ForwardSeq> sequences = new ArrayList<>();
        for (int outputs : new int[] {0, 3, 0, most, 1}) {
            int[] part = Arrays.copyOf(tokens, most);
            sequences.add(new ForwardSeq(part, 0, alloc(runner, tokens.length), outputs));
        }
        Logits logits = runner.forward(new ForwardBatch(sequences));
        assertThat(logits.rows()).isEqualTo(3 + most + 1);
        int[] want = bits(Arrays.copyOf(rows, most * vocab));
        assertThat(bits(logits.data()))
                .isEqualTo(Stream.of(
                                Arrays.copyOfRange(want, (most - 3) * vocab, want.length),
                                want,
                                Arrays.copyOfRange(want, (most - 1) * vocab, want.length))
                        .flatMapToInt(Arrays::stream)
                        .toArray());

        // One that asked for none goes on, in a step with none and in one with its own.
        int[] last = {tokens[most]};
        for (int outputs : new int[] {0, 1}) {
            ForwardSeq next =
                    new ForwardSeq(last, most, sequences.get(2 * outputs).blocks(), outputs);
            assertThat(bits(runner.forward(ForwardBatch.of(next)).data()))
                    .isEqualTo(bits(Arrays.copyOfRange(rows, rows.length - outputs * vocab, rows.length)));
        }
        sequences.forEach(seq -> runner.pool().release(seq.blocks()));
    }

    public static List<KvBlock> alloc(ModelRunner runner, int tokens) {
        return runner.pool().alloc(ModelRunner.blocksFor(tokens, runner.blockTokens()));
    }

    public static float largest(float[] values) {
        float largest = 0;
        for (float value : values) {
            largest = Math.max(largest, Math.abs(value));
        }
        return largest;
    }

    public static float largestDifference(float[] a, float[] b) {
        float largest = 0;
        for (int i = 0; i < a.length; i++) {
            largest = Math.max(largest, Math.abs(a[i] - b[i]));
        }
        return largest;
    }

    /** The bit patterns, for comparisons that tell -0 from 0. */
    public static int[] bits(float[] values) {
        int[] bits = new int[values.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = Float.floatToRawIntBits(values[i]);
        }
        return bits;
    }

    public static int argmax(float[] row) {
        int best = 0;
        for (int i = 1; i < row.length; i++) {
            if (row[i] > row[best]) {
                best = i;
            }
        }
        return best;
    }
}
