package io.tutti.engine.selftest;

import static io.tutti.engine.selftest.RandomWeights.Stored.BF16;
import static io.tutti.engine.selftest.RandomWeights.Stored.F16;
import static io.tutti.engine.selftest.RandomWeights.Stored.F32;
import static io.tutti.engine.selftest.RandomWeights.Stored.INT4;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.graph.Weight.Vector;
import io.tutti.engine.model.Decoder;
import io.tutti.engine.model.DecoderKeys;
import io.tutti.engine.model.Rotary;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvDtype;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A small graph of awkward sizes and the steps that it runs: rows that fill no vector, sums and contexts over more than one
 * segment of 256, sequences of unlike lengths and starts in one step, blocks out of order.
 *
 * <p>A device compiles every op of every case, which may take it most of a second each. So the cases are few, and mix how
 * weights are stored: together they have every way for a linear layer, on sums over two segments and over many, with both kinds
 * of activations; every way but int4 for an embedding; both caches, and with each of them one, two, three, four and more query
 * heads to a KV head. A device takes other code for each of these, and what no case runs has no verdict.
 *
 * @param name for people
 * @param pool the cache's shape
 * @param longest tokens of the longest prompt
 */
record Case(String name, Graph graph, RandomWeights weights, KvConfig pool, int longest) {

    /** A block is more than a vector of positions, and no whole vectors. */
    private static final int BLOCK_TOKENS = 23;

    private static final int VOCAB = 67;
    private static final int CONTEXT = 300;
    private static final int LAYERS = 2;
    private static final int KV_HEADS = 2;
    /** Positions in two segments. */
    private static final int LONG = 263;

    private static final int SHORT = 29;
    /** Columns in seven segments, the last one short. */
    private static final int MANY_SEGMENTS = 6 * 256 + 32;

    /** Sequences, and blocks that each may take. */
    private static final int SEQUENCES = 4;

    private static final int BLOCKS_EACH = Math.ceilDiv(CONTEXT, BLOCK_TOKENS);

    static List<Case> all() {
        return List.of(llama(), relative(), cacheOfF32(), longSums());
    }

    /** A model with every op of plain models but the sum; projections that a device may take in one go are stored alike. */
    private static Case llama() {
        Decoder d = decoder(14, 16);
        Graph graph = d.graph(
                false,
                _ -> Decoder.layer(
                        d.norm("input_layernorm"),
                        d.projections(d.normed(), false),
                        d.rotary(),
                        d.attention(Op.Attention.WHOLE_CONTEXT),
                        d.output(false),
                        d.residual(),
                        d.norm("post_attention_layernorm"),
                        d.mlp(d.normed(), false),
                        d.residual()));
        return model("f16 cache", graph, Activations.F32);
    }

    /**
     * The same with int8 activations and all that Llama's relatives add: biases, norms of heads, and a window over the end of a
     * segment.
     */
    private static Case relative() {
        Decoder d = decoder(12, 24);
        Graph graph = d.graph(
                false,
                _ -> Decoder.layer(
                        d.norm("input_layernorm"),
                        d.projections(d.normed(), true),
                        d.headNorms(),
                        d.rotary(),
                        d.attention(37),
                        d.output(true),
                        d.residual(),
                        d.norm("post_attention_layernorm"),
                        d.mlp(d.normed(), true),
                        d.residual()));
        return model("biases, norms of heads, a window and int8 activations", graph, Activations.INT8);
    }

    private static Decoder decoder(int heads, int headDim) {
        // A segment of 256 and a rest, a multiple of int4's group; and whole tiles of 32, as q and k have them, since a
        // device may join such matrices.
        return new Decoder(
                new DecoderKeys(VOCAB, 276, 288, LAYERS, heads, KV_HEADS, headDim, 1e-5f, new Rotary(10_000, CONTEXT)));
    }

    private static Case model(String name, Graph graph, Activations activations) {
        RandomWeights weights = new RandomWeights(Map.of(
                "embed_tokens", BF16,
                "q_proj", BF16,
                "k_proj", BF16,
                "v_proj", BF16,
                "o_proj", F16,
                "gate_proj", INT4,
                "up_proj", INT4,
                "down_proj", activations == Activations.INT8 ? INT4 : F32,
                "lm_head", F16));
        int headDim = graph.attention().orElseThrow().headDim();
        return new Case(name, graph.with(activations), weights, pool(KV_HEADS, headDim, KvDtype.F16), LONG);
    }

