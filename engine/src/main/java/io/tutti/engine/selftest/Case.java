package io.tutti.engine.selftest;

import static io.tutti.engine.selftest.RandomWeights.Stored.BF16;
import static io.tutti.engine.selftest.RandomWeights.Stored.F16;
import static io.tutti.engine.selftest.RandomWeights.Stored.F32;
import static io.tutti.engine.selftest.RandomWeights.Stored.INT4;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.model.Models;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.config.Architecture;
import io.tutti.modelio.config.ModelConfig;
import io.tutti.modelio.config.TokenizerKind;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * A small model of awkward sizes and the steps that it runs: rows that fill no vector, sums and contexts over more than one
 * segment of 256, sequences of unlike lengths and starts in one step, blocks out of order.
 *
 * <p>A device compiles every op of every case, which may take it most of a second each. So the cases are few, and mix how
 * weights are stored: together they have every way for a linear layer, on sums over two segments too, and every way but int4
 * for an embedding; projections that a device may take in one go since they are stored alike, and others that it may not.
 *
 * @param name for people
 * @param config sizes that no power of two divides
 * @param longest tokens of the longest prompt
 */
record Case(String name, ModelConfig config, RandomWeights weights, KvDtype cache, int longest) {

    private static final int BLOCK_TOKENS = 7;
    private static final int VOCAB = 67;
    private static final int CONTEXT = 300;
    /** Positions in two segments. */
    private static final int LONG = 263;

    private static final int SHORT = 29;
    /** A segment of 256 and a rest; a multiple of int4's group, as all that projections sum over. */
    private static final int WIDE = 276;

    private static final int NARROW = 36;

    /** Sequences, and blocks that each may take. */
    private static final int SEQUENCES = 4;

    private static final int BLOCKS_EACH = Math.ceilDiv(CONTEXT, BLOCK_TOKENS);

    static List<Case> all() {
        return List.of(
                new Case(
                        "f32 cache",
                        llama(WIDE, NARROW, 4, 2, 10, false),
                        new RandomWeights(Map.of(
                                "embed_tokens", F32,
                                "q_proj", BF16,
                                "k_proj", BF16,
                                "v_proj", BF16,
                                "o_proj", F16,
                                "gate_proj", INT4,
                                "up_proj", INT4,
                                "down_proj", F32,
                                "lm_head", F32)),
                        KvDtype.F32,
                        SHORT),
                new Case(
                        "f16 cache",
                        llama(NARROW, WIDE, 3, 3, 12, true),
                        new RandomWeights(Map.of(
                                "embed_tokens", BF16,
                                "q_proj", F16,
                                "k_proj", INT4,
                                "v_proj", F32,
                                "o_proj", INT4,
                                "gate_proj", BF16,
                                "up_proj", F16,
                                "down_proj", F16)),
                        KvDtype.F16,
                        LONG),
                new Case("bigram", bigram(), new RandomWeights(Map.of("bigram", F16)), KvDtype.F16, SHORT));
    }

    private static ModelConfig llama(int hidden, int intermediate, int heads, int kvHeads, int headDim, boolean tied) {
        return new ModelConfig(
                Architecture.LLAMA,
                TokenizerKind.NONE,
                VOCAB,
                hidden,
                intermediate,
                2,
                heads,
                kvHeads,
                headDim,
                CONTEXT,
                1e-5f,
                10000,
                tied,
                List.of(),
                OptionalInt.empty());
    }

    private static ModelConfig bigram() {
        return new ModelConfig(
                Architecture.BIGRAM,
                TokenizerKind.NONE,
                VOCAB,
                0,
                0,
                0,
                0,
                0,
                0,
                CONTEXT,
                0,
                0,
                false,
                List.of(),
                OptionalInt.empty());
    }

    Graph graph() {
        return Models.graph(config);
    }

    KvConfig pool() {
        return new KvConfig(
                SEQUENCES * BLOCKS_EACH,
                BLOCK_TOKENS,
                Math.max(1, config.numHiddenLayers()),
                Math.max(1, config.numKeyValueHeads()),
                Math.max(1, config.headDim()),
                cache,
                false,
                "self-test");
    }

    /** Prompts of unlike lengths; a step that mixes single tokens with a chunk and a new sequence; a single token alone. */
    List<StepInputs> steps() {
        return List.of(
                step(new int[][] {{0, 0, longest}, {1, 0, 3}, {2, 0, 1}}),
                step(new int[][] {{0, longest, 1}, {1, 3, 5}, {2, 1, 1}, {3, 0, 2}}),
                step(new int[][] {{1, 8, 1}}));
    }

    /** The largest step's tokens. */
    int mostTokens() {
        return steps().stream().mapToInt(s -> s.tokens().length).max().orElseThrow();
    }

    int mostSequences() {
        return SEQUENCES;
    }

    int mostPositions() {
        return CONTEXT;
    }

    /** @param parts for each sequence its number, its first new position, and how many tokens are new */
    private static StepInputs step(int[][] parts) {
        int count = 0;
        for (int[] part : parts) {
            count += part[2];
        }
        int[] tokens = new int[count];
        int[] positions = new int[count];
        int[] slots = new int[count];
        int[] sequenceStarts = new int[parts.length + 1];
        int[] tables = new int[parts.length * BLOCKS_EACH];
        int[] tableStarts = new int[parts.length + 1];
        int t = 0;
        for (int s = 0; s < parts.length; s++) {
            int sequence = parts[s][0];
            for (int b = 0; b < BLOCKS_EACH; b++) {
                tables[s * BLOCKS_EACH + b] = block(sequence, b);
            }
            for (int i = 0; i < parts[s][2]; i++, t++) {
                int position = parts[s][1] + i;
                tokens[t] = (position * 31 + sequence * 17 + 3) % VOCAB;
                positions[t] = position;
                slots[t] = block(sequence, position / BLOCK_TOKENS) * BLOCK_TOKENS + position % BLOCK_TOKENS;
            }
            sequenceStarts[s + 1] = t;
            tableStarts[s + 1] = (s + 1) * BLOCKS_EACH;
        }
        int[] outputs = IntStream.range(0, count).filter(row -> row % 3 != 1).toArray();
        return new StepInputs(tokens, positions, slots, sequenceStarts, tables, tableStarts, outputs);
    }

    /** The sequences' blocks lie between each other's, from the last to the first. */
    private static int block(int sequence, int b) {
        return SEQUENCES * (BLOCKS_EACH - 1 - b) + sequence;
    }
}
