package io.tutti.engine.generate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class StopTextsTest {

    @Test
    void textBeforeAStopIsHandedOutAndTheStopIsNot() {
        StopTexts stops = new StopTexts(List.of("END"));
        assertThat(stops.push("one EN")).isEqualTo("one ");
        assertThat(stops.push("D two")).isEmpty();
        assertThat(stops.found()).isTrue();
        assertThat(stops.push("three")).isEmpty();
        assertThat(stops.finish()).isEmpty();
    }

    @Test
    void whatOnlyLookedLikeAStopIsHandedOut() {
        StopTexts stops = new StopTexts(List.of("aab"));
        assertThat(stops.push("aa")).isEmpty();
        assertThat(stops.push("a")).isEqualTo("a");
        assertThat(stops.push("c")).isEqualTo("aac");
        assertThat(stops.push("a")).isEmpty();
        assertThat(stops.finish()).isEqualTo("a");
        assertThat(stops.found()).isFalse();
    }

    @Test
    void theFirstOfSeveralStopsCounts() {
        StopTexts stops = new StopTexts(List.of("later", "now"));
        assertThat(stops.push("it is now or later")).isEqualTo("it is ");
        assertThat(stops.found()).isTrue();
    }

    @Property
    void thePartsThatTheTextComesInDoNotMatter(
            @ForAll @Size(max = 12) List<@CharRange(from = 'a', to = 'b') @StringLength(max = 4) String> parts,
            @ForAll @Size(min = 1, max = 3)
                    List<@CharRange(from = 'a', to = 'b') @StringLength(min = 1, max = 4) String> texts) {
        StopTexts stops = new StopTexts(texts);
        StringBuilder got = new StringBuilder();
        parts.forEach(part -> got.append(stops.push(part)));
        got.append(stops.finish());

        String whole = String.join("", parts);
        String want = whole;
        for (int end = 1; end <= whole.length() && want.equals(whole); end++) {
            String read = whole.substring(0, end);
            int longest = texts.stream()
                    .filter(read::endsWith)
                    .mapToInt(String::length)
                    .max()
                    .orElse(0);
            want = longest > 0 ? read.substring(0, end - longest) : want;
        }
        assertThat(got.toString()).isEqualTo(want);
        assertThat(stops.found()).isEqualTo(texts.stream().anyMatch(whole::contains));
    }
}
