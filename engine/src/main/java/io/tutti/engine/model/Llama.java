package io.tutti.engine.model;

import io.tutti.engine.graph.Activations;
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
import io.tutti.engine.graph.Weight;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.graph.Weight.Vector;
import io.tutti.modelio.config.LayerVariant;
import io.tutti.modelio.config.ModelConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Llama and its relatives: a decoder of pre-norm layers with rotary positions, grouped-query attention and a gated MLP.
 *
 * <p>Llama is Touvron et al. 2023, arXiv 2302.13971 and 2307.09288. Mistral has a sliding window (Jiang et al. 2023, arXiv
 * 2310.06825), Qwen2 biases on q, k and v (Yang et al. 2024, arXiv 2407.10671), Qwen3 norms of heads (Yang et al. 2025, arXiv
 * 2505.09388). The references are {@code modeling_llama.py}, {@code modeling_mistral.py}, {@code modeling_qwen2.py} and {@code
 * modeling_qwen3.py} of Hugging Face's transformers, whose tensor names these are.
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
        LayerVariant variant = config.variant();
        RopeParameters rope = new RopeParameters(headDim, config.ropeTheta(), config.ropeScaling());
        int window = variant.slidingWindow().orElse(Attention.WHOLE_CONTEXT);

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

        List<Op> layer = new ArrayList<>();
        layer.add(new RmsNorm(x, scale("input_layernorm", hidden), eps, h));
        boolean bias = variant.queryKeyValueBias();
        layer.add(linear(h, "self_attn.q_proj", bias, activations, q));
        layer.add(linear(h, "self_attn.k_proj", bias, activations, k));
        layer.add(linear(h, "self_attn.v_proj", bias, activations, v));
        if (variant.headNorms()) {
            layer.add(new HeadNorm(q, heads, scale("self_attn.q_norm", headDim), eps));
            layer.add(new HeadNorm(k, kvHeads, scale("self_attn.k_norm", headDim), eps));
        }
        layer.add(new Rope(q, heads, rope));
        layer.add(new Rope(k, kvHeads, rope));
        layer.add(new WriteKv(k, v));
        layer.add(new Attention(q, heads, kvHeads, headDim, window, attended));
        layer.add(linear(attended, "self_attn.o_proj", variant.outputBias(), activations, y));
        layer.add(new Add(x, y));

        layer.add(new RmsNorm(x, scale("post_attention_layernorm", hidden), eps, h));
        layer.add(linear(h, "mlp.gate_proj", variant.mlpBias(), activations, gate));
        layer.add(linear(h, "mlp.up_proj", variant.mlpBias(), activations, up));
        layer.add(new SwiGlu(gate, up, gate));
        layer.add(linear(gate, "mlp.down_proj", variant.mlpBias(), activations, y));
        layer.add(new Add(x, y));

        return Graph.builder()
                .first(new Embed(embedding, x))
                .eachLayer(config.numHiddenLayers(), _ -> layer)
                .last(
                        new RmsNorm(x, new Vector("model.norm.weight", hidden), eps, h),
                        new SelectOutputs(h, last),
                        new MatMul(last, head, logits))
                .build(h, logits);
    }

    /** A linear layer; its weight is {@code [out, in]}. */
    private static MatMul linear(Buffer in, String module, boolean bias, Activations activations, Buffer out) {
        Matrix weight = new Matrix(LAYERS + module + ".weight", out.width(), in.width());
        Vector added = new Vector(LAYERS + module + ".bias", out.width());
        return new MatMul(in, weight, bias ? Optional.of(added) : Optional.empty(), activations, out);
    }

    /** A norm's weight. */
    private static Vector scale(String module, int length) {
        return new Vector(LAYERS + module + ".weight", length);
    }
}
