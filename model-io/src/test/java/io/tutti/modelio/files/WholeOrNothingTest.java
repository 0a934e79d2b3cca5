package io.tutti.modelio.files;

import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class WholeOrNothingTest {
    @TempDir
    Path dir;

    @Test
    void aFileAppearsWhenItIsWhole() throws IOException {
        Path target = dir.resolve("out.txt");
        WholeOrNothing.file(target, temporary -> {
            assertThat(temporary.getParent()).isEqualTo(dir);
            Files.writeString(temporary, "half");
            assertThat(target).doesNotExist();
        });
        assertThat(target).hasContent("half");
        assertThat(dir.toFile().list()).containsExactly(target.getFileName().toString());
    }

    @Test
    void aDirectoryAppearsWhenItIsWholeAndReplacesAnEmptyOne() throws IOException {
        Path target = Files.createDirectory(dir.resolve("out"));
        WholeOrNothing.directory(target, temporary -> Files.writeString(temporary.resolve("a"), "b"));
        assertThat(target.resolve("a")).hasContent("b");
        assertThat(dir.toFile().list()).containsExactly(target.getFileName().toString());
    }

    @Test
    void failureLeavesNothing() {
        Path target = dir.resolve("out");
        assertRefused(
                () -> WholeOrNothing.directory(target, temporary -> {
                    Files.createDirectories(temporary.resolve("deep").resolve("er"));
                    Files.writeString(temporary.resolve("deep").resolve("a"), "b");
                    throw new IOException();
                }),
                target.toString(),
                "IOException");
        assertThat(dir).isEmptyDirectory();
        assertThatThrownBy(() -> WholeOrNothing.file(target, temporary -> {
                    Files.writeString(temporary, "x");
                    throw new IllegalStateException("broken");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void whatIsThereIsNotOverwritten() throws IOException {
        Path full = Files.createDirectory(dir.resolve("full"));
        Files.writeString(full.resolve("a"), "b");
        assertRefused(() -> WholeOrNothing.directory(full, _ -> {}), full.toString(), "not empty", "new or empty");
        assertRefused(() -> WholeOrNothing.requireEmpty(full.resolve("a")), "is a file");
        WholeOrNothing.requireEmpty(dir.resolve("absent"));
        assertRefused(() -> WholeOrNothing.file(dir, _ -> {}), "is a directory");
        assertRefused(() -> WholeOrNothing.file(full.resolve("a").resolve("b"), _ -> {}), "a");
        assertThat(full.resolve("a")).hasContent("b");
    }

    /** Another process, ended as Ctrl-C ends it, in the middle of its work. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "there a process is ended without a word")
    @Timeout(60)
    void anInterruptedProcessLeavesNothing() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Endless.class.getName(),
                        dir.resolve("out").toString())
                .redirectErrorStream(true)
                .start();
        while (dir.toFile().list().length == 0) {
            assertThat(process.isAlive()).isTrue();
            Thread.sleep(10);
        }
        process.destroy();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(dir).isEmptyDirectory();
    }

    static final class Endless {
        public static void main(String[] args) {
            WholeOrNothing.directory(Path.of(args[0]), temporary -> {
                Files.writeString(temporary.resolve("a"), "b");
                try {
                    Thread.sleep(60_000);
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            });
        }
    }
}
