package io.tutti.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What a process knows of itself. */
class ThisProcessTest {

    private static final Path HOME = Path.of(System.getProperty("tutti.home"));

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "other systems do not tell a process's peak in a file")
    void thePeakHoldsAllThatWasEverTouched() {
        byte[] touched = new byte[64 << 20];
        for (int i = 0; i < touched.length; i += 4096) {
            touched[i] = 1;
        }
        assertThat(PeakMemory.bytes().orElseThrow()).isGreaterThan(touched.length);
    }

    @Test
    void theCommitIsTheCheckouts() {
        assumeThat(HOME.resolve(".git")).as("a checkout, not an archive").exists();
        assertThat(Commit.of(HOME).orElseThrow()).matches("[0-9a-f]{12,}(-dirty)?");
    }

    @Test
    void aFolderThatIsNoCheckoutHasNoCommit(@TempDir Path folder) {
        assertThat(Commit.of(folder)).isEmpty();
        assertThat(Commit.of(HOME.resolve("cli"))).isEmpty();
    }
}
