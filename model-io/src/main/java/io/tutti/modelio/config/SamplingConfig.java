package io.tutti.modelio.config;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.json.StrictJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What generation_config.json says about how a model's tokens are chosen. What it does not say, or says to be null, is
 * empty. The names are the file's own; whether a number is one that the sampler accepts is for the sampler to say.
 *
 * @param file named in messages; need not exist
 * @param doSample whether tokens are drawn; else, and where the file does not say, the likeliest is taken, and of the values
 *     below the penalty alone counts
 */
public record SamplingConfig(
        Path file,
        boolean doSample,
        Optional<Double> temperature,
        Optional<Integer> topK,
        Optional<Double> topP,
        Optional<Double> minP,
        Optional<Double> repetitionPenalty) {

    /**
     * Reads {@code dir}'s generation_config.json; without one nothing is said.
     *
     * @throws ModelException if it is malformed, or one of these values is of the wrong kind
     */
    public static SamplingConfig load(Path dir) {
        Path file = dir.resolve(ModelConfig.GENERATION_FILE_NAME);
        return Files.exists(file)
                ? parse(file, StrictJson.readBytes(file, ModelConfig.LONGEST_FILE))
                : new SamplingConfig(
                        file,
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty());
    }

    private static SamplingConfig parse(Path file, byte[] json) {
        JsonFields fields = new JsonFields(file, "", StrictJson.object(file, json));
        return new SamplingConfig(
                file,
                fields.flag("do_sample", false),
                number(fields, "temperature"),
                fields.integer("top_k", 0, Integer.MAX_VALUE).stream().boxed().findFirst(),
                number(fields, "top_p"),
                number(fields, "min_p"),
                number(fields, "repetition_penalty"));
    }

    private static Optional<Double> number(JsonFields fields, String key) {
        return fields.number(key, "a number, or null");
    }
}
