package io.tutti.modelio.config;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.json.StrictJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/**
 * What config.json means, checked whole: everything in here is something that the engine runs. The names are
 * config.json's own.
 *
 * <p>A bigram has a vocabulary and a context only; its other sizes are 0.
 *
 * @param vocabSize rows of the embedding, and logits a position
 * @param hiddenSize width of the residual stream
 * @param intermediateSize width of the MLP
 * @param numKeyValueHeads divides {@code numAttentionHeads}
 * @param headDim even; need not be {@code hiddenSize / numAttentionHeads}
 * @param maxPositionEmbeddings the longest context, in tokens
 * @param rmsNormEps the f32 of the file's value
 * @param ropeScaling what config.json makes of the frequencies that follow from {@code ropeTheta}
 * @param variant in what its layers differ from a plain Llama's
 * @param tieWordEmbeddings whether the embedding is also the output projection
 * @param eosTokenIds the tokens that end a text; generation_config.json's if it names any, else config.json's
 * @param bosTokenId the token that starts a text, if one is named
 */
public record ModelConfig(
        Architecture architecture,
        TokenizerKind tokenizer,
        int vocabSize,
        int hiddenSize,
        int intermediateSize,
        int numHiddenLayers,
        int numAttentionHeads,
        int numKeyValueHeads,
        int headDim,
        int maxPositionEmbeddings,
        float rmsNormEps,
        double ropeTheta,
        RopeScaling ropeScaling,
        LayerVariant variant,
        boolean tieWordEmbeddings,
        List<Integer> eosTokenIds,
        OptionalInt bosTokenId) {

    /** The name of the file that makes a directory a model directory. */
    public static final String FILE_NAME = "config.json";

    /** The file that may override the end tokens, and says how tokens are chosen ({@link SamplingConfig}). */
    public static final String GENERATION_FILE_NAME = "generation_config.json";

    /** Bytes that a configuration may have. */
    static final int LONGEST_FILE = 1 << 20;

    public ModelConfig {
        eosTokenIds = List.copyOf(eosTokenIds);
    }

    /**
     * Reads {@code dir}'s config.json, and its generation_config.json if there is one.
     *
     * @throws ModelException if a file is missing or malformed, or asks for what the engine cannot run
     */
    public static ModelConfig load(Path dir) {
        Path generation = dir.resolve(GENERATION_FILE_NAME);
        ModelConfig config = loadAlone(dir);
        return Files.exists(generation)
                ? config.withGenerationDefaults(generation, StrictJson.readBytes(generation, LONGEST_FILE))
                : config;
    }

    /**
     * Reads {@code dir}'s config.json alone, whatever end tokens a generation_config.json names.
     *
     * @throws ModelException as {@link #load}
     */
    public static ModelConfig loadAlone(Path dir) {
        ModelDirectory directory = ModelDirectory.open(dir);
        Path file = directory.require(FILE_NAME);
        JsonFields fields = new JsonFields(file, "", StrictJson.object(file, StrictJson.readBytes(file, LONGEST_FILE)));
        return ConfigReader.read(fields, directory.has(ModelDirectory.TOKENIZER));
    }

    /** Query heads that share one key and value head. */
    public int queriesPerKeyValueHead() {
        return numAttentionHeads / numKeyValueHeads;
    }

    private ModelConfig withGenerationDefaults(Path file, byte[] json) {
        JsonFields generation = new JsonFields(file, "", StrictJson.object(file, json));
        List<Integer> eos = generation.tokenIds("eos_token_id");
        List<Integer> bos = generation.tokenIds("bos_token_id");
        return new ModelConfig(
                architecture,
                tokenizer,
                vocabSize,
                hiddenSize,
                intermediateSize,
                numHiddenLayers,
                numAttentionHeads,
                numKeyValueHeads,
                headDim,
                maxPositionEmbeddings,
                rmsNormEps,
                ropeTheta,
                ropeScaling,
                variant,
                tieWordEmbeddings,
                eos.isEmpty() ? eosTokenIds : eos,
                bos.isEmpty() ? bosTokenId : OptionalInt.of(bos.getFirst()));
    }
}
