package io.tutti.tornado.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceNameTest {
    @Property
    void whatIsPrintedIsReadBack(@ForAll BackendKind backend, @ForAll @IntRange(max = 999_999_999) int index) {
        DeviceName name = new DeviceName(backend, index);

        assertThat(DeviceName.parse(name.toString())).contains(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"opencl:0", "ptx:1", "spirv:12"})
    void namesPrintAsTheyAreWritten(String name) {
        assertThat(DeviceName.parse(name)).map(DeviceName::toString).contains(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "host",
                "auto",
                "opencl",
                "opencl:",
                ":0",
                "OpenCL:0",
                "cuda:0",
                "opencl:-1",
                "opencl:00",
                "opencl:01",
                "opencl:0 ",
                " opencl:0",
                "opencl:0:1",
                "opencl:+1",
                "opencl:1e3",
                "opencl:9999999999",
                "opencl:٣"
            })
    void whatIsNoDeviceNameIsNotRead(String name) {
        assertThat(DeviceName.parse(name)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE})
    void noIndexIsNegative(int index) {
        assertThatThrownBy(() -> new DeviceName(BackendKind.PTX, index))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("device index is " + index + "; expected at least 0");
    }
}
