package io.tutti.engine.selftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuildChecksumTest {
    @TempDir
    private Path root;

    @Test
    void changesWithOurOwnCodeOnly() throws IOException {
        Path classes = Files.createDirectories(root.resolve("classes/io"));
        Path jar = root.resolve("tutti-engine-1.jar");
        Path other = root.resolve("other.jar");
        Files.writeString(classes.resolve("A.class"), "a");
        Files.writeString(jar, "j");
        Files.writeString(other, "o");
        String path = String.join(
                File.pathSeparator,
                root.resolve("classes").toString(),
                jar.toString(),
                other.toString(),
                root.resolve("tutti-gone.jar").toString());
        String before = BuildChecksum.of(path);

        Files.writeString(other, "changed");
        assertThat(BuildChecksum.of(path)).isEqualTo(before);
        Files.writeString(jar, "k");
        assertThat(BuildChecksum.of(path)).isNotEqualTo(before);
        Files.writeString(jar, "j");
        assertThat(BuildChecksum.of(path)).isEqualTo(before);
        Files.move(classes.resolve("A.class"), classes.resolve("B.class"));
        assertThat(BuildChecksum.of(path)).isNotEqualTo(before);
    }

    @Test
    void thisProcessHasOne() throws IOException {
        assertThat(BuildChecksum.ofClassPath()).isNotEqualTo(BuildChecksum.of(""));
    }
}
