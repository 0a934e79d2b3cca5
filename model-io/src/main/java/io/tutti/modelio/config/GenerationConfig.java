package io.tutti.modelio.config;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.files.PlainFile;
import io.tutti.modelio.json.StrictJson;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What generation_config.json says: where a text begins and ends, and how a model's tokens are chosen. What it does not
 * say, or says to be null, is empty. The names are the file's own; whether a number is one that the sampler accepts is
 * for the sampler to say.
 *
 * @param file named in messages; need not exist
 * @param eosTokenIds the tokens that end a text; empty if the file names none
 * @param bosTokenId the token that starts a text, the first if there are several
 * @param doSample whether tokens are drawn; else, and where the file does not say, the likeliest is taken, and of the
 *     values below the penalty alone counts
 * @param unapplied what would change the tokens and is not applied
 */
public record GenerationConfig(
        Path file,
        List<Integer> eosTokenIds,
        OptionalInt bosTokenId,
        boolean doSample,
        Optional<Double> temperature,
        Optional<Integer> topK,
        Optional<Double> topP,
        Optional<Double> minP,
        Optional<Double> repetitionPenalty,
        UnappliedKeys unapplied) {

    /** The name of the file in a model directory. */
    public static final String FILE_NAME = "generation_config.json";

    public GenerationConfig {
        eosTokenIds = List.copyOf(eosTokenIds);
    }

    /**
     * Reads {@code dir}'s generation_config.json; without one it says what {@link #absent} does.
     *
     * @throws ModelException if it is malformed or a link to nothing, or one of these values is of the wrong kind
     */
    public static GenerationConfig load(Path dir) {
        Path file = dir.resolve(FILE_NAME);
        return PlainFile.isThere(file)
                ? parse(new JsonFields(
                        file, "", StrictJson.object(file, StrictJson.readBytes(file, ModelConfig.LONGEST_FILE))))
                : absent(dir);
    }

    /** What a file that is not there says: nothing. */
    public static GenerationConfig absent(Path dir) {
        return new GenerationConfig(
                dir.resolve(FILE_NAME),
                List.of(),
                OptionalInt.empty(),
                false,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                UnappliedKeys.NONE);
    }

    private static GenerationConfig parse(JsonFields fields) {
        return new GenerationConfig(
                fields.file(),
                fields.tokenIds("eos_token_id"),
                fields.tokenIds("bos_token_id").stream()
                        .mapToInt(Integer::intValue)
                        .findFirst(),
                fields.flag("do_sample", false),
                number(fields, "temperature"),
                fields.integer("top_k", 0, Integer.MAX_VALUE).stream().boxed().findFirst(),
                number(fields, "top_p"),
                number(fields, "min_p"),
                number(fields, "repetition_penalty"),
                UnappliedKeys.of(fields));
    }

    private static Optional<Double> number(JsonFields fields, String key) {
        return fields.number(key, "a number, or null");
    }
}
