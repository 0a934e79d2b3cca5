package io.tutti.modelio.config;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.json.StrictJson;
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
 * @param maxPositionEmbeddings config.json's max_position_embeddings; how long a text may be is {@code context}
 * @param context positions that a text may have: {@code maxPositionEmbeddings}, more where the rotary positions are
 *     stretched beyond them, or what {@link #withContext} was given
 * @param rmsNormEps the f32 of the file's value
 * @param ropeScaling how the frequencies that follow from {@code ropeTheta} are scaled
 * @param variant how its layers differ from a plain Llama's
 * @param tieWordEmbeddings whether the embedding is also the output projection; a file that holds another one overrules
 *     config.json ({@link io.tutti.modelio.weights.Weights#config})
 * @param eosTokenIds the tokens that end a text; generation_config.json's if it names any, else config.json's. The model
 *     need not have a logit for each: {@link io.tutti.modelio.tokenizer.Ends}
 * @param eosFile the name of the file that names them
 * @param bosTokenId the token that starts a text, if one is named
 * @param notes on what config.json says that is ignored, to be shown once the model has loaded
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
        int context,
        float rmsNormEps,
        double ropeTheta,
        RopeScaling ropeScaling,
        LayerVariant variant,
        boolean tieWordEmbeddings,
        List<Integer> eosTokenIds,
        String eosFile,
        OptionalInt bosTokenId,
        List<String> notes) {

    /** The name of the file that makes a directory a model directory. */
    public static final String FILE_NAME = "config.json";

    /** Bytes that a configuration may have. */
    static final int LONGEST_FILE = 1 << 20;

    public ModelConfig {
        eosTokenIds = List.copyOf(eosTokenIds);
        notes = List.copyOf(notes);
    }

    /**
     * Reads {@code dir}'s config.json, and its generation_config.json if there is one.
     *
     * @throws ModelException if a file is missing or malformed, or asks for what the engine cannot run
     */
    public static ModelConfig load(Path dir) {
        return loadAlone(dir).with(GenerationConfig.load(dir));
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

    /** This model with the first and end tokens of {@code generation}, where it names any. */
    public ModelConfig with(GenerationConfig generation) {
        boolean namesEnds = !generation.eosTokenIds().isEmpty();
        return with(
                context,
                tieWordEmbeddings,
                namesEnds ? generation.eosTokenIds() : eosTokenIds,
                namesEnds ? GenerationConfig.FILE_NAME : eosFile,
                generation.bosTokenId().isPresent() ? generation.bosTokenId() : bosTokenId);
    }

    /**
     * This model with a context of so many positions.
     *
     * @throws IllegalArgumentException if it is less than 1 or more than {@link #longestContext}
     */
    public ModelConfig withContext(int positions) {
        if (positions < 1 || positions > longestContext()) {
            throw new IllegalArgumentException(
                    "a context of " + positions + " positions; accepted: 1 to " + longestContext());
        }
        return with(positions, tieWordEmbeddings, eosTokenIds, eosFile, bosTokenId);
    }

    /**
     * The longest context that the rotary positions are made for. It is longer than {@code context} only with llama3
     * scaling: there max_position_embeddings is what the model was trained with, and the factor may reach further.
     */
    public int longestContext() {
        return ropeScaling instanceof RopeScaling.Llama3 llama3
                ? Math.max(context, RopeScaling.stretched(llama3.originalMaxPositionEmbeddings(), llama3.factor()))
                : context;
    }

    /** Where the context comes from, for messages. */
    public String contextSource() {
        String key = "max_position_embeddings";
        if (context == maxPositionEmbeddings) {
            return key;
        }
        return key + " = " + maxPositionEmbeddings
                + (context > maxPositionEmbeddings ? ", stretched by rope_scaling" : ", cut by the user");
    }

    /** This model with an output projection of its own. */
    public ModelConfig untied() {
        return with(context, false, eosTokenIds, eosFile, bosTokenId);
    }

    private ModelConfig with(int positions, boolean tied, List<Integer> ends, String endsFile, OptionalInt start) {
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
                positions,
                rmsNormEps,
                ropeTheta,
                ropeScaling,
                variant,
                tied,
                ends,
                endsFile,
                start,
                notes);
    }

    /** Query heads that share one key and value head. */
    public int queriesPerKeyValueHead() {
        return numAttentionHeads / numKeyValueHeads;
    }
}