    /** Attention over a cache of f32, and little else: what the other cases have need not be compiled twice. */
    private static Case cacheOfF32() {
        int headDim = 27;
        Buffer q = Buffer.ofTokens("q", 7 * headDim);
        Buffer two = Buffer.ofTokens("two", 2 * headDim);
        Buffer k = Buffer.ofTokens("k", headDim);
        Buffer attended = Buffer.ofTokens("attended", q.width());
        Buffer attendedByTwo = Buffer.ofTokens("attendedbytwo", two.width());
        Buffer attendedByOne = Buffer.ofTokens("attendedbyone", k.width());
        Buffer logits = Buffer.ofOutputs("logits", q.width());
        Graph graph = Graph.builder()
                .first(
                        new Op.Embed(new Matrix("queries.weight", VOCAB, q.width()), q),
                        new Op.Embed(new Matrix("two.weight", VOCAB, two.width()), two),
                        new Op.Embed(new Matrix("keys.weight", VOCAB, k.width()), k))
                .eachLayer(
                        LAYERS,
                        new Op.WriteKv(k, k),
                        new Op.Attention(q, 7, 1, headDim, attended),
                        new Op.Add(q, attended),
                        new Op.Attention(two, 2, 1, headDim, attendedByTwo),
                        new Op.Add(two, attendedByTwo),
                        // The next layer's keys: so whatever is wrong with it comes out.
                        new Op.Attention(k, 1, 1, headDim, attendedByOne),
                        new Op.Add(k, attendedByOne))
                .last(new Op.SelectOutputs(q, logits))
                .build(two, logits);
        RandomWeights weights = new RandomWeights(Map.of("queries", F32, "two", F32, "keys", F16));
        return new Case("f32 cache", graph, weights, pool(1, headDim, KvDtype.F32), SHORT);
    }

    /**
     * Sums of seven segments, the last one short, for each way of storing weights: devices may take segments side by side. And
     * attention with one query head to a KV head.
     */
    private static Case longSums() {
        int headDim = 16;
        Buffer x = Buffer.ofTokens("x", MANY_SEGMENTS);
        Buffer q = Buffer.ofTokens("q", headDim);
        Buffer attended = Buffer.ofTokens("attended", headDim);
        Buffer last = Buffer.ofOutputs("last", x.width());
        Buffer y = Buffer.ofOutputs("y", VOCAB);
        Buffer logits = Buffer.ofOutputs("logits", VOCAB);
        Graph graph = Graph.builder()
                .first(
                        new Op.Embed(new Matrix("embed_tokens.weight", VOCAB, x.width()), x),
                        new Op.MatMul(
                                x,
                                new Matrix("q_proj.weight", headDim, x.width()),
                                Optional.of(new Vector("q_proj.bias", headDim)),
                                Activations.F32,
                                q))
                .eachLayer(1, new Op.WriteKv(q, q), new Op.Attention(q, 1, 1, headDim, attended))
                .last(
                        new Op.SelectOutputs(x, last),
                        new Op.MatMul(
                                last,
                                new Matrix("up_proj.weight", VOCAB, x.width()),
                                Optional.of(new Vector("up_proj.bias", VOCAB)),
                                Activations.F32,
                                logits),
                        new Op.MatMul(last, new Matrix("gate_proj.weight", VOCAB, x.width()), y),
                        new Op.Add(logits, y),
                        new Op.MatMul(last, new Matrix("lm_head.weight", VOCAB, x.width()), y),
                        new Op.Add(logits, y))
                .build(attended, logits);
        RandomWeights weights = new RandomWeights(
                Map.of("embed_tokens", F32, "q_proj", F32, "up_proj", INT4, "gate_proj", BF16, "lm_head", F16));
        return new Case("long sums", graph, weights, pool(1, headDim, KvDtype.F16), SHORT);
    }

    private static KvConfig pool(int kvHeads, int headDim, KvDtype dtype) {
        return new KvConfig(SEQUENCES * BLOCKS_EACH, BLOCK_TOKENS, LAYERS, kvHeads, headDim, dtype, false, "self-test");
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
