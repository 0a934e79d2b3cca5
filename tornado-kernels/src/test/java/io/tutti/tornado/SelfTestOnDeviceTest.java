package io.tutti.tornado;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.selftest.SelfTest;
import io.tutti.engine.selftest.Verdict;
import org.junit.jupiter.api.Test;

class SelfTestOnDeviceTest {
    @Test
    void everyDeviceIsExact() {
        for (Device device : new TornadoBackend().devices(BackendOptions.defaults())) {
            long start = System.nanoTime();
            Verdict verdict = SelfTest.run(device);
            System.err.println(device.name() + " " + device.description() + " " + verdict.text() + " "
                    + (System.nanoTime() - start) / 1_000_000 + " ms");
            assertThat(verdict).isEqualTo(new Verdict.Exact());
        }
    }
}
