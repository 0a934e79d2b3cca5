package io.tutti.tornado.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TornadoSdkTest {
    private static final String API = "share/java/tornado/tornado-api-5.2.0-jdk25.jar";
    private static final String INSTALL =
            "get one with 'sdk install tornadovm 5.2.0-jdk25-opencl', or set TORNADOVM_HOME to one";

    @TempDir
    Path dir;

    @Test
    void readsTheBackendsFromTheSdksOwnFiles() throws IOException {
        Path home = FakeSdk.create(dir.resolve("sdk"), "opencl", "ptx");
        FakeSdk.backends(home, "opencl-backend, ptx-backend");

        assertThat(TornadoSdk.read(home)).contains(new TornadoSdk(home, List.of("opencl", "ptx")));
    }

    @Test
    void backendsWithoutKernelsAreLeftOut() throws IOException {
        Path home = FakeSdk.create(dir.resolve("sdk"), "cuda", "spirv", "opencl");

        assertThat(TornadoSdk.read(home).orElseThrow().kernelBackends())
                .containsExactly(BackendKind.SPIRV, BackendKind.OPENCL);
    }

    @Test
    void looksInTornadovmHomeThenSdkmanThenOpt() {
        assertThat(TornadoSdk.candidates(Map.of("TORNADOVM_HOME", "/sdk", "SDKMAN_DIR", "/sdkman"), dir))
                .containsExactly(
                        Path.of("/sdk"), Path.of("/sdkman/candidates/tornadovm/current"), Path.of("/opt/tornadovm"));
        assertThat(TornadoSdk.candidates(Map.of("TORNADOVM_HOME", ""), dir))
                .containsExactly(dir.resolve(".sdkman/candidates/tornadovm/current"), Path.of("/opt/tornadovm"));
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "HOME means nothing there")
    void theHomeIsTheLaunchers() {
        Path own = dir.resolve("own");
        assertThat(TornadoSdk.candidates(Map.of("HOME", own.toString()), dir))
                .startsWith(own.resolve(".sdkman/candidates/tornadovm/current"));
        assertThat(TornadoSdk.candidates(Map.of("HOME", ""), dir))
                .startsWith(dir.resolve(".sdkman/candidates/tornadovm/current"));
    }

    @Test
    void takesTheFirstCandidateThatIsAnSdk() throws IOException {
        Path noSdk = Files.createDirectories(dir.resolve("none"));
        Path first = FakeSdk.create(dir.resolve("first"), "spirv", "opencl");
        Path second = FakeSdk.create(dir.resolve("second"), "ptx");

        assertThat(TornadoSdk.find(List.of(dir.resolve("absent"), noSdk, first, second)))
                .map(TornadoSdk::home)
                .contains(first);
        assertThat(TornadoSdk.find(List.of(noSdk))).isEmpty();
    }

    @Test
    void anSdkThatCannotBeUsedIsNotPassedOverForTheNext() throws IOException {
        Path old = FakeSdk.create(dir.resolve("old"), "5.1.0-jdk25", List.of("opencl"));
        Path good = FakeSdk.create(dir.resolve("good"), "opencl");

        assertThatThrownBy(() -> TornadoSdk.find(List.of(old, good))).isInstanceOf(TornadoSdkException.class);
    }

    @Test
    void aFolderWithoutTheApiJarIsNoSdk() throws IOException {
        Path home = FakeSdk.create(dir.resolve("sdk"), "opencl");
        Files.delete(home.resolve(API));

        assertThat(TornadoSdk.read(home)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.1.0-jdk25", "5.2.0-jdk21", "6.0.0-jdk25"})
    void anotherVersionIsRefusedWithItsFolderAndWhatIsAccepted(String version) throws IOException {
        Path home = FakeSdk.create(dir.resolve("sdk"), version, List.of("opencl"));

        refused(
                home,
                "the TornadoVM SDK in " + home + " is version " + version + "; accepted: 5.2.0-jdk25; " + INSTALL);
    }

    @Test
    void twoVersionsInOneSdkAreRefused() throws IOException {
        Path home = FakeSdk.create(dir.resolve("sdk"), "opencl");
        Files.createFile(home.resolve("share/java/tornado/tornado-api-5.1.0-jdk25.jar"));

        refused(
                home,
                "the TornadoVM SDK in " + home + " is version 5.1.0-jdk25 and 5.2.0-jdk25; accepted: 5.2.0-jdk25; "
                        + INSTALL);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ,", "metal-backend", "cuda-backend,metal-backend", "openclx-backend"})
    void anSdkWithNoneOfOurBackendsIsRefusedWithFileKeyAndValue(String value) throws IOException {
        Path home = FakeSdk.create(dir.resolve("sdk"), "opencl");
        Path file = FakeSdk.backends(home, value);

        refused(
                home,
                file + ": tornado.backends is '" + value.stripLeading() + "'; accepted: any of opencl, ptx, spirv; "
                        + INSTALL);
    }

    @Test
    void aBackendFileThatIsNotTextIsRefused() throws IOException {
        Path home = FakeSdk.create(dir.resolve("sdk"), "opencl");
        Path file = FakeSdk.backends(home, "\\u12");

        assertThatThrownBy(() -> TornadoSdk.read(home))
                .isInstanceOf(TornadoSdkException.class)
                .hasMessageStartingWith(file + ": cannot be read: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "share/java/tornado/tornado-runtime-5.2.0-jdk25.jar",
                "share/java/tornado/tornado-drivers-ptx-5.2.0-jdk25.jar",
                "etc/exportLists/common-exports",
                "etc/exportLists/ptx-exports",
                "share/java/graalJars",
                "lib"
            })
    void anSdkThatLacksAFileWhichTheJvmNeedsIsRefused(String file) throws IOException {
        Path home = FakeSdk.create(dir.resolve("sdk"), "ptx");
        Files.delete(home.resolve(file));

        refused(home, "the TornadoVM SDK in " + home + " is not whole: " + file + " is missing; " + INSTALL);
    }

    @Test
    void spirvAloneIsNotWholeWithoutTheOpenClDriverThatItIsMadeOf() throws IOException {
        Path home = FakeSdk.create(dir.resolve("sdk"), "spirv");

        assertThatThrownBy(() -> TornadoSdk.read(home)).hasMessageContaining("tornado-drivers-opencl-5.2.0-jdk25.jar");
    }

    private static void refused(Path home, String message) {
        assertThatThrownBy(() -> TornadoSdk.read(home))
                .isInstanceOf(TornadoSdkException.class)
                .hasMessage(message);
    }
}
