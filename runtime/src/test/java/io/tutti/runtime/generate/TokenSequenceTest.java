package io.tutti.runtime.generate;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.golden.Golden;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ForwardBatch;
import io.tutti.engine.runner.ForwardSeq;
import io.tutti.engine.runner.Logits;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvBlock;
import io.tutti.sample.ParallelFor;
import io.tutti.sample.SampledToken;
import io.tutti.sample.SamplerWorkspace;
import io.tutti.sample.SamplingParams;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sequence chooses the same tokens however a scheduler runs it. */
class TokenSequenceTest {

    private static final SamplingParams SAMPLED = new SamplingParams(0.9, 40, 0.95, 0, 1.1, 0.1, 0.1);
    private static final int NEW_TOKENS = 9;

    private ModelRunner runner;
    private SamplerWorkspace workspace;

    @BeforeEach
    void load() {
        runner = Runs.load(
                new Golden.Model("tiny-llama").dir(),
                EngineConfig.defaults().withMaxSeqs(5).withKvBlocks(64));
        workspace = new SamplerWorkspace(runner.config().vocabSize(), ParallelFor.SERIAL);
    }

    @AfterEach
    void close() {
        runner.close();
    }

    private static GenerationRequest request(int number) {
        int[] prompt = IntStream.range(0, 3 + 11 * number)
                .map(i -> (7 * i + number) % 256)
                .toArray();
        SamplingParams sampling = number % 2 == 0 ? SAMPLED : SamplingParams.greedy();
        return new GenerationRequest(
                prompt, NEW_TOKENS, sampling, number, Stops.NONE, number != 1, Integer.MAX_VALUE, false);
    }

    @Test
    void aPromptIsRunInParts() {
        TokenSequence sequence = new TokenSequence(request(1), workspace, 2); // 14 tokens
        assertThat(sequence.position()).isEqualTo(2);
        assertThat(sequence.next(5)).isEqualTo(Arrays.copyOfRange(request(1).prompt(), 2, 7));
        assertThat(sequence.outputs(5)).isZero();
        assertThat(sequence.next(100)).hasSize(12);
        assertThat(sequence.outputs(12)).isOne();
        assertThat(sequence.isInPrompt()).isTrue();
    }

    @Test
    void sequencesInOneBatchChooseWhatEachChoosesAlone() {
        List<Running> together = new ArrayList<>();
        for (int number = 0; number < 5; number++) {
            together.add(new Running(number));
        }
        Random random = new Random(1);
        while (together.stream().anyMatch(Running::isUnfinished)) {
            List<Running> batch = new ArrayList<>(together.stream()
                    .filter(Running::isUnfinished)
                    .filter(_ -> random.nextInt(4) > 0)
                    .toList());
            Collections.shuffle(batch, random);
            if (!batch.isEmpty()) {
                step(batch, 1 + random.nextInt(9));
            }
        }
        for (int number = 0; number < 5; number++) {
            GenerationResult alone = new Generator(runner, Optional.empty(), ParallelFor.SERIAL)
                    .generate(request(number), GenerationListener.NONE, () -> false);
            List<SampledToken> chosen = together.get(number).chosen;
            assertThat(chosen.stream().mapToInt(SampledToken::id).toArray()).isEqualTo(alone.tokens());
            if (request(number).logprobs()) {
                assertThat(chosen.stream().mapToDouble(SampledToken::logprob).toArray())
                        .isEqualTo(alone.logprobs());
            }
            runner.pool().release(together.get(number).blocks);
        }
    }

    private void step(List<Running> batch, int chunk) {
        List<ForwardSeq> parts = batch.stream().map(one -> one.part(chunk)).toList();
        Logits logits = runner.forward(new ForwardBatch(parts));
        int row = 0;
        for (int i = 0; i < batch.size(); i++) {
            batch.get(i).ran(parts.get(i), logits, row);
            row += parts.get(i).outputs();
        }
    }

    /** A sequence with its blocks. */
    private final class Running {
        private final TokenSequence sequence;
        private final List<KvBlock> blocks;
        private final List<SampledToken> chosen = new ArrayList<>();

        Running(int number) {
            sequence = new TokenSequence(request(number), workspace, 0);
            blocks = Runs.alloc(runner, request(number).prompt().length + NEW_TOKENS);
        }

        boolean isUnfinished() {
            return chosen.size() < NEW_TOKENS;
        }

        ForwardSeq part(int chunk) {
            int[] tokens = sequence.next(chunk);
            return new ForwardSeq(tokens, sequence.position(), blocks, sequence.outputs(tokens.length));
        }

        void ran(ForwardSeq part, Logits logits, int row) {
            sequence.ran(part.tokens().length, logits, row).ifPresent(chosen::add);
        }
    }
}
