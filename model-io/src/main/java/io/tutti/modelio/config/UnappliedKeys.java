package io.tutti.modelio.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoublePredicate;
import java.util.function.Predicate;

/**
 * Keys of generation_config.json that transformers' {@code generate} applies and Tutti does not, with values that would
 * change the tokens. How long a text may become ({@code max_length}, {@code max_new_tokens}, {@code max_time}) is for
 * whoever asks for it to say, so those keys are not among them; nor are those that count beside {@code num_beams}
 * alone.
 *
 * @param always whatever way tokens are chosen; sorted
 * @param whenDrawn where tokens are drawn; sorted
 */
public record UnappliedKeys(List<String> always, List<String> whenDrawn) {
    /** No such key. */
    public static final UnappliedKeys NONE = new UnappliedKeys(List.of(), List.of());

    /** Which values of a key change nothing; a null never does. */
    private static final Map<String, Predicate<JsonNode>> NEUTRAL_ALWAYS = new TreeMap<>(Map.ofEntries(
            Map.entry("bad_words_ids", UnappliedKeys::isEmpty),
            Map.entry("begin_suppress_tokens", UnappliedKeys::isEmpty),
            Map.entry("constraints", UnappliedKeys::isEmpty),
            Map.entry("dola_layers", _ -> false),
            Map.entry("encoder_no_repeat_ngram_size", number(size -> size <= 0)),
            Map.entry("encoder_repetition_penalty", number(penalty -> penalty == 1)),
            Map.entry("exponential_decay_length_penalty", UnappliedKeys::isEmpty),
            Map.entry("force_words_ids", UnappliedKeys::isEmpty),
            Map.entry("forced_bos_token_id", _ -> false),
            Map.entry("forced_eos_token_id", UnappliedKeys::isEmpty),
            Map.entry("guidance_scale", number(scale -> scale == 1)),
            Map.entry("min_length", number(length -> length <= 0)),
            Map.entry("min_new_tokens", number(tokens -> tokens <= 0)),
            Map.entry("no_repeat_ngram_size", number(size -> size <= 0)),
            Map.entry("num_beams", number(beams -> beams == 1)),
            Map.entry("penalty_alpha", number(alpha -> alpha <= 0)),
            Map.entry("sequence_bias", UnappliedKeys::isEmpty),
            Map.entry("stop_strings", UnappliedKeys::isEmpty),
            Map.entry("suppress_tokens", UnappliedKeys::isEmpty),
            Map.entry("token_healing", UnappliedKeys::isFalse),
            Map.entry("watermarking_config", _ -> false)));

    private static final Map<String, Predicate<JsonNode>> NEUTRAL_WHEN_DRAWN = new TreeMap<>(Map.of(
            "epsilon_cutoff", number(cutoff -> cutoff <= 0 || cutoff >= 1),
            "eta_cutoff", number(cutoff -> cutoff <= 0 || cutoff >= 1),
            "top_h", _ -> false,
            "typical_p", number(mass -> mass >= 1)));

    public UnappliedKeys {
        always = List.copyOf(always);
        whenDrawn = List.copyOf(whenDrawn);
    }

    static UnappliedKeys of(JsonFields fields) {
        return new UnappliedKeys(changing(fields, NEUTRAL_ALWAYS), changing(fields, NEUTRAL_WHEN_DRAWN));
    }

    /** Those that count where tokens are drawn, or where the likeliest is taken. */
    public List<String> counting(boolean drawn) {
        List<String> keys = new ArrayList<>(always);
        if (drawn) {
            keys.addAll(whenDrawn);
        }
        return keys;
    }

    private static List<String> changing(JsonFields fields, Map<String, Predicate<JsonNode>> neutral) {
        return neutral.entrySet().stream()
                .filter(entry -> fields.value(entry.getKey())
                        .filter(entry.getValue().negate())
                        .isPresent())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** What is no number is not known to be neutral. */
    private static Predicate<JsonNode> number(DoublePredicate neutral) {
        return value -> value.isNumber() && neutral.test(value.doubleValue());
    }

    private static boolean isEmpty(JsonNode value) {
        return value.isContainerNode() && value.isEmpty();
    }

    private static boolean isFalse(JsonNode value) {
        return value.isBoolean() && !value.booleanValue();
    }
}
