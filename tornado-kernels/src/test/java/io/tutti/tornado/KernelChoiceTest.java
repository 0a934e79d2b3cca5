package io.tutti.tornado;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.backend.DeviceException;
import io.tutti.engine.selftest.DeviceNotes;
import io.tutti.tornado.program.Mapping;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernels that a trial finds the quickest are taken, and the trial is made once. */
class KernelChoiceTest {

    private static final List<Mapping> BOTH = List.of(Mapping.VECTORS, Mapping.TILES);

    @TempDir
    Path folder;

    private final List<Mapping> tried = new ArrayList<>();

    private KernelChoice among(List<Mapping> mappings, String driver, ToDoubleFunction<Mapping> trial) {
        DeviceNotes notes = new DeviceNotes(Optional.of(folder), "kernels", "a test's");
        return KernelChoice.among(mappings, Map.of("device", "opencl:0", "driver", driver), notes, mapping -> {
            tried.add(mapping);
            double time = trial.applyAsDouble(mapping);
            return new KernelChoice.Trial() {
                @Override
                public double time() {
                    return time;
                }

                @Override
                public void close() {}
            };
        });
    }

    @Test
    void theQuickestIsTakenAndRememberedForTheSameDriver() {
        ToDoubleFunction<Mapping> trial = mapping -> mapping == Mapping.TILES ? 1.5 : 2;
        KernelChoice first = among(BOTH, "1", trial);
        assertThat(first.mapping()).isEqualTo(Mapping.TILES);
        assertThat(first.text()).isEqualTo("kernels in Java (trial: Java 1.5 ms, OpenCL C 2.0 ms)");
        assertThat(among(BOTH, "1", trial)).isEqualTo(first);
        assertThat(tried).isEqualTo(BOTH);
        among(BOTH, "2", trial);
        assertThat(tried).hasSize(4);
    }

    @Test
    void kernelsThatTheDeviceCannotRunAreNotTaken() {
        KernelChoice choice = among(BOTH, "1", mapping -> {
            if (mapping == Mapping.VECTORS) {
                throw new DeviceException("the driver has no vectors");
            }
            return 100;
        });
        assertThat(choice.mapping()).isEqualTo(Mapping.TILES);
    }

    @Test
    void whereNothingIsToBeChosenNothingIsTried() {
        assertThat(among(List.of(Mapping.LANES), "1", _ -> 1).mapping()).isEqualTo(Mapping.LANES);
        assertThat(tried).isEmpty();
    }
}
