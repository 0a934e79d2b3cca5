package io.tutti.tornado.config;

/**
 * What a device's own compiler is told about a plan's kernels, TornadoVM's {@code withCompilerFlags}. All of it is what
 * keeps arithmetic exact: what is not said here is a compiler's licence to be quick.
 *
 * <p>PTX needs nothing: TornadoVM writes {@code .rn} on every addition, product, {@code mad} and square root, which
 * forbids contraction, and never {@code .ftz}. But it divides floats by {@code div.full.f32}, which may be 2 ulp off
 * and which no flag changes: there a kernel has to divide as doubles and round once.
 */
public final class CompilerFlags {

    /** {@code CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT}, a bit of {@code CL_DEVICE_SINGLE_FP_CONFIG} (OpenCL 1.2, table 4.3). */
    public static final long CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7;

    private CompilerFlags() {}

    /**
     * Flags for {@code clBuildProgram}: of OpenCL devices, and of SPIR-V ones, which TornadoVM builds by OpenCL's.
     *
     * @param canRound whether the device has {@link #CORRECTLY_ROUNDED_DIVIDE_SQRT}; one that lacks it refuses the flag,
     *     and its divisions may be 2.5 ulp off
     */
    public static String openCl(boolean canRound) {
        // TornadoVM passes its own default instead of none at all; -w, no warnings, is harmless.
        return canRound ? "-w -cl-fp32-correctly-rounded-divide-sqrt" : "-w";
    }
}
