package io.tutti.bench;

import io.tutti.engine.host.kernel.Exhaust;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How fast all cores together multiply and add: what prefill is measured against. An operation is {@value #STEPS} steps of
 * {@link Exhaust#FLOPS} floating-point operations; with vectors of 512 bits a score of 1,000 means 524 GFLOP/s.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Threads(Threads.MAX)
public class FmaPeak {

    private static final int STEPS = 1_024_000;

    @Benchmark
    public float multiplyAdd() {
        return Exhaust.multiplyAdd(STEPS);
    }
}
