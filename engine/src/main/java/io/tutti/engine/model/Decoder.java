package io.tutti.engine.model;

import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Op.Add;
import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.graph.Op.HeadNorm;
import io.tutti.engine.graph.Op.MatMul;
import io.tutti.engine.graph.Op.RmsNorm;
import io.tutti.engine.graph.Op.Rope;
import io.tutti.engine.graph.Op.SelectOutputs;
import io.tutti.engine.graph.Op.SwiGlu;
import io.tutti.engine.graph.Op.WriteKv;
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.graph.Tensor;
import io.tutti.engine.graph.Weight;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.graph.Weight.Vector;
import io.tutti.engine.model.Architecture.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * The parts that decoders are made of, with the tensor names of Hugging Face's transformers: an architecture puts its layers
 * together from them. A part reads what the part before has written; all share one set of buffers.
 */
public final class Decoder {

    private static final String LAYERS = "model.layers." + Weight.LAYER + ".";

    private final DecoderKeys keys;
    private final Buffer x; // the residual stream
    private final Buffer h; // its norm
    private final Buffer q;
    private final Buffer k;
    private final Buffer v;
    private final Buffer attended;
    private final Buffer gate;
    private final Buffer up;
    private final Buffer y; // what a block adds to the residual stream

    public Decoder(DecoderKeys keys) {
        this.keys = keys;
        int heads = keys.numAttentionHeads() * keys.headDim();
        int keyValueHeads = keys.numKeyValueHeads() * keys.headDim();
        x = Buffer.ofTokens("x", keys.hiddenSize());
        h = Buffer.ofTokens("h", keys.hiddenSize());
        q = Buffer.ofTokens("q", heads);
        k = Buffer.ofTokens("k", keyValueHeads);
        v = Buffer.ofTokens("v", keyValueHeads);
        attended = Buffer.ofTokens("attended", heads);
        gate = Buffer.ofTokens("gate", keys.intermediateSize());
        up = Buffer.ofTokens("up", keys.intermediateSize());
        y = Buffer.ofTokens("y", keys.hiddenSize());
    }

    Plan plan(boolean tied, IntFunction<List<Op>> layer) {
        return new Plan(graph(tied, layer), keys.rope().context(), keys.rope().notes());
    }

    /**
     * The embedding, the layers, the last norm and the output projection.
     *
     * @param tied whether the embedding is also the output projection
     * @param layer the ops of each layer by its number
     */
    public Graph graph(boolean tied, IntFunction<List<Op>> layer) {
        int vocab = keys.vocabSize();
        int hidden = keys.hiddenSize();
        Buffer last = Buffer.ofOutputs("last", hidden);
        Buffer logits = Buffer.ofOutputs("logits", vocab);
        Matrix embedding = new Matrix("model.embed_tokens.weight", vocab, hidden);
        Matrix head = tied ? embedding : new Matrix(Architecture.OUTPUT_PROJECTION, vocab, hidden);
        return Graph.builder()
                .first(new Embed(embedding, x))
                .eachLayer(keys.numHiddenLayers(), layer)
                .last(
                        new RmsNorm(x, new Vector("model.norm.weight", hidden), keys.rmsNormEps(), h),
                        new SelectOutputs(h, last),
                        new MatMul(last, head, logits))
                .build(h, logits);
    }

    /** A layer of these parts. */
    @SafeVarargs
    public static List<Op> layer(List<Op>... parts) {
        List<Op> ops = new ArrayList<>();
        for (List<Op> part : parts) {
            ops.addAll(part);
        }
        return ops;
    }

    /** The residual stream. */
    public Buffer stream() {
        return x;
    }

    /** The norm of the residual stream, which {@link #norm} makes. */
    public Buffer normed() {
        return h;
    }

    /** The norm of the residual stream. */
    public List<Op> norm(String module) {
        return List.of(new RmsNorm(x, scale(module, x.width()), keys.rmsNormEps(), h));
    }

    /** A norm of what a block adds to the residual stream. */
    public List<Op> outputNorm(String module) {
        return List.of(new RmsNorm(y, scale(module, y.width()), keys.rmsNormEps(), y));
    }

