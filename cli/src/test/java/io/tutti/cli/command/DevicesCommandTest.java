package io.tutti.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.Interrupts;
import io.tutti.cli.console.RefusedException;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.Unavailable;
import io.tutti.engine.backend.Verdict.Approximate;
import io.tutti.engine.backend.Verdict.Broken;
import io.tutti.engine.backend.Verdict.Exact;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DevicesCommandTest {

    private static final Device HOST = new FakeDevice("host", DeviceKind.HOST, 1 << 30, new Exact());
    private static final Device CARD =
            new FakeDevice("opencl:0", DeviceKind.GPU, 1L << 33, new Approximate("Rope, f16 cache", 0.25, 3, 9));
    private static final Device CPU = new FakeDevice("opencl:1", DeviceKind.CPU, 1 << 20, new Broken("lost"));
    private static final Unavailable PTX = new Unavailable("ptx", "no driver");

    private static String list(Devices devices, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Console console = new Console(
                new ByteArrayInputStream(new byte[0]), out, new ByteArrayOutputStream(), false, new Interrupts());
        DevicesCommand command = new DevicesCommand(console);
        new CommandLine(command).parseArgs(args);
        command.list(devices, device -> ((FakeDevice) device).verdict());
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void eachDeviceIsToldWithItsKindDriverMemoryPropertiesAndVerdict() {
        assertThat(list(new Devices(List.of(CARD, HOST, CPU), List.of(PTX)))).isEqualTo("""
                        host
                          kind        host
                          device      a board
                          driver      driver 7
                          memory      1.0 GiB
                          properties  work-groups of 256, no fp16
                          self-test   exact
                        opencl:0
                          kind        gpu
                          device      a board
                          driver      driver 7
                          memory      8.0 GiB
                          properties  work-groups of 256, no fp16
                          self-test   approximate: Rope, f16 cache; 3 of 9 numbers differ, by 2.5e-01 of the largest at most
                        opencl:1
                          kind        cpu
                          device      a board
                          driver      driver 7
                          memory      1.0 MiB
                          properties  work-groups of 256, no fp16
                          self-test   broken: lost
                        ptx backend: no driver
                        """);
    }

    @Test
    void withTheHostAloneItTellsHowToGetMore() throws JsonProcessingException {
        Devices alone = new Devices(List.of(HOST), List.of());
        assertThat(list(alone))
                .endsWith("Nothing but the host is here; more devices need a TornadoVM SDK: get one with"
                        + " 'sdk install tornadovm 5.2.0-jdk25-opencl', or set TORNADOVM_HOME to one.\n");
        assertThat(json(alone).get("more").textValue()).contains("TornadoVM SDK");
        assertThat(json(new Devices(List.of(HOST, CARD), List.of(PTX))).has("more"))
                .isFalse();
    }

    @Test
    void anSdkByWhichNoDeviceIsReachedIsRefusedAfterTheHost() {
        Devices inVain = new Devices(List.of(HOST), List.of(PTX, new Unavailable("opencl", "no platform")));

        for (String[] args : List.of(new String[0], new String[] {"--json"})) {
            assertThatThrownBy(() -> list(inVain, args))
                    .isInstanceOf(RefusedException.class)
                    .hasMessage("ptx backend: no driver; opencl backend: no platform");
        }
        assertThatCode(() -> list(new Devices(List.of(HOST, CARD), List.of(PTX))))
                .doesNotThrowAnyException();
    }

    @Test
    void jsonSaysTheSame() throws JsonProcessingException {
        JsonNode json = json(new Devices(List.of(HOST, CARD), List.of(PTX)));
        JsonNode card = json.get("devices").get(1);
        assertThat(card.get("name").textValue()).isEqualTo("opencl:0");
        assertThat(card.get("kind").textValue()).isEqualTo("gpu");
        assertThat(card.get("memory_bytes").longValue()).isEqualTo(1L << 33);
        assertThat(card.get("properties").get(1).textValue()).isEqualTo("no fp16");
        assertThat(card.get("self_test").get("largest_difference").doubleValue())
                .isEqualTo(0.25);
        assertThat(json.get("unavailable").get(0).get("backend").textValue()).isEqualTo("ptx");
        assertThat(json.get("unavailable").get(0).get("reason").textValue()).isEqualTo("no driver");
    }

    private static JsonNode json(Devices devices) throws JsonProcessingException {
        return new ObjectMapper().readTree(list(devices, "--json"));
    }
}
