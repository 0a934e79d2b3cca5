package io.tutti.tornado;

import io.tutti.engine.backend.DeviceKind;
import io.tutti.tornado.config.CompilerFlags;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import uk.ac.manchester.tornado.api.TornadoTargetDevice;
import uk.ac.manchester.tornado.api.common.TornadoDevice;

/** What TornadoVM tells of a device, some of it only as text for people. */
record DeviceFacts(TornadoDevice device) {

    String name() {
        return device.getPhysicalDevice().getDeviceName().strip();
    }

    DeviceKind kind() {
        return switch (device.getDeviceType()) {
            case CPU -> DeviceKind.CPU;
            case GPU -> DeviceKind.GPU;
            default -> DeviceKind.ACCELERATOR;
        };
    }

    /** The platform, with the versions of the device's interface and of its driver. */
    String driver() {
        List<String> parts = new ArrayList<>(List.of(device.getPlatformName().strip()));
        said("Device version").ifPresent(parts::add);
        said("Driver version").ifPresent(version -> parts.add("driver " + version));
        return String.join(", ", parts);
    }

    List<String> properties() {
        TornadoTargetDevice physical = device.getPhysicalDevice();
        List<String> facts = new ArrayList<>();
        said("Device vendor").ifPresent(facts::add);
        facts.add(physical.getDeviceMaxComputeUnits() + " compute units");
        facts.add("buffers to " + mebibytes(device.getMaxAllocMemory()));
        facts.add("local memory " + physical.getDeviceLocalMemorySize() / 1024 + " KiB");
        facts.add("work-groups to " + groupItems());
        facts.add(info().contains("cl_khr_fp16") ? "fp16" : "no fp16");
        facts.add(info().contains("cl_khr_fp64") ? "fp64" : "no fp64");
        if (info().contains("cl_khr_subgroups") || info().contains("cl_intel_subgroups")) {
            facts.add("sub-groups");
        }
        facts.add(roundsDivisions() ? "correctly rounded division" : "division of the device's choice");
        return facts;
    }

    /** Work-items of the largest work-group; as many as you like if TornadoVM does not know. */
    long groupItems() {
        long[] most = device.getPhysicalDevice().getDeviceMaxWorkGroupSize();
        return most == null ? Long.MAX_VALUE : Arrays.stream(most).max().orElse(Long.MAX_VALUE);
    }

    /**
     * Whether the device offers divisions and square roots that are correctly rounded, of {@code CL_DEVICE_SINGLE_FP_CONFIG}:
     * TornadoVM's API has no name for it, its OpenCL devices have.
     */
    boolean roundsDivisions() {
        try {
            Object physical = device.getPhysicalDevice();
            Object config =
                    physical.getClass().getMethod("getDeviceSingleFPConfig").invoke(physical);
            return config instanceof Long bits && (bits & CompilerFlags.CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    private static String mebibytes(long bytes) {
        return bytes / (1024 * 1024) + " MiB";
    }

    private String info() {
        return String.valueOf(device.getDeviceInfo());
    }

    /** What follows a label in the text for people. */
    private Optional<String> said(String label) {
        return info().lines()
                .filter(line -> line.startsWith(label))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .filter(value -> !value.isEmpty())
                .findFirst();
    }
}
