package io.tutti.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class SamplerPropertiesTest {
    private static final int TOKENS = 6;

    @Property(tries = 500)
    void theSamplerDoesWhatTheSpecificationSays(
            @ForAll("rows") float[] row, @ForAll("params") SamplingParams params, @ForAll long seed) {
        assertAsSpecified(row, params, seed);
    }

    @Property(tries = 10)
    void largeVocabulariesToo(
            @ForAll("longRows") float[] row, @ForAll("params") SamplingParams params, @ForAll long seed) {
        assertAsSpecified(row, params, seed);
    }

    private static void assertAsSpecified(float[] row, SamplingParams params, long seed) {
        int[] prompt = new Random(seed).ints(5, 0, row.length).toArray();
        Pcg32 rng = Streams.stream(seed, Streams.SAMPLE);
        Pcg32 naiveRng = Streams.stream(seed, Streams.SAMPLE);
        Sampler sampler = new Sampler(row.length, params, prompt, rng);
        List<Integer> output = new ArrayList<>();
        for (int t = 0; t < TOKENS; t++) {
            SampledToken expected = NaiveSampler.sample(
                    row, params, Arrays.stream(prompt).boxed().toList(), output, naiveRng);
            assertThat(sampler.nextWithLogprob(row, 0)).isEqualTo(expected);
            output.add(expected.id());
        }
        assertThat(rng.nextInt()).isEqualTo(naiveRng.nextInt());
    }

    @Property(tries = 300)
    void filtersKeepTheLikeliestAndAtLeastOne(@ForAll("rows") float[] row, @ForAll("params") SamplingParams params) {
        double temperature = params.temperature() == 0 ? 1 : params.temperature();
        double[] logits =
                IntStream.range(0, row.length).mapToDouble(i -> row[i]).toArray();
        double max = Arrays.stream(logits).max().orElseThrow();
        Candidates candidates = new SamplerWorkspace(row.length, ParallelFor.SERIAL).candidates();
        candidates.load(logits, temperature, max / temperature);
        int possible = candidates.count();
        candidates.keepTopK(Math.max(1, params.topK()));
        assertThat(candidates.count()).isEqualTo(Math.min(possible, Math.max(1, params.topK())));
        candidates.weigh();
        candidates.keepTopP(params.topP());
        candidates.keepMinP(params.minP());

        int[] kept = IntStream.range(0, candidates.count()).map(candidates::id).toArray();
        assertThat(kept).isNotEmpty().isSorted().doesNotHaveDuplicates();
        int likeliest = IntStream.range(0, row.length)
                .filter(i -> logits[i] == max)
                .findFirst()
                .orElseThrow();
        assertThat(kept).contains(likeliest);
        assertThat(candidates.draw(0)).isEqualTo(firstOfPositiveWeight(kept, logits, max, temperature));
        assertThat(candidates.draw(1)).isEqualTo(kept[kept.length - 1]);
    }

    private static int firstOfPositiveWeight(int[] kept, double[] logits, double max, double temperature) {
        return Arrays.stream(kept)
                .filter(i -> CorrectlyRounded.exp(logits[i] / temperature - max / temperature) > 0)
                .findFirst()
                .orElseThrow();
    }

    /** Rows with many ties, rows without, and impossible tokens between. */
    @Provide
    Arbitrary<float[]> rows() {
        Arbitrary<Float> logits = Arbitraries.oneOf(
                Arbitraries.of(-2f, -0.5f, -0f, 0f, 0.5f, 2f, Float.NEGATIVE_INFINITY),
                Arbitraries.randomValue(random -> 4 * (float) random.nextGaussian()));
        return logits.array(float[].class)
                .ofMinSize(1)
                .ofMaxSize(30)
                .filter(row -> IntStream.range(0, row.length).anyMatch(i -> row[i] > Float.NEGATIVE_INFINITY));
    }

    @Provide
    Arbitrary<float[]> longRows() {
        return Arbitraries.randomValue(random -> {
            float[] row = new float[2000];
            float scale = 1 << random.nextInt(4);
            for (int i = 0; i < row.length; i++) {
                row[i] = scale * (float) random.nextGaussian();
            }
            return row;
        });
    }

    @Provide
    Arbitrary<SamplingParams> params() {
        return Combinators.combine(
                        Arbitraries.of(0.0, 1e-4, 0.3, 1.0, 1.7, 1e4),
                        Arbitraries.of(0, 0, 1, 2, 7, 25, 1000),
                        Arbitraries.of(1.0, 1.0, 1e-9, 0.25, 0.5, 0.9, 0.999, Math.nextDown(1.0)),
                        Arbitraries.of(0.0, 0.0, 1e-3, 0.1, 0.5, 1.0),
                        Arbitraries.of(1.0, 1.0, 0.7, 1.3),
                        Arbitraries.of(0.0, 0.0, -0.4, 0.6),
                        Arbitraries.of(0.0, 0.0, -0.2, 0.3))
                .as(SamplingParams::new);
    }
}
