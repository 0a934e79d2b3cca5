package io.tutti.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.modelio.files.UserHome;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HubEnvironmentTest {

    @TempDir
    private Path home;

    private HubEnvironment environment(String... namesAndValues) {
        Map<String, String> variables = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            variables.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return new HubEnvironment(variables, homeAt(home));
    }

    private UserHome homeAt(Path path) {
        return new UserHome(
                Map.of("HOME", path.toString()), "Linux", "?", Path.of(System.getProperty("java.io.tmpdir")));
    }

    @Test
    void theCacheIsWhereHuggingfaceHubLooksForIt() {
        String[] all = {"HF_HUB_CACHE", "/a", "HUGGINGFACE_HUB_CACHE", "/b", "HF_HOME", "/c", "XDG_CACHE_HOME", "/d"};
        assertThat(environment(all).cache()).isEqualTo(Path.of("/a"));
        all[0] = "OTHER";
        assertThat(environment(all).cache()).isEqualTo(Path.of("/b"));
        all[2] = "ANOTHER";
        assertThat(environment(all).cache()).isEqualTo(Path.of("/c/hub"));
        all[4] = "THIRD";
        assertThat(environment(all).cache()).isEqualTo(Path.of("/d/huggingface/hub"));
        assertThat(environment().cache()).isEqualTo(home.resolve(".cache/huggingface/hub"));
        assertThat(environment("HF_HUB_CACHE", "").cache()).isEqualTo(home.resolve(".cache/huggingface/hub"));
    }

    @Test
    void pathsMayNameTheHomeAndOtherVariables() {
        assertThat(environment("HF_HOME", "~/hf").cache()).isEqualTo(home.resolve("hf/hub"));
        assertThat(environment("HF_HUB_CACHE", "~").cache()).isEqualTo(home);
        assertThat(environment("HF_HUB_CACHE", "$DISK/${WHERE}/$NOT_SET", "DISK", "/d$1", "WHERE", "w")
                        .cache())
                .isEqualTo(Path.of("/d$1/w/$NOT_SET"));
        assertThatThrownBy(() -> environment("HF_HOME", "a\0b").cache())
                .isInstanceOf(HubException.class)
                .hasMessageContaining("HF_HOME");
    }

    @Test
    void theTokenIsTheVariablesOrTheFiles() throws IOException {
        assertThat(environment().token()).isEmpty();
        Path file = Files.createDirectories(home.resolve(".cache/huggingface")).resolve("token");
        Files.writeString(file, "hf_file\n");
        assertThat(environment().token()).contains("hf_file");
        assertThat(environment("HF_TOKEN", " hf_env\r\n").token()).contains("hf_env");
        assertThat(environment("HUGGING_FACE_HUB_TOKEN", "hf_old").token()).contains("hf_old");
        assertThat(environment("HF_TOKEN", " ").token()).contains("hf_file");
        assertThat(environment("HF_TOKEN_PATH", home.resolve("none").toString()).token())
                .isEmpty();
        assertThat(environment("HF_TOKEN", "hf_env", "HF_HUB_DISABLE_IMPLICIT_TOKEN", "1")
                        .token())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "UTF-8, '', '\n'",
        "UTF-8, '', '\r\n'",
        "UTF-8, '\uFEFF', ''",
        "UTF-8, '\uFEFF', '\r\n'",
        "UTF-16LE, '\uFEFF', '\r\n'",
        "UTF-16BE, '\uFEFF', '\n'"
    })
    void aTokenFileMayEndInALineBreakAndBeginWithAByteOrderMark(String charset, String before, String after)
            throws IOException {
        Path file = home.resolve("token");
        Files.write(file, (before + "hf_file" + after).getBytes(Charset.forName(charset)));
        assertThat(environment("HF_TOKEN_PATH", file.toString()).token()).contains("hf_file");
    }

    @Test
    void relativePathsStartWhereTheProcessDoes() {
        assertThat(environment("HF_HOME", "hf").cache()).isEqualTo(Path.of("hf/hub"));
        assertThat(environment("XDG_CACHE_HOME", "xdg").cache()).isEqualTo(Path.of("xdg/huggingface/hub"));
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "a home is another one there")
    void whatIsInTheHomeAlreadyIsReadEvenIfNothingCanBeMadeThere() throws IOException {
        Path cache = Files.createDirectories(home.resolve(".cache/huggingface/hub"));
        Files.writeString(home.resolve(".cache/huggingface/token"), "hf_file");
        Set<PosixFilePermission> all = Files.getPosixFilePermissions(cache);
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            assertThat(environment().cache()).isEqualTo(cache);
            assertThat(environment().token()).contains("hf_file");
            assertThat(environment().note()).isEmpty();
        } finally {
            Files.setPosixFilePermissions(cache, all);
        }
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "a home is another one there")
    void withoutAHomeThatCanBeWrittenModelsGoToTheTemporaryFolderAndANoteSaysSo() throws IOException {
        Path file = Files.writeString(home.resolve("file"), "");
        Path temporary = Files.createDirectory(home.resolve("tmp"));
        UserHome none = new UserHome(Map.of("HOME", file.toString()), "Linux", "?", temporary);
        HubEnvironment environment = new HubEnvironment(Map.of(), none);

        assertThat(environment.cache().toString())
                .startsWith(temporary.resolve("tutti-").toString())
                .endsWith("/.cache/huggingface/hub");
        assertThat(environment.token()).isEmpty();
        assertThat(environment.note()).get().asString().contains(file.toString(), "set XDG_CACHE_HOME");
        assertThat(new HubEnvironment(Map.of("HF_HUB_CACHE", "/m"), none).note())
                .isEmpty();

        Files.delete(temporary.resolve(environment.cache().getName(temporary.getNameCount())));
        Files.delete(temporary);
        HubEnvironment nowhere =
                new HubEnvironment(Map.of(), new UserHome(Map.of("HOME", file.toString()), "Linux", "?", temporary));
        assertThatThrownBy(nowhere::cache)
                .isInstanceOf(HubException.class)
                .hasMessageContaining("cannot be written")
                .hasMessageEndingWith("; accepted: XDG_CACHE_HOME naming a folder of your own");
    }

    @ParameterizedTest
    @ValueSource(strings = {"two words", "line\nfeed", "é", "\u0001"})
    void aTokenThatCouldBeMoreThanAHeaderIsRefusedAndNotShown(String token) throws IOException {
        assertThatThrownBy(() -> environment("HF_TOKEN", token).token())
                .isInstanceOf(HubException.class)
                .hasMessageStartingWith("HF_TOKEN holds no token")
                .hasMessageNotContaining(token);
        Path file = Files.writeString(home.resolve("secret"), token);
        assertThatThrownBy(() -> environment("HF_TOKEN_PATH", file.toString()).token())
                .hasMessageStartingWith(file + " holds no token");
        assertThatThrownBy(() -> environment("HF_TOKEN_PATH", home.toString()).token())
                .hasMessageContaining("cannot be read");
    }

    @Test
    void theEndpointIsAnAddressOfTheWeb() {
        assertThat(environment().endpoint()).hasToString(HubEnvironment.DEFAULT_ENDPOINT);
        assertThat(environment("HF_ENDPOINT", "http://localhost:80/mirror//").endpoint())
                .hasToString("http://localhost:80/mirror");
        assertThat(environment("HF_ENDPOINT", "http://[::1]:65535").endpoint()).hasPort(65_535);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://host",
                "host",
                "https://",
                "https://:80",
                "https://host:0",
                "https://host:65536",
                "https://host:99999999999",
                "https://host:port",
                "https://host?q",
                "https://host#f",
                "a b",
                "file:///etc"
            })
    void anotherEndpointIsRefusedWithWhatIsAccepted(String wrong) {
        assertThatThrownBy(() -> environment("HF_ENDPOINT", wrong).endpoint())
                .isInstanceOf(HubException.class)
                .hasMessageContaining("HF_ENDPOINT is \"" + wrong.replaceAll("/+$", ""))
                .hasMessageContaining("; accepted: http:// or https:// with a host, a port from 1 to 65535");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://user:hf_secret@host",
                "https://hf_secret@host:70000",
                "https://user:80/hf_secret@host",
                "user:hf_secret@host"
            })
    void anEndpointWithAPasswordIsRefusedAndNotShown(String secret) {
        assertThatThrownBy(() -> environment("HF_ENDPOINT", secret).endpoint())
                .isInstanceOf(HubException.class)
                .hasMessageStartingWith("HF_ENDPOINT has an @")
                .hasMessageContaining("HF_TOKEN")
                .hasMessageNotContaining("hf_secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "on", "YES", "True"})
    void switchesAreOnWithTheSameWords(String on) {
        assertThat(environment("HF_HUB_OFFLINE", on).offline()).isTrue();
        assertThat(environment("TRANSFORMERS_OFFLINE", on).offline()).isTrue();
        assertThat(environment("HF_HUB_DISABLE_SYMLINKS", on).symbolicLinks()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "off", "no"})
    void switchesAreOffOtherwise(String off) {
        assertThat(environment("HF_HUB_OFFLINE", off).offline()).isFalse();
        assertThat(environment("HF_HUB_DISABLE_SYMLINKS", off).symbolicLinks()).isTrue();
        assertThat(environment().offline()).isFalse();
    }
}
