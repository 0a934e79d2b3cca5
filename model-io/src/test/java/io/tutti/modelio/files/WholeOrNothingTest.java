package io.tutti.modelio.files;

import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tutti.modelio.ModelException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
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

    @Test
    void aLinkStaysOneAndTheFileBehindItKeepsItsPermissions() throws IOException {
        Path real =
                Files.writeString(Files.createDirectory(dir.resolve("there")).resolve("real"), "old");
        assumeTrue(real.getFileSystem().supportedFileAttributeViews().contains("posix"));
        Set<PosixFilePermission> permissions = PosixFilePermissions.fromString("rw-r-x--x");
        Files.setPosixFilePermissions(real, permissions);
        Path link = Files.createSymbolicLink(dir.resolve("link"), real);
        WholeOrNothing.file(link, temporary -> {
            assertThat(temporary.getParent()).isEqualTo(real.getParent().toRealPath());
            Files.writeString(temporary, "new");
        });
        assertThat(link).isSymbolicLink();
        assertThat(real).hasContent("new");
        assertThat(Files.getPosixFilePermissions(real)).isEqualTo(permissions);

        Path nowhere = Files.createSymbolicLink(dir.resolve("nowhere"), dir.resolve("absent"));
        assertRefused(
                () -> WholeOrNothing.requireFile(nowhere), nowhere.toString(), "a link to a file that is not there");
    }

    @Test
    void whatCannotBeWrittenIsRefusedBeforeAnyWork() throws IOException {
        WholeOrNothing.requireFile(dir.resolve("new"));
        WholeOrNothing.requireEmpty(dir.resolve("new"));
        assertThat(dir).isEmptyDirectory();
        Path deep = dir.resolve("absent").resolve("out");
        assertRefused(() -> WholeOrNothing.requireFile(deep), deep.toString(), "no directory " + dir.resolve("absent"));
        assertRefused(
                () -> WholeOrNothing.requireEmpty(deep), deep.toString(), "no directory " + dir.resolve("absent"));
        Path file = Files.writeString(dir.resolve("file"), "x");
        assertRefused(() -> WholeOrNothing.requireFile(file.resolve("out")), "no directory " + file);
        assertRefused(() -> WholeOrNothing.requireFile(dir), dir.toString(), "is a directory");
        assertThat(dir.toFile().list()).containsExactly("file");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void devicesAndDirectoriesWithoutFilesAreRefusedBeforeAnyWork() {
        assertRefused(() -> WholeOrNothing.requireFile(Path.of("/dev/full")), "/dev/full", "is not a plain file");
        assertRefused(
                () -> WholeOrNothing.requireFile(Path.of("/proc/out")), "/proc/out", "the directory /proc takes no");
        assertRefused(
                () -> WholeOrNothing.requireEmpty(Path.of("/proc/out")), "/proc/out", "the directory /proc takes no");
    }

    @Test
    void theSecondOfTwoWritersIsToldWhy() throws IOException {
        Path target = dir.resolve("out");
        assertRefused(
                () -> WholeOrNothing.directory(target, temporary -> {
                    Files.writeString(temporary.resolve("a"), "second");
                    Files.writeString(Files.createDirectory(target).resolve("a"), "first");
                }),
                target.toString(),
                "exists already");
        assertThat(target.resolve("a")).hasContent("first");
        assertThat(dir.toFile().list()).containsExactly("out");
    }

    @Test
    void aFailedCopyNamesOneFileAndTheReason() {
        Path target = dir.resolve("out");
        ModelException refusal = assertRefused(
                () -> WholeOrNothing.file(target, temporary -> {
                    throw new FileSystemException("from", temporary.toString(), "No space left on device");
                }),
                target.toString());
        assertThat(refusal).hasMessage(target + ": No space left on device");
    }

    @Test
    void leftoversAreTheTemporariesOfThatTargetAlone() throws IOException {
        Path target = dir.resolve("out");
        Path[] left = new Path[1];
        WholeOrNothing.file(target, temporary -> {
            Files.writeString(temporary, "x");
            left[0] = temporary;
            assertThat(WholeOrNothing.leftovers(target)).containsExactly(temporary.toRealPath());
            assertThat(WholeOrNothing.leftovers(dir.resolve("ou"))).isEmpty();
        });
        Files.writeString(dir.resolve(".out.mine.tmp"), "x");
        assertThat(WholeOrNothing.leftovers(target)).isEmpty();
        Files.writeString(left[0], "x");
        assertThat(WholeOrNothing.leftovers(target)).hasSize(1);
    }

    @Test
    @Timeout(60)
    void aProcessThatIsEndingBeginsNothing() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Ending.class.getName(),
                        dir.resolve("out").toString())
                .redirectErrorStream(true)
                .start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("cancelled");
        assertThat(dir).isEmptyDirectory();
    }

    static final class Ending {
        public static void main(String[] args) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    WholeOrNothing.directory(Path.of(args[0]), _ -> {});
                } catch (CancellationException _) {
                    System.out.print("cancelled");
                }
            }));
        }
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
