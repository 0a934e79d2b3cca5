package io.tutti.modelio.config;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.files.PlainFile;
import io.tutti.modelio.json.StrictJson;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * What generation_config.json says: where a text begins and ends, and how a model's tokens are chosen. What is absent or null
 * in the file is empty here. The names are the file's own. Values for drawing tokens are read when they are asked for, so that
 * one that is ignored is not refused; the sampler decides which numbers it accepts. Each refusal names the option that ignores
 * the file.
 */
public final class GenerationConfig {

    /** The name of the file in a model directory. */
    public static final String FILE_NAME = "generation_config.json";

    /** The end of each refusal. */
    private static final String ADVICE = " (generate and chat leave the file aside with --no-model-defaults)";

    private final JsonFields fields;
    private final List<Integer> eosTokenIds;
    private final OptionalInt bosTokenId;
    private final boolean doSample;

    private GenerationConfig(JsonFields fields) {
        this.fields = fields;
        eosTokenIds = List.copyOf(fields.tokenIds("eos_token_id"));
        bosTokenId = fields.tokenIds("bos_token_id").stream()
                .mapToInt(Integer::intValue)
                .findFirst();
        doSample = fields.flag("do_sample", false);
    }

    /**
     * Reads {@code dir}'s generation_config.json; without one it says what {@link #absent} does.
     *
     * @throws ModelException if it is malformed or a link to nothing, or its tokens or do_sample are of the wrong kind
     */
    public static GenerationConfig load(Path dir) {
        Path file = dir.resolve(FILE_NAME);
        return advised(() -> PlainFile.isThere(file)
                ? new GenerationConfig(new JsonFields(
                        file, "", StrictJson.object(file, StrictJson.readBytes(file, ConfigFile.MAX_BYTES))))
                : absent(dir));
    }

    /** What a file that is not there says: nothing. */
    public static GenerationConfig absent(Path dir) {
        return new GenerationConfig(new JsonFields(dir.resolve(FILE_NAME), "", JsonNodeFactory.instance.objectNode()));
    }

    /** The file, which need not exist; for messages. */
    public Path file() {
        return fields.file();
    }

    /** The tokens that end a text; empty if the file names none. */
    public List<Integer> eosTokenIds() {
        return eosTokenIds;
    }

    /** The token that starts a text, the first if there are several. */
    public OptionalInt bosTokenId() {
        return bosTokenId;
    }

    /**
     * Whether tokens are drawn; else, and where the file does not say, the likeliest is taken, and of the values below
     * the penalty alone counts.
     */
    public boolean doSample() {
        return doSample;
    }

    /** A value that counts where tokens are drawn; refused if it is not a number, as are those below. */
    public Optional<Double> temperature() {
        return number("temperature");
    }

    public Optional<Integer> topK() {
        return advised(() ->
                fields.integer("top_k", 0, Integer.MAX_VALUE).stream().boxed().findFirst());
    }

    public Optional<Double> topP() {
        return number("top_p");
    }

    public Optional<Double> minP() {
        return number("min_p");
    }

    public Optional<Double> repetitionPenalty() {
        return number("repetition_penalty");
    }

    /** What would change the tokens and is not applied. */
    public UnappliedKeys unapplied() {
        return UnappliedKeys.of(fields);
    }

    /** The refusal of the value of {@code key}, which is there. */
    public ModelException refuse(String key, String accepted) {
        return advised(fields.refuse(key, accepted));
    }

    private Optional<Double> number(String key) {
        return advised(() -> fields.number(key, "a number, or null"));
    }

    private static <T> T advised(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (ModelException e) {
            throw advised(e);
        }
    }

    private static ModelException advised(ModelException refusal) {
        return new ModelException(refusal.getMessage() + ADVICE, refusal);
    }
}
