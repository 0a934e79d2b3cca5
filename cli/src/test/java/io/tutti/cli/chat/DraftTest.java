package io.tutti.cli.chat;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DraftTest {

    @Test
    void aBackslashAtTheEndOfALineAsksForAnother() {
        assertThat(Draft.isUnfinished("a\\")).isTrue();
        assertThat(Draft.isUnfinished("a\\\nb\\")).isTrue();
        assertThat(Draft.isUnfinished("a\\\nb")).isFalse();
        assertThat(Draft.isUnfinished("a\\ ")).isFalse();
        assertThat(Draft.isUnfinished("")).isFalse();
        assertThat(Draft.text("a\\\nb\\n\\\n\nc")).isEqualTo("a\nb\\n\n\nc");
    }

    @Test
    void aBlockGoesOnToItsEnd() {
        assertThat(Draft.isUnfinished("\"\"\"")).isTrue();
        assertThat(Draft.isUnfinished("\"\"\"\"")).isTrue();
        assertThat(Draft.isUnfinished("\"\"\"\na\\\n\"\" ")).isTrue();
        assertThat(Draft.isUnfinished("\"\"\"\na\n\"\"\"")).isFalse();
        assertThat(Draft.isUnfinished("\"\"\"a\"\"\" ")).isFalse();
        assertThat(Draft.isUnfinished("a \"\"\"")).isFalse();
        assertThat(Draft.text("\"\"\"\n a\\\n\nb\n\"\"\"")).isEqualTo(" a\\\n\nb");
        assertThat(Draft.text("\"\"\"a\"\"\" ")).isEqualTo("a");
        assertThat(Draft.text("\"\"\"\n\"\"\"")).isEmpty();
        assertThat(Draft.text("\"\"\"\nnever closed")).isEqualTo("never closed");
    }

    @Test
    void aCommandBeginsWithASlash() {
        assertThat(Draft.isCommand("/help")).isTrue();
        assertThat(Draft.isCommand(" /help")).isFalse();
        assertThat(Draft.isCommand("\"\"\"\n/help\n\"\"\"")).isFalse();
    }
}
