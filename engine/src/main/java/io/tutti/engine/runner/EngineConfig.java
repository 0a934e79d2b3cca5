package io.tutti.engine.runner;

import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.model.GraphWeights;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.weights.QuantizedWeights;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.modelio.weights.Weights;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * How to run a model.
 *
 * @param maxBatchTokens new tokens that a step takes at most
 * @param maxSeqs sequences that a step takes at most
 * @param kvDtype what the cache stores
 * @param blockTokens positions in a cache block
 * @param kvBlocks blocks in the cache; empty for as many as one sequence of the whole context takes
 * @param prefixCache whether released full blocks stay findable
 * @param quantGroup if given, the linear layers are quantized to int4 at load, in groups of this many columns
 * @param activations what enters the linear layers that are int4; others take f32
 */
public record EngineConfig(
        int maxBatchTokens,
        int maxSeqs,
        KvDtype kvDtype,
        int blockTokens,
        OptionalInt kvBlocks,
        boolean prefixCache,
        OptionalInt quantGroup,
        Activations activations) {

    /** New tokens in a step: enough for the weights to be read once for many tokens, few enough to stay in the caches. */
    public static final int DEFAULT_MAX_BATCH_TOKENS = 256;

    /** Sequences in a step. */
    public static final int DEFAULT_MAX_SEQS = 64;

    /** Positions in a cache block. */
    public static final int DEFAULT_BLOCK_TOKENS = 16;

    public EngineConfig {
        requirePositive("maxBatchTokens", maxBatchTokens);
        requirePositive("maxSeqs", maxSeqs);
        requirePositive("blockTokens", blockTokens);
        kvBlocks.ifPresent(n -> requirePositive("kvBlocks", n));
        quantGroup.ifPresent(n -> requirePositive("quantGroup", n));
        Objects.requireNonNull(activations, "activations");
    }

    private static void requirePositive(String name, int value) {
        if (value < 1) {
            throw new EngineException(name + " is " + value + ", must be at least 1");
        }
    }

    public static EngineConfig defaults() {
        return new EngineConfig(
                DEFAULT_MAX_BATCH_TOKENS,
                DEFAULT_MAX_SEQS,
                KvDtype.F16,
                DEFAULT_BLOCK_TOKENS,
                OptionalInt.empty(),
                true,
                OptionalInt.empty(),
                Activations.F32);
    }

    public EngineConfig withMaxBatchTokens(int value) {
        return new EngineConfig(value, maxSeqs, kvDtype, blockTokens, kvBlocks, prefixCache, quantGroup, activations);
    }

    public EngineConfig withMaxSeqs(int value) {
        return new EngineConfig(
                maxBatchTokens, value, kvDtype, blockTokens, kvBlocks, prefixCache, quantGroup, activations);
    }

    public EngineConfig withKvDtype(KvDtype value) {
        return new EngineConfig(
                maxBatchTokens, maxSeqs, value, blockTokens, kvBlocks, prefixCache, quantGroup, activations);
    }

    public EngineConfig withBlockTokens(int value) {
        return new EngineConfig(
                maxBatchTokens, maxSeqs, kvDtype, value, kvBlocks, prefixCache, quantGroup, activations);
    }

    public EngineConfig withKvBlocks(int value) {
        return new EngineConfig(
                maxBatchTokens,
                maxSeqs,
                kvDtype,
                blockTokens,
                OptionalInt.of(value),
                prefixCache,
                quantGroup,
                activations);
    }

    public EngineConfig withPrefixCache(boolean value) {
        return new EngineConfig(
                maxBatchTokens, maxSeqs, kvDtype, blockTokens, kvBlocks, value, quantGroup, activations);
    }

    public EngineConfig withQuantGroup(int group) {
        return new EngineConfig(
                maxBatchTokens,
                maxSeqs,
                kvDtype,
                blockTokens,
                kvBlocks,
                prefixCache,
                OptionalInt.of(group),
                activations);
    }

    public EngineConfig withActivations(Activations value) {
        return new EngineConfig(
                maxBatchTokens, maxSeqs, kvDtype, blockTokens, kvBlocks, prefixCache, quantGroup, value);
    }

    /** Positions that a sequence may have: the context's, or fewer if the cache has no room for them. */
    public int positions(int context) {
        return kvBlocks.isEmpty() ? context : (int) Math.min(context, (long) kvBlocks.getAsInt() * blockTokens);
    }

    /** A checkpoint's weights as the model will have them. */
    public WeightSource weights(Weights stored, Graph graph) {
        WeightSource weights = new GraphWeights(graph, stored);
        return quantGroup.isPresent()
                ? QuantizedWeights.of(stored, weights, graph.projections(), quantGroup.getAsInt())
                : weights;
    }
}
