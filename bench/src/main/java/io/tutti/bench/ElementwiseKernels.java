package io.tutti.bench;

import io.tutti.engine.host.kernel.Elementwise;
import java.util.Arrays;
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
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** The kernels of one row, on all cores. An operation is a row of {@value #WIDTH} numbers. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Threads(Threads.MAX)
public class ElementwiseKernels {

    private static final int WIDTH = 2048;

    /** One thread's rows. */
    @State(Scope.Thread)
    public static class Rows {
        private final float[] x = new float[WIDTH];
        private final float[] y = new float[WIDTH];
        private final float[] out = new float[WIDTH];
        private final float[] exponentials = new float[WIDTH];

        @Setup
        public void fill() {
            Random random = new Random(1);
            for (int i = 0; i < WIDTH; i++) {
                x[i] = (float) random.nextGaussian();
                y[i] = (float) random.nextGaussian();
            }
        }
    }

    /** Of zeros each time, since what it leaves is what it takes. */
    @Benchmark
    public float[] exp(Rows r) {
        Arrays.fill(r.out, 0f);
        Elementwise.expShifted(r.out, 0, WIDTH, 1f);
        return r.out;
    }

    @Benchmark
    public float[] swiGlu(Rows r) {
        Elementwise.swiGlu(r.x, 0, r.y, 0, r.out, 0, WIDTH, r.exponentials);
        return r.out;
    }

    @Benchmark
    public float[] scaleRow(Rows r) {
        Elementwise.scaleRow(r.x, 0, 0.5f, r.y, r.out, 0, WIDTH);
        return r.out;
    }

    @Benchmark
    public float[] add(Rows r) {
        Elementwise.add(r.out, 0, r.y, 0, WIDTH);
        return r.out;
    }
}
