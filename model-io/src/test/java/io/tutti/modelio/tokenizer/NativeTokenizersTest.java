package io.tutti.modelio.tokenizer;

import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.modelio.Models;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NativeTokenizersTest {
    @TempDir
    Path dir;

    @ParameterizedTest
    @CsvSource({
        "Linux,amd64,linux-x86_64", "Linux,aarch64,linux-aarch64", "Mac OS X,aarch64,osx-aarch64",
        "Mac OS X,x86_64,osx-x86_64", "Windows 11,amd64,win-x86_64", "Windows 11,aarch64,win-aarch64"
    })
    void systemsHaveTheNamesOfTheJar(String os, String arch, String platform) {
        assertThat(NativeTokenizers.platform(os, arch)).isEqualTo(platform);
    }

    @ParameterizedTest
    @CsvSource({"osx-x86_64", "win-aarch64", "linux-riscv64", "sunos-x86_64"})
    void aSystemWithoutALibraryGetsOneClearLine(String platform) {
        assertRefused(() -> NativeTokenizers.extract(platform, dir), platform, "accepted: linux-x86_64", "--tokens");
        assertThat(dir).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({"linux-x86_64", "linux-aarch64", "osx-aarch64", "win-x86_64"})
    void theLibraryIsUnpackedOnce(String platform) throws IOException {
        List<Path> files = NativeTokenizers.extract(platform, dir);
        assertThat(files).isNotEmpty().allSatisfy(file -> assertThat(file).isRegularFile());
        assertThat(files.getLast().getFileName().toString()).contains("tokenizers");
        assertThat(files.getFirst().getParent().getFileName().toString()).contains(platform, "0.38.0");
        long size = Files.size(files.getLast());
        // A file that is there and whole is left alone, a cut-short one is not.
        Files.setLastModifiedTime(files.getLast(), FileTime.fromMillis(0));
        NativeTokenizers.extract(platform, dir);
        assertThat(Files.getLastModifiedTime(files.getLast()).toMillis()).isZero();
        Files.write(files.getLast(), new byte[3]);
        NativeTokenizers.extract(platform, dir);
        assertThat(files.getLast()).hasSize(size);
        assertThat(files.getLast().getParent().toFile().list()).hasSize(files.size());
    }

    @Test
    void noConnectionIsOpened() throws Exception {
        Path tokenizer =
                Models.write(dir, "tokenizer.json", TokenizerFiles.byteLevel().toString());
        assertThat(run(List.of(), Offline.class, tokenizer)).contains("attempts 0", "trap works");
    }

    @Test
    void theCodeThatCallsHomeIsNotOnTheClassPath() {
        assertThatThrownBy(() -> Class.forName("ai.djl.util.Ec2Utils")).isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void tokensAloneLoadNothingNative() throws Exception {
        Models.write(dir, "tokenizer.json", TokenizerFiles.byteLevel().toString());
        Models.write(dir, "config.json", Models.CONFIG);
        String loaded = run(List.of("-verbose:class"), TokensOnly.class, dir);
        assertThat(loaded).contains("io.tutti.modelio.config.TextConfig").doesNotContain("TokenizersLibrary");
    }

    /** Runs {@code main} in a JVM of its own, since its traps cannot be taken away again. */
    private static String run(List<String> options, Class<?> main, Path argument) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(main.getName(), argument.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }
}
