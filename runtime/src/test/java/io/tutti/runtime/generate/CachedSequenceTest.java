package io.tutti.runtime.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.engine.golden.Golden;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.EngineException;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvException;
import io.tutti.runtime.generate.GenerationResult.Finish;
import io.tutti.sample.ParallelFor;
import io.tutti.sample.SamplingParams;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is in the cache is not computed again, and no bit tells that it was not. */
class CachedSequenceTest {

    private static final Golden.Model TINY = new Golden.Model("tiny-llama");
    private static final int BLOCK_TOKENS = 8;
    private static final int[] FIRST =
            IntStream.range(0, 27).map(i -> 7 * i + 3).toArray();
    private static final int NEW_TOKENS = 11;
    /** The first prompt and its answer but for the last token, which is never run. */
    private static final int CACHED = FIRST.length + NEW_TOKENS - 1;

    private static final SamplingParams SAMPLED = new SamplingParams(0.9, 40, 0.95, 0, 1.1, 0.1, 0.1);

    private static ModelRunner load(KvDtype kv, int blocks) {
        return Runs.load(
                TINY.dir(),
                EngineConfig.defaults()
                        .withKvDtype(kv)
                        .withBlockTokens(BLOCK_TOKENS)
                        .withKvBlocks(blocks));
    }

    private static GenerationRequest request(int[] prompt) {
        return new GenerationRequest(prompt, NEW_TOKENS, SAMPLED, 5, Stops.NONE, true, 6, false);
    }

    private static GenerationResult run(ModelRunner runner, int[] prompt, CachedSequence sequence) {
        return generator(runner, sequence).generate(request(prompt), GenerationListener.NONE, () -> false);
    }

    private static Generator generator(ModelRunner runner, CachedSequence sequence) {
        return new Generator(new RunnerTokens(runner, sequence, ParallelFor.SERIAL), Optional.empty());
    }

    private static GenerationResult fresh(ModelRunner runner, int[] prompt) {
        try (CachedSequence none = new CachedSequence(runner)) {
            return run(runner, prompt, none);
        }
    }

    @ParameterizedTest
    @EnumSource(KvDtype.class)
    void everyNextPromptGivesTheBitsOfAFreshRun(KvDtype kv) {
        try (ModelRunner runner = load(kv, 64)) {
            int[] conversation = concat(FIRST, fresh(runner, FIRST).tokens());
            int[] more = {9, 8, 7, 6, 5};

            assertReused(runner, concat(conversation, more), CACHED); // extends it
            assertReused(runner, concat(FIRST, more), FIRST.length); // answers differ
            assertReused(runner, changed(conversation, 0), 0);
            assertReused(runner, changed(conversation, 1), 1);
            assertReused(runner, changed(conversation, 2 * BLOCK_TOKENS - 1), 2 * BLOCK_TOKENS - 1);
            assertReused(runner, changed(conversation, 2 * BLOCK_TOKENS), 2 * BLOCK_TOKENS);
            assertReused(runner, changed(conversation, 2 * BLOCK_TOKENS + 3), 2 * BLOCK_TOKENS + 3);
            assertReused(runner, changed(conversation, CACHED - 1), CACHED - 1);
            assertReused(runner, Arrays.copyOf(conversation, CACHED), CACHED - 1); // equals it
            assertReused(runner, FIRST, FIRST.length - 1);
            assertReused(runner, Arrays.copyOf(FIRST, BLOCK_TOKENS), BLOCK_TOKENS - 1);
            assertReused(runner, Arrays.copyOf(FIRST, BLOCK_TOKENS + 1), BLOCK_TOKENS);
            assertReused(runner, new int[] {FIRST[0]}, 0);
        }
    }

    private static void assertReused(ModelRunner runner, int[] prompt, int reused) {
        GenerationResult want = fresh(runner, prompt);
        try (CachedSequence sequence = new CachedSequence(runner)) {
            run(runner, FIRST, sequence);
            assertThat(sequence.length()).isEqualTo(CACHED);

            GenerationResult got = run(runner, prompt, sequence);

            assertThat(got.reused()).isEqualTo(reused);
            assertThat(got.tokens()).isEqualTo(want.tokens());
            assertThat(got.logprobs()).isEqualTo(want.logprobs());
            assertThat(sequence.length()).isEqualTo(prompt.length + NEW_TOKENS - 1);
            assertThat(runner.pool().used()).isEqualTo(ModelRunner.blocksFor(sequence.length(), BLOCK_TOKENS));
        }
        assertThat(runner.pool().used()).isZero();
    }

    @Test
    void onlyWhatIsNewIsComputed() {
        try (ModelRunner runner = load(KvDtype.F16, 64);
                CachedSequence sequence = new CachedSequence(runner)) {
            int[] conversation = concat(FIRST, run(runner, FIRST, sequence).tokens());
            List<Integer> steps = new ArrayList<>();
            GenerationListener listener = new GenerationListener() {
                @Override
                public void prefilled(int tokens, int of) {
                    steps.add(tokens);
                }
            };
            generator(runner, sequence)
                    .generate(request(concat(conversation, new int[] {1, 2, 3, 4, 5, 6, 7})), listener, () -> false);
            assertThat(steps).containsExactly(CACHED + 6, CACHED + 8); // chunks of 6, after what is there
        }
    }

    @Test
    void aPromptThatWasStoppedIsTakenUpWhereItWas() {
        try (ModelRunner runner = load(KvDtype.F16, 64);
                CachedSequence sequence = new CachedSequence(runner)) {
            AtomicInteger steps = new AtomicInteger();
            GenerationResult stopped = generator(runner, sequence)
                    .generate(request(FIRST), GenerationListener.NONE, () -> steps.incrementAndGet() > 2);
            assertThat(stopped.finish()).isEqualTo(Finish.CANCELLED);
            assertThat(sequence.length()).isEqualTo(12);

            GenerationResult again = run(runner, FIRST, sequence);
            assertThat(again.reused()).isEqualTo(12);
            assertThat(again.logprobs()).isEqualTo(fresh(runner, FIRST).logprobs());
        }
    }

    @Test
    void aRefusedPromptOrAFullCacheLeavesTheSequenceOfUse() {
        try (ModelRunner runner = load(KvDtype.F16, ModelRunner.blocksFor(CACHED, BLOCK_TOKENS));
                CachedSequence sequence = new CachedSequence(runner)) {
            GenerationResult want = run(runner, FIRST, sequence);
            assertThatThrownBy(() -> run(runner, new int[] {FIRST[0], -1}, sequence))
                    .isInstanceOf(EngineException.class);
            assertThatThrownBy(() -> run(runner, new int[10_000], sequence)).isInstanceOf(EngineException.class);
            assertThat(sequence.length()).isEqualTo(CACHED);
            assertThatThrownBy(() -> run(runner, concat(FIRST, FIRST), sequence))
                    .isInstanceOf(KvException.Exhausted.class);

            assertThat(run(runner, FIRST, sequence).logprobs()).isEqualTo(want.logprobs());
        }
    }

    private static int[] concat(int[] a, int[] b) {
        return IntStream.concat(Arrays.stream(a), Arrays.stream(b)).toArray();
    }

    private static int[] changed(int[] tokens, int at) {
        int[] copy = tokens.clone();
        copy[at] ^= 1;
        return copy;
    }
}
