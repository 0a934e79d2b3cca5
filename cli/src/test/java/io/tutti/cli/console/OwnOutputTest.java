package io.tutti.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class OwnOutputTest {

    @TempDir
    Path dir;

    @Test
    void ourBytesArriveAndThoseThatOthersPrintDoNot() throws Exception {
        Path out = dir.resolve("out");
        Process process = java(out.toFile());
        assertThat(process.waitFor()).isZero();
        assertThat(out).hasContent("ours, é, and more");
    }

    @Test
    void aReaderThatGoesAwayIsABrokenPipe() throws Exception {
        Process process = java(null);
        process.getInputStream().close();
        assertThat(process.waitFor()).isIn(0, 7); // 7: the write came after the close
    }

    private static Process java(java.io.File out) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName());
        return (out == null ? builder : builder.redirectOutput(out)).start();
    }

    /** Takes the output, then prints to it as native code would: to the descriptor, past Java's streams. */
    static final class Child {
        public static void main(String[] args) throws IOException {
            OutputStream own = OwnOutput.take();
            try (OutputStream others = new FileOutputStream(FileDescriptor.out)) {
                others.write("theirs".getBytes(StandardCharsets.UTF_8));
            }
            System.out.print("Java's");
            System.out.flush();
            try {
                own.write("ours, é,".getBytes(StandardCharsets.UTF_8));
                own.write(" and more".getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                System.exit(e.getMessage().equals("Broken pipe") ? 7 : 8);
            }
        }
    }
}
