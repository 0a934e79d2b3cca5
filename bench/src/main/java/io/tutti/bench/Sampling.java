package io.tutti.bench;

import io.tutti.sample.ParallelFor;
import io.tutti.sample.Pcg32;
import io.tutti.sample.Sampler;
import io.tutti.sample.SamplerWorkspace;
import io.tutti.sample.SamplingParams;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Choosing a token on one core. An operation is a row of {@value #VOCABULARY} logits. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class Sampling {

    private static final int VOCABULARY = 49_152;

    /** A row, and a sampler of each kind. */
    @State(Scope.Thread)
    public static class Row {
        private final float[] logits = new float[VOCABULARY];
        private final Sampler greedy = sampler(SamplingParams.greedy());
        private final Sampler nucleus =
                sampler(SamplingParams.greedy().withTemperature(0.8).withTopP(0.95));

        @Setup
        public void fill() {
            Random random = new Random(1);
            for (int i = 0; i < logits.length; i++) {
                logits[i] = (float) (3 * random.nextGaussian());
            }
        }

        private static Sampler sampler(SamplingParams params) {
            SamplerWorkspace workspace = new SamplerWorkspace(VOCABULARY, ParallelFor.SERIAL);
            return new Sampler(workspace, params, new int[0], new Pcg32(1, 0));
        }
    }

    @Benchmark
    public int greedy(Row row) {
        return row.greedy.next(row.logits, 0);
    }

    @Benchmark
    public int nucleus(Row row) {
        return row.nucleus.next(row.logits, 0);
    }
}
