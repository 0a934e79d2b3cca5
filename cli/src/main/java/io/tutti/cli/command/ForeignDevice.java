package io.tutti.cli.command;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A device as other programs call it.
 *
 * @param names what they call it, without a number
 * @param ours what it is here
 */
record ForeignDevice(List<String> names, String ours) {

    private static final List<ForeignDevice> ALL = List.of(
            new ForeignDevice(List.of("cpu", "none", "host"), "host"),
            new ForeignDevice(List.of("auto"), "auto"),
            new ForeignDevice(List.of("gpu"), "auto, or one GPU as opencl:N, ptx:N or spirv:N"),
            new ForeignDevice(List.of("cuda", "nvidia"), "ptx:N, or opencl:N for the same board by OpenCL"),
            new ForeignDevice(List.of("rocm", "hip", "amd", "metal", "mps", "opencl"), "opencl:N"),
            new ForeignDevice(List.of("vulkan"), "opencl:N or spirv:N"),
            new ForeignDevice(List.of("sycl", "xpu", "oneapi", "level-zero", "intel", "spirv"), "spirv:N or opencl:N"),
            new ForeignDevice(List.of("ptx"), "ptx:N"));

    /** What {@code name} means here, such as {@code ptx:N} for {@code CUDA0} or {@code cuda:0}; empty if nobody calls a device so. */
    static Optional<String> meaning(String name) {
        String kind = name.toLowerCase(Locale.ROOT).replace('_', '-').replaceFirst("(?<=[a-z]):?[0-9]*$", "");
        return ALL.stream()
                .filter(device -> device.names.contains(kind) && !isOurs(name, kind))
                .map(ForeignDevice::ours)
                .findFirst();
    }

    /** Whether it is a name of ours, of a device that may not be there. */
    private static boolean isOurs(String name, String kind) {
        return List.of("opencl", "ptx", "spirv").contains(kind) && name.matches(kind + ":[0-9]+");
    }
}
