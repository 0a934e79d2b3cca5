package io.tutti.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.cli.console.InterruptedRunException;
import io.tutti.cli.console.Interrupts;
import io.tutti.cli.console.RefusedException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FreshProcessTest {

    private final Interrupts interrupts = new Interrupts();

    /** What is started. */
    static final class Child {
        public static void main(String[] args) throws Exception {
            switch (args[0]) {
                case "print" -> {
                    System.err.println("tutti: beside the output");
                    System.out.write("é one".getBytes(StandardCharsets.UTF_8));
                    System.out.flush();
                    TimeUnit.MILLISECONDS.sleep(Long.parseLong(args[1]));
                    System.out.print(" two");
                }
                case "fail" -> {
                    System.err.println("a warning\ntutti: the model is not there\nanother");
                    System.exit(1);
                }
                case "crash" -> Runtime.getRuntime().halt(7);
                case "hang" -> TimeUnit.HOURS.sleep(1);
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
    }

    private FreshProcess.Output run(String... arguments) {
        return FreshProcess.ofJvm(Child.class, interrupts).run(List.of(arguments));
    }

    @Test
    void theTimeIsThatOfTheFirstByte() {
        int pause = 2000;
        long begin = System.nanoTime();
        FreshProcess.Output output = run("print", String.valueOf(pause));
        long nanos = System.nanoTime() - begin;
        assertThat(output.out()).isEqualTo("é one two");
        assertThat(output.firstByteNanos())
                .isPositive()
                .isLessThanOrEqualTo(nanos - TimeUnit.MILLISECONDS.toNanos(pause));
    }

    @Test
    void aFailureSaysWhatTheProcessSaid() {
        assertThatThrownBy(() -> run("fail"))
                .isInstanceOf(RefusedException.class)
                .hasMessage("the model is not there");
        assertThatThrownBy(() -> run("crash"))
                .isInstanceOf(RefusedException.class)
                .hasMessage("exit status 7");
    }

    @Test
    void anInterruptEndsTheProcess() {
        interrupts.request();
        assertThatThrownBy(() -> run("hang")).isInstanceOf(InterruptedRunException.class);
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .allSatisfy(child -> assertThat(child.onExit().orTimeout(30, TimeUnit.SECONDS))
                        .succeedsWithin(30, TimeUnit.SECONDS));
    }
}