    /** Queries, keys and values of {@code in}. */
    public List<Op> projections(Buffer in, boolean bias) {
        return List.of(
                linear(in, "self_attn.q_proj", bias, q),
                linear(in, "self_attn.k_proj", bias, k),
                linear(in, "self_attn.v_proj", bias, v));
    }

    /** Queries, keys and values of {@code in}, whose weights lie one after the other in one tensor. */
    public List<Op> stackedProjections(Buffer in) {
        Tensor.Stored all = new Tensor.Stored(LAYERS + "self_attn.qkv_proj.weight");
        return stacked(in, all, q, k, v);
    }

    /** A norm of all queries of a token together, and one of all its keys. */
    public List<Op> wholeNorms() {
        return List.of(
                new RmsNorm(q, scale("self_attn.q_norm", q.width()), keys.rmsNormEps(), q),
                new RmsNorm(k, scale("self_attn.k_norm", k.width()), keys.rmsNormEps(), k));
    }

    /** A norm of each head of queries and keys. */
    public List<Op> headNorms() {
        return List.of(
                new HeadNorm(q, keys.numAttentionHeads(), scale("self_attn.q_norm", keys.headDim()), keys.rmsNormEps()),
                new HeadNorm(k, keys.numKeyValueHeads(), scale("self_attn.k_norm", keys.headDim()), keys.rmsNormEps()));
    }

    /** Rotary positions of queries and keys, as config.json has them. */
    public List<Op> rotary() {
        RopeParameters rope = keys.rope().parameters(keys.headDim());
        return List.of(new Rope(q, keys.numAttentionHeads(), rope), new Rope(k, keys.numKeyValueHeads(), rope));
    }

    /** Causal attention over the last {@code window} positions. */
    public List<Op> attention(int window) {
        return List.of(
                new WriteKv(k, v),
                new Attention(q, keys.numAttentionHeads(), keys.numKeyValueHeads(), keys.headDim(), window, attended));
    }

    /** Attention's output projection. */
    public List<Op> output(boolean bias) {
        return List.of(linear(attended, "self_attn.o_proj", bias, y));
    }

    /** The gated MLP of {@code in}. */
    public List<Op> mlp(Buffer in, boolean bias) {
        return List.of(
                linear(in, "mlp.gate_proj", bias, gate),
                linear(in, "mlp.up_proj", bias, up),
                new SwiGlu(gate, up, gate),
                linear(gate, "mlp.down_proj", bias, y));
    }

    /** The gated MLP of {@code in}, the weights of whose gate and up projection lie in one tensor. */
    public List<Op> stackedMlp(Buffer in) {
        List<Op> ops = new ArrayList<>(stacked(in, new Tensor.Stored(LAYERS + "mlp.gate_up_proj.weight"), gate, up));
        ops.add(new SwiGlu(gate, up, gate));
        ops.add(linear(gate, "mlp.down_proj", false, y));
        return ops;
    }

    /** Linear layers over {@code in}, whose weights lie one after the other in {@code all}. */
    private static List<Op> stacked(Buffer in, Tensor.Stored all, Buffer... outs) {
        int rows = Stream.of(outs).mapToInt(Buffer::width).sum();
        List<Op> ops = new ArrayList<>();
        int first = 0;
        for (Buffer out : outs) {
            Tensor part = new Tensor.RowsOf(all, first, rows);
            ops.add(new MatMul(in, new Matrix(part, out.width(), in.width()), out));
            first += out.width();
        }
        return ops;
    }

    /** The residual stream takes the block's output. */
    public List<Op> residual() {
        return List.of(new Add(x, y));
    }

    /** A linear layer; its weight is {@code [out, in]}. */
    private static MatMul linear(Buffer in, String module, boolean bias, Buffer out) {
        Matrix weight = new Matrix(LAYERS + module + ".weight", out.width(), in.width());
        Vector added = new Vector(LAYERS + module + ".bias", out.width());
        return new MatMul(in, weight, bias ? Optional.of(added) : Optional.empty(), out);
    }

    /** A norm's weight. */
    private static Vector scale(String module, int length) {
        return new Vector(LAYERS + module + ".weight", length);
    }
}
