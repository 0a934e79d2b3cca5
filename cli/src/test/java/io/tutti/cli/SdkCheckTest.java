package io.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Unavailable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SdkCheckTest {
    @TempDir
    Path dir;

    @Test
    void anSdkOfAnotherVersionIsUnavailableForThatReason() throws IOException {
        SdkCheck check = new SdkCheck(sdk("6.0.0-jdk25", "opencl-backend").toString());

        assertThat(check.unavailable())
                .singleElement()
                .satisfies(unavailable -> assertThat(unavailable.text())
                        .startsWith("TornadoVM backend: the TornadoVM SDK in " + dir
                                + " is version 6.0.0-jdk25; accepted: 5.2.0-jdk25; get one with"));
        assertThat(check.devices(BackendOptions.defaults())).isEmpty();
    }

    @Test
    void anSdkWithOnlyAnotherBackendIsUnavailableForThatReason() throws IOException {
        assertThat(new SdkCheck(sdk("5.2.0-jdk25", "metal-backend").toString()).unavailable())
                .extracting(Unavailable::reason)
                .singleElement()
                .satisfies(reason -> assertThat(reason)
                        .startsWith(dir.resolve("etc/tornado.backend")
                                + ": tornado.backends is 'metal-backend'; accepted: any of opencl, ptx, spirv"));
    }

    @Test
    void whereThereIsNoSdkThereIsNothingToSay() {
        assertThat(new SdkCheck("").unavailable()).isEmpty();
        assertThat(new SdkCheck(dir.toString()).unavailable()).isEmpty();
    }

    private Path sdk(String version, String backends) throws IOException {
        Files.createDirectories(dir.resolve("etc"));
        Files.writeString(dir.resolve("etc/tornado.backend"), "tornado.backends=" + backends + "\n");
        Path jars = Files.createDirectories(dir.resolve("share/java/tornado"));
        Files.createFile(jars.resolve("tornado-api-" + version + ".jar"));
        return dir;
    }
}
