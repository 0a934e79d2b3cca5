package io.tutti.tornado.kernel;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every kernel has the reference's bits on TornadoVM's default device. */
class KernelsOnDeviceTest {

    @TestFactory
    Stream<DynamicTest> kernelsHaveTheReferencesBitsOnTheDevice() {
        DeviceRunner device = new DeviceRunner();
        return Check.all()
                .map(check ->
                        DynamicTest.dynamicTest(check.name(), () -> check.body().accept(device)));
    }
}
