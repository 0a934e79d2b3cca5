package io.tutti.engine.model;

import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op.Add;
import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.graph.Op.MatMul;
import io.tutti.engine.graph.Op.RmsNorm;
import io.tutti.engine.graph.Op.Rope;
import io.tutti.engine.graph.Op.SelectOutputs;
import io.tutti.engine.graph.Op.SwiGlu;
import io.tutti.engine.graph.Op.WriteKv;
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.graph.Weight;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.graph.Weight.Vector;
import io.tutti.modelio.config.ModelConfig;

/**
 * Llama: a decoder of pre-norm layers with rotary positions, grouped-query attention and a gated MLP.
 *
 * <p>Touvron et al. 2023, arXiv 2302.13971 and 2307.09288. The reference is {@code modeling_llama.py} of Hugging Face's
 * transformers, whose tensor names these are.
 */
final class Llama {

    private static final String LAYERS = "model.layers." + Weight.LAYER + ".";

    private Llama() {}

    static Graph graph(ModelConfig config, Activations activations) {
        int hidden = config.hiddenSize();
        int intermediate = config.intermediateSize();
        int vocab = config.vocabSize();
        int heads = config.numAttentionHeads();
        int kvHeads = config.numKeyValueHeads();
        int headDim = config.headDim();
        float eps = config.rmsNormEps();
        RopeParameters rope = new RopeParameters(headDim, config.ropeTheta());

        Buffer x = Buffer.ofTokens("x", hidden); // the residual stream
        Buffer h = Buffer.ofTokens("h", hidden); // its norm
        Buffer q = Buffer.ofTokens("q", heads * headDim);
        Buffer k = Buffer.ofTokens("k", kvHeads * headDim);
        Buffer v = Buffer.ofTokens("v", kvHeads * headDim);
        Buffer attended = Buffer.ofTokens("attended", heads * headDim);
        Buffer gate = Buffer.ofTokens("gate", intermediate);
        Buffer up = Buffer.ofTokens("up", intermediate);
        Buffer y = Buffer.ofTokens("y", hidden); // what a block adds to the residual stream
        Buffer last = Buffer.ofOutputs("last", hidden);
        Buffer logits = Buffer.ofOutputs("logits", vocab);

        Matrix embedding = new Matrix("model.embed_tokens.weight", vocab, hidden);
        Matrix head = config.tieWordEmbeddings() ? embedding : new Matrix("lm_head.weight", vocab, hidden);

        return Graph.builder()
                .first(new Embed(embedding, x))
                .eachLayer(
                        config.numHiddenLayers(),
                        new RmsNorm(x, scale("input_layernorm", hidden), eps, h),
                        new MatMul(h, projection("self_attn.q_proj", q.width(), hidden), activations, q),
                        new MatMul(h, projection("self_attn.k_proj", k.width(), hidden), activations, k),
                        new MatMul(h, projection("self_attn.v_proj", v.width(), hidden), activations, v),
                        new Rope(q, heads, rope),
                        new Rope(k, kvHeads, rope),
                        new WriteKv(k, v),
                        new Attention(q, heads, kvHeads, headDim, attended),
                        new MatMul(attended, projection("self_attn.o_proj", hidden, q.width()), activations, y),
                        new Add(x, y),
                        new RmsNorm(x, scale("post_attention_layernorm", hidden), eps, h),
                        new MatMul(h, projection("mlp.gate_proj", intermediate, hidden), activations, gate),
                        new MatMul(h, projection("mlp.up_proj", intermediate, hidden), activations, up),
                        new SwiGlu(gate, up, gate),
                        new MatMul(gate, projection("mlp.down_proj", hidden, intermediate), activations, y),
                        new Add(x, y))
                .last(
                        new RmsNorm(x, new Vector("model.norm.weight", hidden), eps, h),
                        new SelectOutputs(h, last),
                        new MatMul(last, head, logits))
                .build(h, logits);
    }

    /** A linear layer's weight, {@code [out, in]}. */
    private static Matrix projection(String module, int out, int in) {
        return new Matrix(LAYERS + module + ".weight", out, in);
    }

    /** A norm's weight. */
    private static Vector scale(String module, int length) {
        return new Vector(LAYERS + module + ".weight", length);
    }
}
