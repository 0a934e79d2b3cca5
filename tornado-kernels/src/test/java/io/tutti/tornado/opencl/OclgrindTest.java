package io.tutti.tornado.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.tornado.kernel.Grid;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Oclgrind as we drive it runs sound kernels without a word, and reports each kind of fault that it is there for. */
class OclgrindTest {

    private static final int GROUP = 8;
    private static final int ITEMS = 2 * GROUP;

    /** A sound kernel in TornadoVM's form: element i becomes the sum of it and its neighbour in the work-group. */
    private static final String SOUND = """
            __kernel void shift(__global long *_kernel_context, __constant uchar *_constant_region, \
            __local uchar *_local_region, __global int *_atomics, __global uchar *data, __private int n)
            {
              __local int shared[8];
              int lane = get_local_id(0);
              ulong at = ((ulong) data) + 16L + ((long) get_global_id(0) << 2);
              shared[lane] = *((__global int *) at);
              barrier(CLK_LOCAL_MEM_FENCE);
              int neighbour = shared[(lane + 1) & 7];
              *((__global int *) at) = shared[lane] + neighbour + n;
            }
            """;

    private Oclgrind oclgrind;

    @BeforeEach
    void start() {
        oclgrind = Oclgrind.startOrSkip();
    }

    @AfterEach
    void stop() {
        if (oclgrind != null) {
            oclgrind.close();
        }
    }

    @Test
    void aSoundKernelComputesWithoutAReport() {
        int[] numbers = run(SOUND);

        assertThat(numbers).startsWith(0 + 1 + 100, 1 + 2 + 100).endsWith(14 + 15 + 100, 15 + 8 + 100);
        assertThat(oclgrind.messages()).isEmpty();
    }

    @Test
    void aWriteBeyondABufferIsReported() {
        run(planted("*((__global int *) at) =", "*((__global int *) (at + 4)) ="));

        assertThat(oclgrind.messages()).contains("Invalid write of size 4", "global memory");
    }

    @Test
    void aReadAheadOfABufferIsReported() {
        run(planted("shared[lane] = *((__global int *) at);", "shared[lane] = *((__global int *) (at - 20));"));

        assertThat(oclgrind.messages()).contains("Invalid read of size 4", "global memory");
    }

    @Test
    void aWriteBeyondLocalMemoryIsReported() {
        run(planted("shared[lane] = *", "shared[lane + 1] = *"));

        assertThat(oclgrind.messages()).contains("Invalid write of size 4", "local memory");
    }

    @Test
    void aRaceInLocalMemoryIsReported() {
        run(planted("barrier(CLK_LOCAL_MEM_FENCE);", ""));

        assertThat(oclgrind.messages()).contains("data race", "local memory");
    }

    @Test
    void aRaceInGlobalMemoryIsReportedEvenOfEqualWrites() {
        run(planted("*((__global int *) at) =", "*((__global int *) (((ulong) data) + 16L)) = 7; int unused ="));

        assertThat(oclgrind.messages()).contains("data race", "global memory");
    }

    @Test
    void aBarrierThatAPartOfAGroupReachesIsReported() {
        run(planted("barrier(CLK_LOCAL_MEM_FENCE);", "if (lane < 4) { barrier(CLK_LOCAL_MEM_FENCE); }"));

        assertThat(oclgrind.messages()).contains("divergence");
    }

    private static String planted(String sound, String fault) {
        assertThat(SOUND).contains(sound);
        return SOUND.replace(sound, fault);
    }

    /** Runs a kernel in two groups over 0, 1, 2 and so on; returns what became of them. */
    private int[] run(String source) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment array = arena.allocate(16 + ITEMS * Integer.BYTES, 16);
            for (int i = 0; i < ITEMS; i++) {
                array.set(ValueLayout.JAVA_INT, 16 + i * Integer.BYTES, i);
            }
            try (Oclgrind.Kernel kernel = oclgrind.build(source, List.of(array), List.of(100))) {
                kernel.run(new Grid(ITEMS, 1, 1, GROUP, 1, 1));
            }
            return array.asSlice(16).toArray(ValueLayout.JAVA_INT);
        }
    }
}
