package io.tutti.tornado.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each fault is found in a kernel that has it, and none in one that has none. */
class GpuFaultsTest {

    private static final String SOUND = """
            #pragma OPENCL EXTENSION cl_khr_fp64 : enable
            __kernel void sound(__global long *_kernel_context, __constant uchar *_constant_region, \
            __local uchar *_local_region, __global int *_atomics, __global uchar *weights, __private int rows)
            {
              float f_9, f_10, f_11, f_12;

              // BLOCK 0
              ul_0  =  (ulong) weights;
              __private float ul_1[4];
              __private float* ul_2 = ul_1;
              __local float adf_3[1024];
              i_4  =  get_local_id(0);
              i_5  =  get_local_id(1);
              b_6  =  i_5 < 3;
              // BLOCK 1 MERGES [0 2 ]
              i_7  =  i_5;
              for(;i_7 < 9;)
              {
                // BLOCK 2
                i_8  =  i_7 << 5;
                i_9  =  i_8 + i_4;
                l_10  =  (long) i_9;
                l_11  =  l_10 + 4L;
                l_12  =  l_11 << 2;
                ul_13  =  ul_0 + l_12;
                f_14  =  *((__global float *) ul_13);
                f_15  =  f_14 * 2.0F;
                f_16  =  fma(f_15, f_14, f_14);
                ul_2[3]  =  f_16;
                i_17  =  i_7 + 1;
                i_7  =  i_17;
              }  // B1
              return;
            }  //  kernel
            """;

    @Test
    void aSoundKernelHasNoFault() {
        assertThat(faults(SOUND)).isEmpty();
    }

    @Test
    void doublesAreFound() {
        assertThat(faults(planted("f_14 * 2.0F", "f_14 * 2.0")))
                .singleElement()
                .asString()
                .contains("2.0;");
        assertThat(faults(planted("f_15  =  f_14", "d_15  =  (double) f_14"))).isNotEmpty();
    }

    @Test
    void tooMuchLocalMemoryIsFound() {
        assertThat(faults(planted("adf_3[1024]", "adf_3[8192]"))).containsExactly("32768 bytes of local memory");
    }

    @Test
    void aSpilledArrayIsFound() {
        assertThat(faults(planted("ul_2[3]", "ul_2[i_7]"))).containsExactly("ul_2[i_7]  =  f_16;");
    }

    @Test
    void aSumOfAProductIsFound() {
        assertThat(faults(planted("fma(f_15, f_14, f_14)", "f_15 + f_14"))).containsExactly("f_16 = f_15 + f_14");
        assertThat(faults(planted("fma(f_15, f_14, f_14)", "1.0F - f_15"))).containsExactly("f_16 = 1.0F - f_15");
    }

    @Test
    void lanesThatReadColumnsAreFound() {
        assertThat(faults(planted("i_8 + i_4", "i_8 * i_4")))
                .singleElement()
                .asString()
                .contains("is at [0, ");
    }

    @Test
    void anAddressThatFollowsFromDataIsFound() {
        String gather = planted("l_10  =  (long) i_9;", """
                i_20  =  *((__global int *) ul_21);
                l_10  =  (long) i_20;""")
                .replace("i_7  =  i_5;", "l_21  =  (long) i_4;\nul_21  =  ul_0 + l_21;\ni_7  =  i_5;");

        assertThat(faults(gather)).anyMatch(fault -> fault.contains("i_20 is not the same for all lanes"));
    }

    @Test
    void aLoopThatEachLaneBeginsElsewhereIsFound() {
        assertThat(faults(planted("i_7  =  i_5;", "i_7  =  i_4;")))
                .singleElement()
                .asString()
                .contains("is at [0, 132");
    }

    @Test
    void anIndexThatLanesChooseIsFound() {
        String chosen = planted("i_8  =  i_7 << 5;", """
                b_20  =  i_4 < 3;
                if(b_20)
                {
                  i_8  =  i_5;
                }
                else
                {
                  i_8  =  i_7;
                }""");

        assertThat(faults(chosen)).anyMatch(fault -> fault.contains("i_8 is not the same for all lanes"));
    }

    @Test
    void anArrayThatIsNotReadIsFound() {
        assertThat(faults(planted("*((__global float *) ul_13)", "0.0F"))).containsExactly("no read of weights");
    }

    private static String planted(String sound, String fault) {
        assertThat(SOUND).contains(sound);
        return SOUND.replace(sound, fault);
    }

    private static List<String> faults(String source) {
        KernelSource kernel = KernelSource.parse(source).getFirst();
        List<String> all = new ArrayList<>();
        all.addAll(GpuFaults.doubles(kernel));
        all.addAll(GpuFaults.localMemory(kernel));
        all.addAll(GpuFaults.spills(kernel));
        all.addAll(GpuFaults.unfused(kernel));
        all.addAll(GpuFaults.scattered(kernel, "weights"));
        return all;
    }
}
