package io.tutti.modelio.config;

import io.tutti.modelio.ModelException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What config.json says of a model's tokens and texts, whatever its architecture. The names are config.json's own.
 *
 * @param modelType which architecture it is: Tutti's own tl_arch, else model_type
 * @param vocabSize logits a position
 * @param eosTokenIds the tokens that end a text; generation_config.json's if it names any, else config.json's. The model
 *     need not have a logit for each: {@link io.tutti.modelio.tokenizer.Ends}
 * @param eosFile the name of the file that names them
 * @param bosTokenId the token that starts a text, if one is named
 */
public record TextConfig(
        String modelType,
        TokenizerKind tokenizer,
        int vocabSize,
        List<Integer> eosTokenIds,
        String eosFile,
        OptionalInt bosTokenId) {

    private static final String ARCHITECTURE = "tl_arch";
    private static final String TOKENIZER = "tl_tokenizer";
    private static final String MODEL_TYPE = "model_type";
    private static final String A_NAME = "the name of an architecture";

    public TextConfig {
        eosTokenIds = List.copyOf(eosTokenIds);
    }

    /**
     * Reads {@code dir}'s config.json, and its generation_config.json if there is one.
     *
     * @throws ModelException if a file is missing or malformed
     */
    public static TextConfig load(Path dir) {
        return of(ConfigFile.read(dir)).with(GenerationConfig.load(dir));
    }

    /**
     * What config.json alone says.
     *
     * @throws ModelException if a key is missing or of the wrong kind
     */
    public static TextConfig of(JsonFields fields) {
        String modelType = modelType(fields);
        TokenizerKind tokenizer = tokenizer(fields);
        List<Integer> starts = fields.tokenIds("bos_token_id");
        return new TextConfig(
                modelType,
                tokenizer,
                fields.requiredSize("vocab_size"),
                fields.tokenIds("eos_token_id"),
                ConfigFile.NAME,
                starts.isEmpty() ? OptionalInt.empty() : OptionalInt.of(starts.getFirst()));
    }

    private static String modelType(JsonFields fields) {
        Optional<String> ours = fields.text(ARCHITECTURE, A_NAME);
        Optional<String> theirs = fields.text(MODEL_TYPE, A_NAME);
        if (ours.isPresent() && theirs.isPresent() && !ours.equals(theirs)) {
            throw fields.refuse(MODEL_TYPE, '"' + ours.get() + '"');
        }
        return ours.or(() -> theirs).orElseThrow(() -> fields.missing(MODEL_TYPE));
    }

    private static TokenizerKind tokenizer(JsonFields fields) {
        String accepted = "\"byte\", \"hf\" (a tokenizer.json) or \"none\"";
        Optional<String> named = fields.text(TOKENIZER, accepted);
        if (named.isEmpty()) {
            if (fields.has(ARCHITECTURE)) {
                throw fields.missing(TOKENIZER);
            }
            Path file = fields.file().resolveSibling(ModelDirectory.TOKENIZER);
            return Files.exists(file, LinkOption.NOFOLLOW_LINKS) ? TokenizerKind.HUGGING_FACE : TokenizerKind.NONE;
        }
        return switch (named.get()) {
            case "byte" -> TokenizerKind.BYTE;
            case "hf" -> TokenizerKind.HUGGING_FACE;
            case "none" -> TokenizerKind.NONE;
            default -> throw fields.refuse(TOKENIZER, accepted);
        };
    }

    /** These with the first and end tokens of {@code generation}, where it names any. */
    public TextConfig with(GenerationConfig generation) {
        boolean namesEnds = !generation.eosTokenIds().isEmpty();
        return new TextConfig(
                modelType,
                tokenizer,
                vocabSize,
                namesEnds ? generation.eosTokenIds() : eosTokenIds,
                namesEnds ? GenerationConfig.FILE_NAME : eosFile,
                generation.bosTokenId().isPresent() ? generation.bosTokenId() : bosTokenId);
    }
}
