package io.tutti.runtime.generate;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.runtime.generate.WrittenText.Part;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.IntRange;
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

    @Test
    void aSpecialTokenIsMatchedAndNotShown() {
        StopTexts stops = new StopTexts(List.of("d<end>"));
        assertThat(stops.push("an", new Part("an", 0))).isEqualTo("an");
        assertThat(stops.push("d", new Part("d", 0))).isEmpty();
        assertThat(stops.push("", new Part("<end>", 5))).isEmpty();
        assertThat(stops.found()).isTrue();
        assertThat(stops.finish()).isEmpty();
    }

    @Test
    void aSpaceThatIsWrittenAndNotShownLetsNothingOfTheStopThrough() {
        StopTexts stops = new StopTexts(List.of("Hello"));
        assertThat(stops.push("", new Part("<s>", 3))).isEmpty();
        assertThat(stops.push("Hell", new Part(" Hell", 0))).isEmpty();
        assertThat(stops.push("o", new Part("o", 0))).isEmpty();
        assertThat(stops.finish()).isEmpty();
    }

    @Test
    void whatIsShownLateIsHandedOutAtTheEnd() {
        StopTexts stops = new StopTexts(List.of("<end>"));
        assertThat(stops.push("", new Part("\u00E9<end>", 5))).isEmpty();
        assertThat(stops.found()).isTrue();
        assertThat(stops.push("\u00E9", new Part("", 0))).isEqualTo("\u00E9");
        assertThat(stops.finish()).isEmpty();
    }

    /** A piece of text: capitals are special tokens, which are not shown; each piece is shown some pieces later. */
    @Property
    void whatIsShownEndsBeforeTheStopHoweverLateItComes(
            @ForAll @Size(max = 10)
                    List<
                                    @CharRange(from = 'a', to = 'b') @CharRange(from = 'A', to = 'B')
                                    @StringLength(min = 1, max = 3) String>
                            tokens,
            @ForAll @Size(min = 1, max = 3)
                    List<
                                    @CharRange(from = 'a', to = 'b') @CharRange(from = 'A', to = 'B')
                                    @StringLength(min = 1, max = 4) String>
                            texts,
            @ForAll @IntRange(max = 2) int late) {
        StopTexts stops = new StopTexts(texts);
        StringBuilder got = new StringBuilder();
        StringBuilder whole = new StringBuilder();
        Deque<String> coming = new ArrayDeque<>();
        for (String token : tokens) {
            String written = isSpecial(token) ? token.toUpperCase(Locale.ROOT) : token.toLowerCase(Locale.ROOT);
            coming.add(isSpecial(token) ? "" : written);
            String shown = coming.size() > late ? coming.remove() : "";
            got.append(stops.push(shown, new Part(written, isSpecial(token) ? written.length() : 0)));
            whole.append(written);
            if (stops.found()) {
                break;
            }
        }
        got.append(stops.push(String.join("", coming), new Part("", 0))).append(stops.finish());

        assertThat(got.toString()).isEqualTo(shown(beforeTheFirst(texts, whole.toString())));
        assertThat(stops.found()).isEqualTo(texts.stream().anyMatch(whole.toString()::contains));
    }

    private static boolean isSpecial(String token) {
        return Character.isUpperCase(token.charAt(0));
    }

    private static String shown(String written) {
        return written.replaceAll("[A-Z]", "");
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
        assertThat(got.toString()).isEqualTo(beforeTheFirst(texts, whole));
        assertThat(stops.found()).isEqualTo(texts.stream().anyMatch(whole::contains));
    }

    /** What stands before the stop that is complete first, the longest of those. */
    private static String beforeTheFirst(List<String> stops, String whole) {
        for (int end = 1; end <= whole.length(); end++) {
            String read = whole.substring(0, end);
            int longest = stops.stream()
                    .filter(read::endsWith)
                    .mapToInt(String::length)
                    .max()
                    .orElse(0);
            if (longest > 0) {
                return read.substring(0, end - longest);
            }
        }
        return whole;
    }
}
