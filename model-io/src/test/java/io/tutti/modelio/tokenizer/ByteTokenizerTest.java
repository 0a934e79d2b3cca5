package io.tutti.modelio.tokenizer;

import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ByteTokenizerTest {
    private final Tokenizer tokenizer = ByteTokenizer.of(Path.of("model"), 256);

    @Test
    void idsAreTheBytesOfUtf8() {
        assertThat(tokenizer.encode("aé")).containsExactly('a', 0xC3, 0xA9);
        assertThat(tokenizer.encode("")).isEmpty();
        assertThat(tokenizer.decode(new int[] {'a', 0xC3, 0xA9}, false)).isEqualTo("aé");
    }

    @Test
    void idsPastTheBytesAreSpecialAndDecodeToNothing() {
        assertThat(tokenizer.decode(new int[] {256, 'a', 300, -1}, false)).isEqualTo("a");
    }

    @Test
    void bytesThatAreNotUtf8BecomeTheReplacementCharacter() {
        assertThat(tokenizer.decode(new int[] {0xFF, 'a'}, true)).isEqualTo("\uFFFDa");
    }

    @Test
    void aByteThatTheVocabularyLacksIsRefused() {
        Tokenizer ascii = ByteTokenizer.of(Path.of("model"), 128);
        assertThat(ascii.encode("\u007F")).containsExactly(127);
        assertRefused(() -> ascii.encode("é"), "model", "195", "128");
    }

    @Test
    void halfASurrogatePairIsRefused() {
        assertRefused(() -> tokenizer.encode("\uDE00"), "surrogate");
    }

    @Test
    void aCharacterIsHandedOutOnceAllItsBytesAreThere() {
        TextStream stream = tokenizer.stream();
        assertThat(stream.push('a')).isEqualTo("a");
        assertThat(stream.push(0xF0)).isEmpty();
        assertThat(stream.push(0x9F)).isEmpty();
        assertThat(stream.push(0x98)).isEmpty();
        assertThat(stream.push(0x80)).isEqualTo("😀");
        assertThat(stream.push(0xC3)).isEmpty();
        assertThat(stream.push('b')).isEqualTo("\uFFFDb");
        assertThat(stream.finish()).isEmpty();
    }

    @Property
    void streamedPartsTogetherAreTheWholeText(@ForAll @Size(max = 40) @IntRange(max = 260) int[] ids) {
        TextStream stream = tokenizer.stream();
        StringBuilder text = new StringBuilder();
        for (int id : ids) {
            text.append(stream.push(id));
        }
        assertThat(text.append(stream.finish())).hasToString(tokenizer.decode(ids, true));
    }
}
