package io.tutti.cli.chat;

import io.tutti.cli.option.Seed;
import io.tutti.cli.option.WhenFull;
import io.tutti.engine.generate.GenerationRequest;
import io.tutti.modelio.tokenizer.Ends;
import io.tutti.sample.SamplingParams;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * How answers are made.
 *
 * @param maxTokens tokens of an answer at most; empty for as many as there is room for
 * @param seed of each answer's generator, so that a conversation gives the same answer whenever it is asked for
 * @param variables further variables of the chat template
 * @param whenFull what happens to a message for which there is no room
 * @param stopTokens ids that end an answer
 * @param stopTexts texts that end an answer
 * @param chunk prompt tokens that a step takes at most
 */
public record Settings(
        OptionalInt maxTokens,
        SamplingParams sampling,
        Seed seed,
        Map<String, Object> variables,
        WhenFull whenFull,
        List<Integer> stopTokens,
        List<String> stopTexts,
        int chunk) {

    public Settings {
        variables = Collections.unmodifiableMap(new LinkedHashMap<>(variables)); // A value may be null.
    }

    Settings withMaxTokens(int value) {
        return new Settings(OptionalInt.of(value), sampling, seed, variables, whenFull, stopTokens, stopTexts, chunk);
    }

    Settings withSampling(SamplingParams value) {
        return new Settings(maxTokens, value, seed, variables, whenFull, stopTokens, stopTexts, chunk);
    }

    Settings withSeed(Seed value) {
        return new Settings(maxTokens, sampling, value, variables, whenFull, stopTokens, stopTexts, chunk);
    }

    Settings withVariables(Map<String, Object> value) {
        return new Settings(maxTokens, sampling, seed, value, whenFull, stopTokens, stopTexts, chunk);
    }

    Settings withWhenFull(WhenFull value) {
        return new Settings(maxTokens, sampling, seed, variables, value, stopTokens, stopTexts, chunk);
    }

    /** These with further ends of an answer. */
    public Settings with(Ends ends) {
        List<String> texts = new ArrayList<>(stopTexts);
        texts.addAll(ends.texts());
        return new Settings(maxTokens, sampling, seed, variables, whenFull, ends.tokenIds(), texts, chunk);
    }

    /** What to generate after {@code prompt}, where {@code room} more tokens fit. */
    GenerationRequest request(int[] prompt, int room) {
        int most = Math.min(room, maxTokens.orElse(room));
        return new GenerationRequest(prompt, most, sampling, seed.value(), stopTokens, stopTexts, false, chunk, true);
    }
}
