package io.tutti.tornado.config;

import java.util.List;
import java.util.stream.Stream;

/**
 * A system property that TornadoVM reads once, when its classes load, and that it must have for our kernels.
 *
 * @param name as TornadoVM names it
 * @param value what we need
 * @param reason what it is for, or what would happen without it
 * @param binding whether a result depends on it; if not, whoever sets it on the JVM's command line has their way
 */
public record TornadoProperty(String name, String value, String reason, boolean binding) {

    /** A half of the largest number of bytes that TornadoVM can count. */
    private static final String UNLIMITED = "4EB";

    /** The properties for an SDK, each name once. */
    public static List<TornadoProperty> of(TornadoSdk sdk) {
        return Stream.concat(exact(sdk), ample()).toList();
    }

    /**
     * Sets them all. To be called before any class of TornadoVM is touched; an SDK's own {@code etc/tornado.properties}
     * overrides none of them.
     */
    public static void setAll(TornadoSdk sdk) {
        for (TornadoProperty property : of(sdk)) {
            if (property.binding || System.getProperty(property.name) == null) {
                System.setProperty(property.name, property.value);
            }
        }
    }

    /** As an argument of the JVM. */
    String argument() {
        return "-D" + name + "=" + value;
    }

    private static Stream<TornadoProperty> exact(TornadoSdk sdk) {
        return Stream.of(
                binding(
                        "tornado.recover.bailout",
                        "False",
                        "a kernel that fails to compile would run as Java, unnoticed"),
                binding(
                        "tornado.opencl.compiler.flags",
                        CompilerFlags.openCl(false),
                        "the default flushes denormals, and reorders and contracts arithmetic; SPIR-V takes these flags too"),
                binding("tornado.enable.fma", "True", "a * b + c is one rounding, as golden's numerics has it"),
                fusedMultiplyAdd(sdk),
                binding(
                        "tornado.enable.mathOptimizations",
                        "False",
                        "1 / sqrt(x) would become rsqrt, which is not exact"),
                binding("tornado.enable.nativeFunctions", "False", "sqrt would become native_sqrt, of any accuracy"),
                binding("tornado.experimental.reduce", "False", "no sum takes another order than the kernel's"),
                binding(
                        "tornado.spirv.runtimes",
                        "opencl",
                        "Level Zero knows no flag for correctly rounded division, and would list the same devices again"));
    }

    /**
     * With "fast" maths SPIR-V has OpenCL's {@code mad}, of any accuracy, where it should have {@code fma}. PTX's {@code
     * mad.rn} is its {@code fma.rn} by another name, and without "fast" maths integers too would get {@code fma}, which
     * PTX does not have. The property is one for both.
     */
    private static TornadoProperty fusedMultiplyAdd(TornadoSdk sdk) {
        String name = "tornado.enable.fastMathOptimizations";
        return sdk.kernelBackends().contains(BackendKind.PTX)
                ? binding(name, "True", "PTX: mad.rn is fma.rn, and integers have no fma")
                : binding(name, "False", "SPIR-V: fma, where it would be mad, of any accuracy");
    }

    private static Stream<TornadoProperty> ample() {
        return Stream.of(
                preferred("tornado.device.memory", UNLIMITED, "the device's own limit decides, not a cap of 4 GB"),
                preferred(
                        "tornado.tvm.maxbytecodesize", "1048576", "room for task graphs of hundreds of tasks, not 48"),
                preferred("tornado.max.events", "1024", "an execution clears lists of this length for each task"),
                preferred("tornado.opencl.profiling.enable", "False", "nobody reads when each launch began and ended"));
    }

    private static TornadoProperty binding(String name, String value, String reason) {
        return new TornadoProperty(name, value, reason, true);
    }

    private static TornadoProperty preferred(String name, String value, String reason) {
        return new TornadoProperty(name, value, reason, false);
    }
}
