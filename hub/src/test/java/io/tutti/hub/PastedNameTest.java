package io.tutti.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tutti.modelio.files.UserHome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PastedNameTest {

    private static HubEnvironment environment(String endpoint) {
        UserHome home = new UserHome(Map.of(), "Linux", "?", Path.of("none"));
        return new HubEnvironment(endpoint.isEmpty() ? Map.of() : Map.of("HF_ENDPOINT", endpoint), home);
    }

    private static Optional<PastedName> parse(String text) {
        return PastedName.parse(text, environment(""));
    }

    static JsonNode vectors() throws IOException {
        return new ObjectMapper()
                .readTree(Path.of(System.getProperty("tutti.golden"), "vectors", "hub.json")
                        .toFile());
    }

    @Test
    void addressesMeanWhatTheyMeanToHuggingfaceHub() throws IOException {
        JsonNode vectors = vectors();
        HubEnvironment environment = environment(vectors.get("endpoint").textValue());
        int named = 0;
        for (JsonNode vector : vectors.get("names")) {
            String text = vector.get("text").textValue();
            if (vector.get("name").isNull()) {
                assertThatThrownBy(() -> PastedName.parse(text, environment))
                        .as(text)
                        .isInstanceOf(HubException.class);
                continue;
            }
            named++;
            PastedName name = PastedName.parse(text, environment).orElseThrow();
            assertThat(name.model().repository())
                    .as(text)
                    .isEqualTo(vector.get("name").textValue());
            assertThat(name.revisionGiven())
                    .as(text)
                    .isEqualTo(!vector.get("revision").isNull());
            assertThat(name.model().revision())
                    .as(text)
                    .isEqualTo(vector.get("revision").asText("main"));
        }
        assertThat(named).isGreaterThan(100);
    }

    @ParameterizedTest
    @CsvSource({
        "owner/name, main, false",
        "owner/name/, main, false",
        "'  owner/name\n', main, false",
        "owner/name@main, main, true",
        "owner/name@v1, v1, true",
        "' https://huggingface.co/owner/name ', main, false",
        "https://huggingface.co/owner/name.git, main, false",
        "git@hf.co:owner/name, main, false",
        "https://huggingface.co/owner/name/commits/v1, v1, true",
        "https://huggingface.co/owner/name/commit/0123456789abcdef0123456789abcdef01234567, 0123456789abcdef0123456789abcdef01234567, true",
        "https://huggingface.co/owner/name/edit/main/README.md, main, true",
        "https://huggingface.co/owner/name/discussions/3, main, false",
        "https://huggingface.co:443/owner/name, main, false",
        "HF://owner/name@v1, v1, true"
    })
    void whatPeopleCopyFromTheHubIsAName(String text, String revision, boolean given) {
        assertThat(parse(text)).contains(new PastedName(new ModelName("owner", "name", revision), given));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://example.com/owner/name",
                "https://huggingface.co.example.com/owner/name",
                "https://example.com/https://huggingface.co/owner/name",
                "https://huggingface.co/datasets/owner/name",
                "https://huggingface.co/owner/name/unheard-of",
                "https://huggingface.co/owner/name/tree/..",
                "https://huggingface.co/owner/name/tree/%2e%2e%2fx",
                "https://huggingface.co/owner/na%2Fme",
                "https://huggingface.co/%ZZ/name",
                "hf.co/owner",
                "hf.co/owner/name:Q4_K_M",
                "ftp://huggingface.co/owner/name",
                "file:///owner/name",
                "hf://owner/name@"
            })
    void addressesOfSomethingElseAreRefusedByName(String text) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(HubException.class)
                .hasMessageStartingWith('"' + text + '"')
                .hasMessageContaining("; accepted: owner/name[@revision], or https://huggingface.co/owner/name");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://user:hf_secret@huggingface.co/owner/name",
                "https://hf_secret@example.com/owner/name",
                "https://hf_secret@huggingface.co"
            })
    void aPasswordInAnAddressIsNotShown(String text) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(HubException.class)
                .hasMessageContaining("has an @")
                .hasMessageContaining("HF_TOKEN")
                .hasMessageNotContaining("hf_secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "name", "a/b/c", "./owner/name", "C:\\models\\a", "models.example/a/b", "/a/b", "a b/c"
            })
    void pathsAreNoNames(String text) {
        assertThat(parse(text)).isEmpty();
    }

    @Test
    void theHubIsTheOneOfTheEnvironmentToo() {
        HubEnvironment own = environment("http://127.0.0.1:8080/mirror");
        ModelName model = new ModelName("owner", "name", "main");
        assertThat(PastedName.parse("http://127.0.0.1:8080/mirror/owner/name", own))
                .contains(new PastedName(model, false));
        assertThat(PastedName.parse("127.0.0.1:8080/mirror/owner/name", own)).contains(new PastedName(model, false));
        assertThatThrownBy(() -> PastedName.parse("http://127.0.0.2:8080/mirror/owner/name", own))
                .hasMessageContaining("accepted: owner/name[@revision], or http://127.0.0.1:8080/mirror/owner/name");
    }

    @Test
    void aWrongEndpointDoesNotMatterToAName() {
        HubEnvironment wrong = environment("nonsense");
        assertThat(PastedName.parse("owner/name", wrong)).isPresent();
        assertThat(PastedName.parse("hf.co/owner/name", wrong)).isPresent();
    }
}
