package io.tutti.tornado;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Verdict;
import io.tutti.engine.selftest.SelfTest;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@code tutti devices} says of the devices here. */
class SelfTestOnDeviceTest {

    static List<Device> devices() {
        return new TornadoBackend().devices(BackendOptions.defaults());
    }

    @ParameterizedTest
    @MethodSource("devices")
    void everyDeviceIsExact(Device device) {
        assertThat(SelfTest.run(device))
                .as("%s, %s, %s", device.name(), device.description(), device.driver())
                .isEqualTo(new Verdict.Exact());
    }
}
