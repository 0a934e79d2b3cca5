package io.tutti.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.cli.console.RefusedException;
import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.reference.ReferenceDevice;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeviceChoiceTest {

    private static final Device HOST = Devices.all(new BackendOptions(1)).getFirst();

    @Test
    void autoTakesTheFirstExactDeviceAndSaysSo() {
        DeviceChoice choice =
                DeviceChoice.of("auto", List.of(HOST, new Accelerator("gpu:0", false), new Accelerator("gpu:1", true)));
        assertThat(choice.device().name()).isEqualTo("gpu:1");
        assertThat(choice.note())
                .hasValueSatisfying(
                        note -> assertThat(note).startsWith("device gpu:1").contains("gpu:0 is broken: no driver"));
    }

    @Test
    void autoFallsBackToTheHostAndSaysWhy() {
        DeviceChoice choice = DeviceChoice.of("auto", List.of(HOST, new Accelerator("gpu:0", false)));
        assertThat(choice.device()).isSameAs(HOST);
        assertThat(choice.note())
                .hasValueSatisfying(
                        note -> assertThat(note).startsWith("device host").contains("gpu:0 is broken"));
    }

    @Test
    void aNamedDeviceIsTakenWithoutAWord() {
        assertThat(DeviceChoice.of("host", List.of(HOST, new Accelerator("gpu:0", true)))
                        .note())
                .isEmpty();
        assertThat(DeviceChoice.of("gpu:0", List.of(HOST, new Accelerator("gpu:0", true)))
                        .device()
                        .name())
                .isEqualTo("gpu:0");
    }

    @Test
    void aNamedDeviceThatIsMissingOrFailsIsRefused() {
        assertThatThrownBy(() -> DeviceChoice.of("ptx:0", List.of(HOST, new Accelerator("gpu:0", true))))
                .isInstanceOf(RefusedException.class)
                .hasMessage("--device is \"ptx:0\", which is not there; accepted: auto, host, gpu:0");
        assertThatThrownBy(() -> DeviceChoice.of("gpu:0", List.of(HOST, new Accelerator("gpu:0", false))))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("no driver");
    }

    /** The reference under another name, or a device that does not start. */
    private record Accelerator(String name, boolean works) implements Device {
        @Override
        public String description() {
            return "an accelerator";
        }

        @Override
        public String driver() {
            return "none";
        }

        @Override
        public long memoryBytes() {
            return 1 << 30;
        }

        @Override
        public List<String> properties() {
            return List.of();
        }

        @Override
        public Program compile(
                Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress) {
            if (!works) {
                throw new IllegalStateException("no driver");
            }
            return new ReferenceDevice().compile(graph, weights, pool, limits, progress);
        }
    }
}
