package io.tutti.tornado.program;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeviceFailuresTest {

    private static final String RED = "\u001B[31m";
    private static final String PLAIN = "\u001B[0m";

    @Test
    void theInnermostMessageIsTheReason() {
        assertThat(DeviceFailures.reason(
                        new IllegalStateException("outer", new IllegalStateException(new RuntimeException("inner")))))
                .isEqualTo("inner");
    }

    @Test
    void withoutAMessageTheExceptionsNameIs() {
        assertThat(DeviceFailures.reason(new ArithmeticException())).isEqualTo("ArithmeticException");
    }

    @Test
    void aKernelThatDoesNotCompileIsNamedWithTheReasonAndNoStackTrace() {
        String message = RED + "Bailout is disabled. \nReason: " + RED + "Unable to compile task g.Add3 - add\n"
                + "The internal error is: " + RED + "Error during code compilation" + PLAIN + "\n"
                + "Stacktrace: [a.b.C.d(C.java:1)]" + PLAIN;
        assertThat(DeviceFailures.reason(new RuntimeException(message)))
                .isEqualTo("Unable to compile task g.Add3 - add; Error during code compilation");
    }

    @Test
    void adviceThatWouldNotHelpIsLeftOut() {
        String message = RED + "[ERROR] Unable to allocate 5 bytes of memory." + PLAIN
                + "\n\tTo increase the maximum device memory, use -Dtornado.device.memory=<X>GB\n" + PLAIN;
        assertThat(DeviceFailures.reason(new RuntimeException(message)))
                .isEqualTo("Unable to allocate 5 bytes of memory.");
    }
}
