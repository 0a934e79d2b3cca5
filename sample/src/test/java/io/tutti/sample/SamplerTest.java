package io.tutti.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SamplerTest {
    private static final SamplingParams GREEDY = SamplingParams.greedy();
    private static final SamplingParams TEMPERATURE_1 = GREEDY.withTemperature(1);
    private static final int[] NONE = {};
    private static final float INF = Float.POSITIVE_INFINITY;

    private static Pcg32 rng(long seed) {
        return Streams.stream(seed, Streams.SAMPLE);
    }

    private static float[] row(double... logits) {
        float[] row = new float[logits.length];
        for (int i = 0; i < row.length; i++) {
            row[i] = (float) logits[i];
        }
        return row;
    }

    /** The distinct ids of 300 draws from one row, ascending. */
    private static int[] drawn(SamplingParams params, float... row) {
        return IntStream.range(0, 300)
                .map(seed -> Sampler.sample(row, params, NONE, NONE, rng(seed)).id())
                .sorted()
                .distinct()
                .toArray();
    }

    @Test
    void handExampleSampling() {
        float[] logits = row(1, 3, 2, 3, -1);
        SamplingParams params = TEMPERATURE_1.withTopK(3).withTopP(0.8);

        assertThat(Streams.childSeed(0, Streams.SAMPLE)).isEqualTo(0xF88BB8A8724C81ECL);
        assertThat(rng(0).nextDouble()).isEqualTo(0.80209, within(5e-6));
        SampledToken token = Sampler.sample(logits, params, NONE, NONE, rng(0));
        assertThat(token.id()).isEqualTo(3);
        assertThat(token.logprob()).isEqualTo(-0.92487, within(5e-6));
        assertThat(drawn(params, logits)).containsExactly(1, 3);
    }

    @Test
    void greedyTakesNoDrawAndSamplingTakesOne() {
        float[] logits = row(0.5, 2, -1, 2);
        Pcg32 rng = rng(5);
        Pcg32 untouched = rng(5);
        assertThat(Sampler.sample(logits, GREEDY, NONE, NONE, rng).id()).isEqualTo(1);
        new Sampler(4, GREEDY, NONE, rng).next(logits, 0);
        assertThat(rng.nextInt()).isEqualTo(untouched.nextInt());

        for (SamplingParams params : List.of(
                TEMPERATURE_1,
                TEMPERATURE_1.withTopK(1),
                TEMPERATURE_1.withTopP(1e-9).withMinP(1))) {
            Pcg32 used = rng(6);
            Pcg32 drawnOnce = rng(6);
            Sampler.sample(logits, params, NONE, NONE, used);
            drawnOnce.nextDouble();
            assertThat(used.nextInt()).isEqualTo(drawnOnce.nextInt());
        }
    }

    @Test
    void topPKeepsTheCrossingToken() {
        float[] equal = row(0, 0, 0, 0);
        assertThat(drawn(TEMPERATURE_1.withTopP(0.5), equal)).containsExactly(0, 1);
        assertThat(drawn(TEMPERATURE_1.withTopP(Math.nextUp(0.5)), equal)).containsExactly(0, 1, 2);
        assertThat(drawn(TEMPERATURE_1.withTopP(1e-12), row(1, 2, 2))).containsExactly(1);
    }

    @Test
    void topPNextTo1KeepsEverythingThatCounts() {
        float[] logits = row(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6);
        assertThat(drawn(TEMPERATURE_1.withTopP(Math.nextDown(1.0)), logits)).containsExactly(0, 1, 2, 3, 4, 5, 6);
    }

    @Test
    void penaltiesFollowHfAndOpenaiSemantics() {
        float[] logits = row(2, -2, 3, 0.5);
        int[] prompt = {0, 1, 0};
        int[] output = {2, 2};

        assertLogprobs(logits, GREEDY.withRepetitionPenalty(2), prompt, output, 1, -4, 1.5, 0.5);
        assertLogprobs(logits, GREEDY.withPresencePenalty(0.25), prompt, output, 2, -2, 2.75, 0.5);
        assertLogprobs(logits, GREEDY.withFrequencyPenalty(0.25), prompt, output, 2, -2, 2.5, 0.5);
        assertLogprobs(
                logits,
                GREEDY.withRepetitionPenalty(2).withPresencePenalty(0.5).withFrequencyPenalty(0.25),
                prompt,
                output,
                1,
                -4,
                0.5,
                0.5);
        assertLogprobs(logits, GREEDY.withRepetitionPenalty(2), new int[] {2}, output, 2, -2, 1.5, 0.5);
    }

    /** Whatever is drawn has the logprob that it has under the penalized logits. */
    private static void assertLogprobs(
            float[] logits, SamplingParams params, int[] prompt, int[] output, double... penalized) {
        double z = Arrays.stream(penalized).map(Math::exp).sum();
        boolean[] met = new boolean[logits.length];
        for (int seed = 0; seed < 200; seed++) {
            SampledToken token = Sampler.sample(logits, params.withTemperature(1e4), prompt, output, rng(seed));
            assertThat(token.logprob()).isEqualTo(penalized[token.id()] - Math.log(z), within(1e-14));
            met[token.id()] = true;
        }
        assertThat(met).containsOnly(true);
    }

    @Test
    void seededSamplingMatchesTheDistribution() {
        double[] probabilities = {0.4, 0.3, 0.2, 0.1};
        float[] logits = row(Arrays.stream(probabilities).map(Math::log).toArray());
        int draws = 4000;

        Sampler sampler = new Sampler(4, TEMPERATURE_1, NONE, rng(2024));
        int[] ids = IntStream.range(0, draws).map(i -> sampler.next(logits, 0)).toArray();
        double chiSquare = 0;
        for (int id = 0; id < probabilities.length; id++) {
            int wanted = id;
            double expected = draws * probabilities[id];
            double off = Arrays.stream(ids).filter(i -> i == wanted).count() - expected;
            chiSquare += off * off / expected;
        }
        assertThat(chiSquare).as("chi-square, 3 degrees of freedom, 0.1 %%").isLessThan(16.27);

        Sampler again = new Sampler(4, TEMPERATURE_1, NONE, rng(2024));
        assertThat(IntStream.range(0, draws).map(i -> again.next(logits, 0)).toArray())
                .isEqualTo(ids);
    }

    @Test
    void tokensChosenJoinTheOutput() {
        float[] logits = row(1, 0.9, 0.8);
        Sampler sampler = new Sampler(3, GREEDY.withPresencePenalty(5), NONE, rng(0));
        assertThat(new int[] {sampler.next(logits, 0), sampler.next(logits, 0), sampler.next(logits, 0)})
                .containsExactly(0, 1, 2);
    }

    @Test
    void aResumedRequestGoesOnAsIfNeverInterrupted() {
        float[] logits = row(1, 0.9, 0.8, 0.7);
        SamplingParams params = GREEDY.withFrequencyPenalty(0.15).withRepetitionPenalty(1.1);
        Sampler whole = new Sampler(4, params, new int[] {3}, rng(0));
        Sampler resumed = new Sampler(4, params, new int[] {3}, rng(0));
        for (int i = 0; i < 5; i++) {
            resumed.addOutput(whole.next(logits, 0));
        }
        for (int i = 0; i < 5; i++) {
            assertThat(resumed.nextWithLogprob(logits, 0)).isEqualTo(whole.nextWithLogprob(logits, 0));
        }
    }

    @Test
    void aRowCanBeAnywhereInItsArrayAndIsNotChanged() {
        float[] logits = row(9, 9, 1, 3, 2, 9);
        float[] before = logits.clone();
        SamplingParams params = GREEDY.withRepetitionPenalty(1.5);
        SampledToken inside = new Sampler(3, params, new int[] {0}, rng(0)).nextWithLogprob(logits, 2);
        assertThat(inside).isEqualTo(Sampler.sample(row(1, 3, 2), params, new int[] {0}, NONE, rng(0)));
        assertThat(logits).isEqualTo(before);
    }

    @Test
    void aSharedWorkspaceAndThreadsChangeNothing() {
        ParallelFor reversedPieces = (length, body) -> {
            for (int to = length; to > 0; to -= 3) {
                body.run(Math.max(0, to - 3), to);
            }
        };
        SamplerWorkspace workspace = new SamplerWorkspace(8, reversedPieces);
        SamplingParams hot = new SamplingParams(1.5, 6, 0.9, 0.05, 1.2, 0.1, 0.1);
        Sampler first = new Sampler(workspace, hot, new int[] {1}, rng(1));
        Sampler second = new Sampler(workspace, GREEDY, NONE, rng(2));
        Sampler alone = new Sampler(8, hot, new int[] {1}, rng(1));
        float[] logits = row(1, 0.5, 0.25, 2, -1, -0.5, 1.5, 0);
        for (int i = 0; i < 20; i++) {
            assertThat(first.nextWithLogprob(logits, 0)).isEqualTo(alone.nextWithLogprob(logits, 0));
            assertThat(second.nextWithLogprob(logits, 0)).isEqualTo(Sampler.sample(logits, GREEDY, NONE, NONE, rng(0)));
        }
    }

    @Test
    void theLongestHistoriesAreCounted() {
        int vocab = 500;
        float[] logits = new float[vocab];
        int[] prompt = IntStream.range(0, vocab - 1).toArray();
        assertThat(new Sampler(vocab, GREEDY.withRepetitionPenalty(2).withPresencePenalty(1), prompt, rng(0))
                        .next(logits, 0))
                .isEqualTo(0);
        Arrays.fill(logits, 1);
        assertThat(new Sampler(vocab, GREEDY.withRepetitionPenalty(2), prompt, rng(0)).next(logits, 0))
                .isEqualTo(vocab - 1);
    }

    @Test
    void aLogitOfMinusInfinityIsNeverChosen() {
        assertThat(drawn(GREEDY.withTemperature(1e4), -INF, 0, -INF, -5, -INF)).containsExactly(1, 3);
        assertThat(Sampler.sample(row(-INF, -1e30), GREEDY, NONE, NONE, rng(0))).isEqualTo(new SampledToken(1, 0));
    }

    @Test
    void refusesNanAndInfinity() {
        assertRefused(GREEDY, "the logit of token 1 is NaN; accepted: a finite number or -Infinity", 0, Float.NaN);
        assertRefused(
                TEMPERATURE_1, "the logit of token 2 is Infinity; accepted: a finite number or -Infinity", 0, 1, INF);
    }

    @Test
    void refusesARowOfNothingButMinusInfinity() {
        assertRefused(GREEDY, "every logit is -Infinity; accepted: at least one finite number", -INF, -INF);
        assertRefused(TEMPERATURE_1, "every logit is -Infinity; accepted: at least one finite number", -INF);
    }

    @Test
    void refusesPenaltiesAndTemperaturesThatOverflow() {
        float[] logits = row(3e38, 1);
        assertThatThrownBy(
                        () -> Sampler.sample(logits, GREEDY.withRepetitionPenalty(1e-300), new int[] {0}, NONE, rng(0)))
                .isInstanceOf(InvalidLogitsException.class)
                .hasMessage(
                        "with repetition-penalty 1.0E-300: the logit of token 0 is Infinity; accepted: a finite number or"
                                + " -Infinity");
        assertThatThrownBy(() ->
                        Sampler.sample(row(1.0), GREEDY.withFrequencyPenalty(1e308), NONE, new int[] {0, 0}, rng(0)))
                .isInstanceOf(InvalidLogitsException.class)
                .hasMessage(
                        "with frequency-penalty 1.0E308: every logit is -Infinity; accepted: at least one finite number");
        assertThatThrownBy(() -> Sampler.sample(
                        logits, GREEDY.withTemperature(1e-4).withPresencePenalty(-1e307), NONE, new int[] {0}, rng(0)))
                .isInstanceOf(InvalidLogitsException.class)
                .hasMessage(
                        "with presence-penalty -1.0E307, temperature 1.0E-4: the largest logit, 1.0E307, divided by the"
                                + " temperature is Infinity; accepted: a finite number");
    }

    private static void assertRefused(SamplingParams params, String message, float... logits) {
        Pcg32 rng = rng(3);
        Sampler sampler = new Sampler(logits.length, params.withPresencePenalty(1), NONE, rng);
        assertThatThrownBy(() -> sampler.next(logits, 0))
                .isInstanceOf(InvalidLogitsException.class)
                .hasMessage(message);
        assertThat(rng.nextInt()).as("no draw taken").isEqualTo(rng(3).nextInt());
    }

    @Test
    void refusesARowThatItsArrayDoesNotHold() {
        Sampler sampler = new Sampler(3, GREEDY, NONE, rng(0));
        assertThatThrownBy(() -> sampler.next(new float[4], 2)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void refusesIdsOutsideTheVocabulary() {
        assertThatThrownBy(() -> new Sampler(4, GREEDY, new int[] {0, 4}, rng(0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("token id is 4; accepted: 0 to 3, the vocabulary");
        Sampler sampler = new Sampler(4, GREEDY, new int[] {0, 3}, rng(0));
        assertThatThrownBy(() -> sampler.addOutput(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("token id is -1; accepted: 0 to 3, the vocabulary");
    }

    @Test
    void refusesAnEmptyVocabulary() {
        assertThatThrownBy(() -> Sampler.sample(new float[0], GREEDY, NONE, NONE, rng(0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("vocabulary size is 0; accepted: 1 and more");
    }
}
