package io.tutti.engine.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.host.kernel.Exhaust;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import jdk.incubator.vector.FloatVector;
import org.junit.jupiter.api.Test;

class ProcessorLimitsTest {

    @Test
    void everyByteIsRead() {
        try (Arena arena = Arena.ofConfined()) {
            long bytes = 3L * Exhaust.READ_UNIT;
            MemorySegment data = arena.allocate(bytes + 2L * Exhaust.READ_UNIT, 64);
            Random random = new Random(7);
            for (long i = 0; i < data.byteSize() / Long.BYTES; i++) {
                data.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextLong());
            }
            long expected = 0;
            for (long at = Exhaust.READ_UNIT; at < Exhaust.READ_UNIT + bytes; at += Long.BYTES) {
                expected ^= data.get(ValueLayout.JAVA_LONG, at);
            }
            assertThat(Exhaust.read(data, Exhaust.READ_UNIT, bytes)).isEqualTo(expected);
        }
    }

    @Test
    void everyChainTakesEveryStep() {
        // A chain's lane grows by a half a step.
        float chains = Exhaust.multiplyAdd(12) - Exhaust.multiplyAdd(10);
        assertThat(Exhaust.FLOPS).isEqualTo(Math.round(2 * chains * FloatVector.SPECIES_PREFERRED.length()));
        assertThat(chains).isGreaterThanOrEqualTo(12);
    }

    @Test
    void bothLimitsAreMeasuredByAnyNumberOfThreads() {
        for (int threads : new int[] {1, 3}) {
            try (ProcessorLimits limits = new ProcessorLimits(threads, 0.01)) {
                assertThat(limits.readBytesPerSecond()).isPositive().isFinite();
                assertThat(limits.flopsPerSecond()).isPositive().isFinite();
            }
        }
    }
}
