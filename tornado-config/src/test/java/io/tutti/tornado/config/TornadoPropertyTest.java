package io.tutti.tornado.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TornadoPropertyTest {
    private static final TornadoSdk OPENCL = new TornadoSdk(Path.of("sdk"), List.of("opencl"));

    private Properties before;

    @BeforeEach
    void keepProperties() {
        before = (Properties) System.getProperties().clone();
    }

    @AfterEach
    void restoreProperties() {
        System.setProperties(before);
    }

    @Test
    void arithmeticIsHonestWithoutFastMathsNativeFunctionsOrASilentFallBackToJava() {
        assertThat(values(OPENCL))
                .containsEntry("tornado.recover.bailout", "False")
                .containsEntry("tornado.opencl.compiler.flags", "-w")
                .containsEntry("tornado.enable.fma", "True")
                .containsEntry("tornado.enable.mathOptimizations", "False")
                .containsEntry("tornado.enable.nativeFunctions", "False")
                .containsEntry("tornado.enable.fastMathOptimizations", "False");
    }

    @Test
    void ptxGetsTheFusedMultiplyAddThatItHasForIntegersToo() {
        TornadoSdk both = new TornadoSdk(Path.of("sdk"), List.of("spirv", "ptx"));

        assertThat(values(both)).containsEntry("tornado.enable.fastMathOptimizations", "True");
    }

    @Test
    void eachPropertyIsThereOnceWithItsReason() {
        List<TornadoProperty> properties = TornadoProperty.of(OPENCL);

        assertThat(properties).extracting(TornadoProperty::name).doesNotHaveDuplicates();
        assertThat(properties)
                .extracting(TornadoProperty::reason)
                .allSatisfy(reason -> assertThat(reason).isNotBlank());
    }

    @Test
    void theCommandLineHasItsWayOnlyWhereNoResultDependsOnIt() {
        System.setProperty("tornado.recover.bailout", "True");
        System.setProperty("tornado.max.events", "7");

        TornadoProperty.setAll(OPENCL);

        assertThat(System.getProperty("tornado.recover.bailout")).isEqualTo("False");
        assertThat(System.getProperty("tornado.max.events")).isEqualTo("7");
        assertThat(System.getProperty("tornado.opencl.profiling.enable")).isEqualTo("False");
    }

    @Test
    void divisionIsRoundedCorrectlyWhereTheDeviceCan() {
        assertThat(CompilerFlags.openCl(true)).isEqualTo("-w -cl-fp32-correctly-rounded-divide-sqrt");
        assertThat(CompilerFlags.openCl(false)).isEqualTo("-w");
    }

    private static Map<String, String> values(TornadoSdk sdk) {
        return TornadoProperty.of(sdk).stream()
                .collect(Collectors.toMap(TornadoProperty::name, TornadoProperty::value));
    }
}
