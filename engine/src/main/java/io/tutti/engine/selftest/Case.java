package io.tutti.engine.selftest;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.model.Models;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.config.Architecture;
import io.tutti.modelio.config.ModelConfig;
import io.tutti.modelio.config.TokenizerKind;
import io.tutti.modelio.dtype.Dtype;
import java.util.List;
import java.util.OptionalInt;

/**
 * A small Llama of awkward sizes and the steps that it runs: rows that fill no vector, sums and contexts over more than one
 * segment of 256, sequences of unlike lengths and starts in one step, blocks out of order.
 *
 * @param name for people: {@code bf16 weights, f16 cache}
 * @param config sizes that no power of two divides
 * @param longest tokens of the longest prompt: with each cache type once more than a segment, which takes the reference longest
 */
record Case(String name, ModelConfig config, RandomWeights weights, KvDtype cache, int longest) {

    private static final int BLOCK_TOKENS = 7;
    private static final int GROUP = 12;
    private static final int VOCAB = 67;
    private static final int CONTEXT = 300;
    private static final int LONG = 263;
    private static final int SHORT = 29;

    /** Sequences, and blocks that each may take. */
    private static final int SEQUENCES = 4;

    private static final int BLOCKS_EACH = Math.ceilDiv(CONTEXT, BLOCK_TOKENS);

    static List<Case> all() {
        return List.of(
                new Case(
                        "f32 weights, f32 cache",
                        config(3, 3, 12, false),
                        RandomWeights.of(Dtype.F32),
                        KvDtype.F32,
                        LONG),
                new Case(
                        "f16 weights, f16 cache",
                        config(4, 2, 10, false),
                        RandomWeights.of(Dtype.F16),
                        KvDtype.F16,
                        LONG),
                new Case(
                        "bf16 weights, f16 cache",
                        config(4, 1, 18, true),
                        RandomWeights.of(Dtype.BF16),
                        KvDtype.F16,
                        SHORT),
                new Case(
                        "int4 weights, f32 cache",
                        config(6, 3, 14, false),
                        RandomWeights.int4(GROUP),
                        KvDtype.F32,
                        SHORT));
    }

    private static ModelConfig config(int heads, int kvHeads, int headDim, boolean tied) {
        int hidden = 60;
        int intermediate = 276; // a segment of 256 and a rest; as hidden and heads * headDim a multiple of GROUP
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

    Graph graph() {
        return Models.graph(config);
    }

    KvConfig pool() {
        return new KvConfig(
                SEQUENCES * BLOCKS_EACH,
                BLOCK_TOKENS,
                config.numHiddenLayers(),
                config.numKeyValueHeads(),
                config.headDim(),
                cache,
                false,
                "self-test");
    }

    /** Prompts of unlike lengths; then a step that mixes single tokens with a chunk and a new sequence. */
    List<StepInputs> steps() {
        return List.of(step(new int[][] {{0, 0, longest}, {1, 0, 3}, {2, 0, 1}}), step(new int[][] {
            {0, longest, 1}, {1, 3, 5}, {2, 1, 1}, {3, 0, 2}
        }));
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
        int[] outputs = new int[count];
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
                outputs[t] = t;
            }
            sequenceStarts[s + 1] = t;
            tableStarts[s + 1] = (s + 1) * BLOCKS_EACH;
        }
        return new StepInputs(tokens, positions, slots, sequenceStarts, tables, tableStarts, outputs);
    }

    /** The sequences' blocks lie between each other's, from the last to the first. */
    private static int block(int sequence, int b) {
        return SEQUENCES * (BLOCKS_EACH - 1 - b) + sequence;
    }
}
