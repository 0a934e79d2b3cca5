package io.tutti.bench;

import io.tutti.engine.parallel.Workers;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * What it costs to hand a task to all cores and wait for the last of them: a token of a model does so a few hundred times. An
 * operation is one hand-over; {@code microseconds} is what each of its indices works.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class WorkersBarrier {

    /** A token's cost in {@link Blackhole#consumeCPU} is about this many a microsecond. */
    private static final int TOKENS_PER_MICROSECOND = 500;

    /** The team. */
    @State(Scope.Benchmark)
    public static class Team {
        @Param({"0", "1", "10"})
        private int microseconds;

        private Workers workers;

        @Setup
        public void start() {
            workers = new Workers(Runtime.getRuntime().availableProcessors());
        }

        @TearDown
        public void end() {
            workers.close();
        }
    }

    @Benchmark
    public void forEach(Team team) {
        long tokens = (long) team.microseconds * TOKENS_PER_MICROSECOND;
        team.workers.forEach(team.workers.count(), (i, worker) -> Blackhole.consumeCPU(tokens));
    }
}
