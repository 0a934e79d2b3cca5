package io.tutti.tornado.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JvmOptionsTest {
    @TempDir
    Path dir;

    @Test
    void everyPathIsTheSdksOwn() throws IOException {
        Path home = FakeSdk.create(dir.resolve("sdk"), "opencl");

        assertThat(options(home))
                .contains(
                        "-XX:+EnableJVMCI",
                        "--module-path=" + home.resolve("share/java/tornado") + File.pathSeparator
                                + home.resolve("share/java/graalJars"),
                        "--upgrade-module-path=" + home.resolve("share/java/graalJars"),
                        "-Djava.library.path=" + home.resolve("lib"),
                        "--add-modules=jdk.incubator.vector,tornado.runtime,tornado.annotation,tornado.drivers.common,"
                                + "tornado.drivers.opencl",
                        "--enable-native-access=tornado.drivers.opencl",
                        "-Dtornado.recover.bailout=False");
    }

    @Test
    void exportListsOfItsBackendsAreTakenInWithoutTheirComments() throws IOException {
        Path home = FakeSdk.create(dir.resolve("sdk"), "opencl", "cuda");
        FakeSdk.backends(home, "cuda-backend");
        Files.writeString(home.resolve("etc/tornado.backend"), "tornado.backends=cuda-backend,opencl-backend");

        assertThat(options(home))
                .containsSubsequence(
                        "--add-reads=tornado.runtime=compiler",
                        "--add-reads=tornado.cuda=compiler",
                        "--add-reads=tornado.opencl=compiler")
                .noneMatch(option -> option.startsWith("#") || option.isBlank());
    }

    @Test
    void spirvBringsTheOpenClDriverAndLevelZeroWithIt() throws IOException {
        Path home = FakeSdk.create(dir.resolve("sdk"), "spirv", "opencl");
        FakeSdk.backends(home, "spirv-backend");

        assertThat(options(home))
                .contains(
                        "--enable-native-access=tornado.drivers.spirv,tornado.drivers.opencl,beehive.levelzero.jni",
                        "--add-reads=tornado.opencl=compiler");
    }

    @Test
    void javaReadsTheFileBackWhateverThePath() throws Exception {
        Path home = FakeSdk.create(dir.resolve("an sdk # \"with\" \\ odd 'names'"), "opencl");
        Path file = dir.resolve("made/tornado.options");

        JvmOptions.write(TornadoSdk.read(home).orElseThrow(), file);

        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSameSizeAs(options(home));
        // This line alone: a real JVM does not start on a made-up SDK's modules.
        String libraries = lines.stream()
                .filter(line -> line.contains("library.path"))
                .findFirst()
                .orElseThrow();
        Files.writeString(file, libraries + "\n");
        Process java = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "@" + file,
                        "-XshowSettings:properties",
                        "-version")
                .redirectErrorStream(true)
                .start();
        assertThat(new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("java.library.path = " + home.resolve("lib"));
    }

    @Test
    void asAProgramItWritesTheFileOrEndsWithOneLineAndNothingWritten() throws Exception {
        Path good = FakeSdk.create(dir.resolve("good"), "opencl");
        Path old = FakeSdk.create(dir.resolve("old"), "5.1.0-jdk25", List.of("opencl"));
        Path file = dir.resolve("tornado.options");

        assertThat(run(old.toString(), file.toString()))
                .isEqualTo("1 the TornadoVM SDK in " + old + " is version 5.1.0-jdk25; accepted: 5.2.0-jdk25; "
                        + TornadoSdk.INSTALL + "\n");
        assertThat(run(dir.toString())).isEqualTo("1 " + dir + ": no TornadoVM SDK; " + TornadoSdk.INSTALL + "\n");
        assertThat(run(good.toString())).isEqualTo("0 ");
        assertThat(file).doesNotExist();

        assertThat(run(good.toString(), file.toString())).isEqualTo("0 ");
        assertThat(file).content().startsWith("\"-XX:+UnlockExperimentalVMOptions\"\n");
    }

    @Test
    void aJvmWithoutThemIsToldApart() {
        assertThat(JvmOptions.inForce()).isFalse();
    }

    private static String run(String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                JvmOptions.class.getName()));
        command.addAll(List.of(args));
        Process java = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return java.waitFor() + " " + output.replace(System.lineSeparator(), "\n");
    }

    private static List<String> options(Path home) {
        return JvmOptions.of(TornadoSdk.read(home).orElseThrow());
    }
}
