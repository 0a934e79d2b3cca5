package io.tutti.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelNameTest {

    @ParameterizedTest
    @CsvSource({
        "owner/name, owner, name, main",
        "Qwen/Qwen2.5-0.5B-Instruct, Qwen, Qwen2.5-0.5B-Instruct, main",
        "o_w-n.er/n@v1.0, o_w-n.er, n, v1.0",
        "a/b@refs/pr/12, a, b, refs/pr/12",
        "a/b@feature/x@y, a, b, feature/x@y",
        "a/b@0123456, a, b, 0123456"
    })
    void namesHaveAnOwnerANameAndPerhapsARevision(String text, String owner, String name, String revision) {
        assertThat(ModelName.parse(text)).contains(new ModelName(owner, name, revision));
    }

    @Test
    void aNameIsToldAsItWasGiven() {
        assertThat(ModelName.parse("a/b").orElseThrow()).hasToString("a/b");
        assertThat(ModelName.parse("a/b@v1").orElseThrow()).hasToString("a/b@v1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "name",
                "/name",
                "owner/",
                "a/b/c",
                "./name",
                "../name",
                "~/name",
                "a/..",
                "a/b..c",
                "a/-b",
                "a/b.",
                "a/b--c",
                "a/b.git",
                "a/b c",
                "a/b\\c",
                "C:/b",
                "é/b",
                "a/b@",
                "a/b@/x",
                "a/b@x/",
                "a/b@x//y",
                "a/b@../x",
                "a/b@x/../../y",
                "a/b@.x",
                "a/b@x/.y",
                "a/b@x.lock",
                "a/b@x y",
                "a/b@x\ny",
                "a/b@x\\y",
                "a/b@x:y",
                "a/b@x@{1}"
            })
    void whatCouldLeadElsewhereIsNoName(String text) {
        assertThat(ModelName.parse(text)).isEmpty();
    }

    @Test
    void lengthsAreBounded() {
        assertThat(ModelName.parse("a/" + "b".repeat(94))).isPresent();
        assertThat(ModelName.parse("a/" + "b".repeat(95))).isEmpty();
        assertThat(ModelName.parse("a/b@" + "c".repeat(200))).isPresent();
        assertThat(ModelName.parse("a/b@" + "c".repeat(201))).isEmpty();
        assertThatThrownBy(() -> new ModelName("a", "b/c", "main")).isInstanceOf(IllegalArgumentException.class);
    }
}
