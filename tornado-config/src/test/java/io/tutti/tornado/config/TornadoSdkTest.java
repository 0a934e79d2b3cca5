package io.tutti.tornado.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TornadoSdkTest {
    @TempDir
    Path dir;

    @Test
    void readsVersionAndBackendsFromTheSdksOwnFiles() throws IOException {
        Path home = sdk("sdk", "tornado.backends=opencl-backend, ptx-backend\n", "5.2.0-jdk25");

        assertThat(TornadoSdk.read(home)).contains(new TornadoSdk(home, "5.2.0-jdk25", List.of("opencl", "ptx")));
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
    void takesTheFirstCandidateThatIsAnSdk() throws IOException {
        Path noSdk = Files.createDirectories(dir.resolve("none"));
        Path first = sdk("first", "tornado.backends=spirv-backend", "5.2.0-jdk25");
        Path second = sdk("second", "tornado.backends=ptx-backend", "5.1.0-jdk25");

        assertThat(TornadoSdk.find(List.of(dir.resolve("absent"), noSdk, first, second)))
                .map(TornadoSdk::home)
                .contains(first);
        assertThat(TornadoSdk.find(List.of(noSdk))).isEmpty();
    }

    @Test
    void aFolderWithoutTheApiJarIsNoSdk() throws IOException {
        Path home = sdk("sdk", "tornado.backends=opencl-backend", "5.2.0-jdk25");
        Files.move(
                home.resolve("share/java/tornado/tornado-api-5.2.0-jdk25.jar"),
                home.resolve("share/java/tornado/tornado-runtime-5.2.0-jdk25.jar"));

        assertThat(TornadoSdk.read(home)).isEmpty();
    }

    @Test
    void anSdkThatNamesNoBackendIsRefusedWithFileKeyAndValue() throws IOException {
        Path home = sdk("sdk", "tornado.backends= ,\n", "5.2.0-jdk25");

        assertThatThrownBy(() -> TornadoSdk.read(home))
                .isInstanceOf(TornadoSdkException.class)
                .hasMessage(home.resolve("etc/tornado.backend")
                        + ": tornado.backends is ','; expected a list such as 'opencl-backend,ptx-backend'");
    }

    @Test
    void aBackendFileThatIsNotTextIsRefused() throws IOException {
        Path home = sdk("sdk", "tornado.backends=\\u12", "5.2.0-jdk25");

        assertThatThrownBy(() -> TornadoSdk.read(home))
                .isInstanceOf(TornadoSdkException.class)
                .hasMessageStartingWith(home.resolve("etc/tornado.backend") + ": cannot be read: ");
    }

    @Test
    void twoVersionsInOneSdkAreRefused() throws IOException {
        Path home = sdk("sdk", "tornado.backends=opencl-backend", "5.2.0-jdk25");
        Files.createFile(home.resolve("share/java/tornado/tornado-api-5.1.0-jdk25.jar"));

        assertThatThrownBy(() -> TornadoSdk.read(home))
                .isInstanceOf(TornadoSdkException.class)
                .hasMessageContaining("[5.1.0-jdk25, 5.2.0-jdk25]; expected exactly one");
    }

    private Path sdk(String name, String backends, String version) throws IOException {
        Path home = dir.resolve(name);
        Path jars = Files.createDirectories(home.resolve("share/java/tornado"));
        Files.createFile(jars.resolve("tornado-api-" + version + ".jar"));
        Files.createDirectories(home.resolve("etc"));
        Files.writeString(home.resolve("etc/tornado.backend"), backends);
        return home;
    }
}
