package io.tutti.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.cli.console.RefusedException;
import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.Unavailable;
import io.tutti.engine.selftest.Verdict;
import io.tutti.engine.selftest.Verdict.Approximate;
import io.tutti.engine.selftest.Verdict.Broken;
import io.tutti.engine.selftest.Verdict.Exact;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceChoiceTest {

    private static final Verdict EXACT = new Exact();
    private static final Verdict APPROXIMATE = new Approximate("RmsNorm, f16 cache", 1e-6, 3, 9);
    private static final Verdict BROKEN = new Broken("no driver");
    private static final Device HOST = Devices.all(new BackendOptions(1)).getFirst();

    /** Names of the devices that were tested, in turn. */
    private final List<String> tested = new ArrayList<>();

    private DeviceChoice choose(String name, Devices devices) {
        return DeviceChoice.of(name, devices, device -> {
            tested.add(device.name());
            return ((FakeDevice) device).verdict();
        });
    }

    private static Devices devices(Device... others) {
        return new Devices(Stream.concat(Stream.of(others), Stream.of(HOST)).toList(), List.of());
    }

    private static FakeDevice gpu(String name, int memory, Verdict verdict) {
        return new FakeDevice(name, DeviceKind.GPU, memory, verdict);
    }

    private static FakeDevice cpu(String name) {
        return new FakeDevice(name, DeviceKind.CPU, 100, EXACT);
    }

    /** An accelerator that is broken today may be cured tomorrow, and a backend that fails may not. */
    @Test
    void theHostIsAloneWhereThereIsNothingButProcessors() {
        assertThat(HostAlone.leavesHostOnly(devices(cpu("opencl:0")))).isTrue();
        assertThat(HostAlone.leavesHostOnly(devices())).isTrue();
        assertThat(HostAlone.leavesHostOnly(devices(gpu("opencl:0", 3, BROKEN))))
                .isFalse();
        assertThat(HostAlone.leavesHostOnly(
                        new Devices(List.of(HOST), List.of(new Unavailable("opencl", "no driver")))))
                .isFalse();
    }

    @Test
    void autoTakesTheExactGpuWithTheMostMemoryAndSaysSo() {
        DeviceChoice choice = choose(
                "auto",
                devices(
                        cpu("opencl:0"),
                        gpu("opencl:1", 3, EXACT),
                        gpu("opencl:2", 8, EXACT),
                        gpu("opencl:3", 9, BROKEN),
                        new FakeDevice("opencl:4", DeviceKind.ACCELERATOR, 9, APPROXIMATE)));
        assertThat(choice.device().name()).isEqualTo("opencl:2");
        assertThat(choice.verdict()).isEqualTo(EXACT);
        assertThat(choice.note())
                .hasValue(
                        "device opencl:2 (a board); opencl:3 is broken: no driver; opencl:4 is " + APPROXIMATE.text());
        assertThat(tested).containsExactly("opencl:3", "opencl:4", "opencl:2");
    }

    @Test
    void autoNeverTakesNorTestsAProcessorBehindADeviceRuntime() {
        DeviceChoice choice = choose("auto", devices(cpu("opencl:0")));
        assertThat(choice.device()).isSameAs(HOST);
        assertThat(choice.note()).hasValue("device host (" + HOST.description() + ")");
        assertThat(tested).isEmpty();
        assertThat(choose("opencl:0", devices(cpu("opencl:0"))).device().name()).isEqualTo("opencl:0");
    }

    @Test
    void autoFallsBackToTheHostAndSaysWhy() {
        DeviceChoice choice = choose(
                "auto",
                new Devices(
                        List.of(HOST, gpu("opencl:0", 1, BROKEN)),
                        List.of(new Unavailable("ptx", "no driver is loaded"))));
        assertThat(choice.device()).isSameAs(HOST);
        assertThat(choice.note())
                .hasValue("device host (" + HOST.description()
                        + "); opencl:0 is broken: no driver; ptx backend: no driver is loaded");
    }

    @Test
    void aNamedDeviceIsTakenWithoutAWordIfItIsExact() {
        Devices devices = devices(gpu("opencl:0", 1, EXACT), gpu("opencl:1", 1, APPROXIMATE));
        assertThat(choose("host", devices)).isEqualTo(new DeviceChoice(HOST, EXACT, Optional.empty()));
        assertThat(tested).isEmpty();
        assertThat(choose("opencl:0", devices).device().name()).isEqualTo("opencl:0");
        assertThat(choose("opencl:0", devices).note()).isEmpty();
    }

    @Test
    void aNamedDeviceThatIsApproximateIsTakenAndSaysSo() {
        DeviceChoice choice = choose("opencl:0", devices(gpu("opencl:0", 1, APPROXIMATE)));
        assertThat(choice.verdict()).isEqualTo(APPROXIMATE);
        assertThat(choice.note()).hasValue("device opencl:0 is " + APPROXIMATE.text());
    }

    @Test
    void aNamedDeviceThatIsMissingOrFailsIsRefused() {
        assertRefused(
                "opencl:1",
                devices(gpu("opencl:0", 1, EXACT)),
                "--device is \"opencl:1\", which is not there; accepted: auto, host, opencl:0");
        assertRefused(
                "opencl:0",
                devices(gpu("opencl:0", 1, BROKEN)),
                "--device is \"opencl:0\", whose self-test fails: no driver; accepted: auto, or another of host, opencl:0");
    }

    @Test
    void withoutAnotherBackendARefusalTellsHowToGetOne() {
        assertRefused(
                "opencl:0",
                devices(),
                "--device is \"opencl:0\", which is not there; accepted: auto, host; more devices need a TornadoVM SDK:"
                        + " get one with 'sdk install tornadovm 5.2.0-jdk25-opencl', or set TORNADOVM_HOME to one");
    }

    @Test
    void aNamedDeviceOfABackendThatFailedIsRefusedWithItsReason() {
        Devices devices = new Devices(
                List.of(HOST), List.of(new Unavailable("opencl", "no platform"), new Unavailable("ptx", "no driver")));
        assertRefused(
                "ptx:0",
                devices,
                "--device is \"ptx:0\", which is not there (ptx backend: no driver); accepted: auto, host");
        assertRefused(
                "spirv:0",
                devices,
                "--device is \"spirv:0\", which is not there (opencl backend: no platform; ptx backend: no driver);"
                        + " accepted: auto, host");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cpu|host",
                "CPU|host",
                "none|host",
                "Host|host",
                "AUTO|auto",
                "gpu|auto, or one GPU as opencl:N, ptx:N or spirv:N",
                "gpu:0|auto, or one GPU as opencl:N, ptx:N or spirv:N",
                "cuda|ptx:N, or opencl:N for the same board by OpenCL",
                "cuda:0|ptx:N, or opencl:N for the same board by OpenCL",
                "CUDA1|ptx:N, or opencl:N for the same board by OpenCL",
                "metal|opencl:N",
                "mps|opencl:N",
                "rocm|opencl:N",
                "vulkan|opencl:N or spirv:N",
                "xpu|spirv:N or opencl:N",
                "level_zero|spirv:N or opencl:N",
                "opencl|opencl:N",
                "OpenCL:0|opencl:N",
                "ptx|ptx:N"
            })
    void aNameThatOthersGiveADeviceIsRefusedWithOurs(String name, String ours) {
        assertRefused(
                name,
                devices(gpu("opencl:0", 1, EXACT)),
                "--device is \"" + name + "\", which is not there; here that is " + ours
                        + ", as `tutti devices` lists them; accepted: auto, host, opencl:0");
        assertThatThrownBy(() -> ComparedDevices.of(Optional.of(List.of(name)), devices(), _ -> EXACT))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("here that is " + ours);
    }

    private void assertRefused(String name, Devices devices, String message) {
        assertThatThrownBy(() -> choose(name, devices))
                .isInstanceOf(RefusedException.class)
                .hasMessage(message);
    }
}
