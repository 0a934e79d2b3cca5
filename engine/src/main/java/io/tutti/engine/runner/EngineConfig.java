package io.tutti.engine.runner;

import io.tutti.kv.KvDtype;
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
 */
public record EngineConfig(
        int maxBatchTokens,
        int maxSeqs,
        KvDtype kvDtype,
        int blockTokens,
        OptionalInt kvBlocks,
        boolean prefixCache,
        OptionalInt quantGroup) {

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
                OptionalInt.empty());
    }

    public EngineConfig withMaxBatchTokens(int value) {
        return new EngineConfig(value, maxSeqs, kvDtype, blockTokens, kvBlocks, prefixCache, quantGroup);
    }

    public EngineConfig withMaxSeqs(int value) {
        return new EngineConfig(maxBatchTokens, value, kvDtype, blockTokens, kvBlocks, prefixCache, quantGroup);
    }

    public EngineConfig withKvDtype(KvDtype value) {
        return new EngineConfig(maxBatchTokens, maxSeqs, value, blockTokens, kvBlocks, prefixCache, quantGroup);
    }

    public EngineConfig withBlockTokens(int value) {
        return new EngineConfig(maxBatchTokens, maxSeqs, kvDtype, value, kvBlocks, prefixCache, quantGroup);
    }

    public EngineConfig withKvBlocks(int value) {
        return new EngineConfig(
                maxBatchTokens, maxSeqs, kvDtype, blockTokens, OptionalInt.of(value), prefixCache, quantGroup);
    }

    public EngineConfig withPrefixCache(boolean value) {
        return new EngineConfig(maxBatchTokens, maxSeqs, kvDtype, blockTokens, kvBlocks, value, quantGroup);
    }

    public EngineConfig withQuantGroup(int group) {
        return new EngineConfig(
                maxBatchTokens, maxSeqs, kvDtype, blockTokens, kvBlocks, prefixCache, OptionalInt.of(group));
    }
}
