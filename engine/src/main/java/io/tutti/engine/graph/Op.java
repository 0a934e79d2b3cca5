package io.tutti.engine.graph;

import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.graph.Weight.Vector;
import java.util.Optional;

/**
 * One operation of a forward pass. Each defines its result to the bit (golden's numerics specification gives the order of
 * every sum), so a backend is free in everything but the result. Rows are independent: no row's result depends on what
 * else is in the step.
 */
public sealed interface Op {

    /** {@code out[t] = table[id of token t]}, widened to f32. */
    record Embed(Matrix table, Buffer out) implements Op {}

    /** {@code out[t] = in[t] / sqrt(mean of in[t]^2 + eps) * scale} (Zhang and Sennrich 2019, arXiv 1910.07467). */
    record RmsNorm(Buffer in, Vector scale, float eps, Buffer out) implements Op {}

    /**
     * {@code out[t, n] = dot(weight[n], in[t]) + bias[n]}: a linear layer. Without a bias nothing is added.
     *
     * @param bias {@code [out]}
     * @param activations what {@code in} becomes if the weight is stored as int4
     */
    record MatMul(Buffer in, Matrix weight, Optional<Vector> bias, Activations activations, Buffer out) implements Op {

        /** A linear layer of f32 activations however its weight is stored. */
        public MatMul(Buffer in, Matrix weight, Optional<Vector> bias, Buffer out) {
            this(in, weight, bias, Activations.F32, out);
        }

        /** A linear layer without bias. */
        public MatMul(Buffer in, Matrix weight, Activations activations, Buffer out) {
            this(in, weight, Optional.empty(), activations, out);
        }

        /** A linear layer without bias, of f32 activations however its weight is stored. */
        public MatMul(Buffer in, Matrix weight, Buffer out) {
            this(in, weight, Activations.F32, out);
        }

        MatMul with(Activations other) {
            return new MatMul(in, weight, bias, other, out);
        }
    }

    /**
     * {@link RmsNorm} of each head by itself, in place: {@code x} is {@code [tokens, heads, headDim]}, and all heads have the
     * same {@code scale}, {@code [headDim]} (Henry et al. 2020, arXiv 2010.04245, with RMSNorm for the norm).
     */
    record HeadNorm(Buffer x, int heads, Vector scale, float eps) implements Op {}

    /**
     * Rotary position embedding in place, half-split layout (Su et al. 2021, arXiv 2104.09864; halves as in Hugging Face's
     * rotate_half): {@code x} is {@code [tokens, heads, headDim]}, rotated by its token's absolute position.
     */
    record Rope(Buffer x, int heads, RopeParameters rope) implements Op {}

    /** Writes {@code k} and {@code v}, each {@code [tokens, kvHeads, headDim]}, to the layer's slots of their tokens. */
    record WriteKv(Buffer k, Buffer v) implements Op {}

    /**
     * Causal attention over the layer's cache: query head {@code h} of {@code q} ({@code [tokens, heads, headDim]}) sees KV
     * head {@code h / (heads / kvHeads)} at the last {@code window} positions up to its own (grouped queries: Ainslie et al.
     * 2023, arXiv 2305.13245; windows: Beltagy et al. 2020, arXiv 2004.05150).
     *
     * @param window positions that a query sees, its own included; {@link #WHOLE_CONTEXT} for all
     */
    record Attention(Buffer q, int heads, int kvHeads, int headDim, int window, Buffer out) implements Op {

        /** A window that no position is outside of. */
        public static final int WHOLE_CONTEXT = Integer.MAX_VALUE;

        public Attention {
            if (window < 1) {
                throw new IllegalArgumentException("a query sees itself at least: window is " + window);
            }
        }

        /** Attention over the whole context. */
        public Attention(Buffer q, int heads, int kvHeads, int headDim, Buffer out) {
            this(q, heads, kvHeads, headDim, WHOLE_CONTEXT, out);
        }

        /** The first position that a query at {@code position} sees. */
        public int firstVisible(int position) {
            return Math.max(0, position - window + 1);
        }
    }

    /** {@code out = gate / (1 + exp(-gate)) * up} (Shazeer 2020, arXiv 2002.05202). */
    record SwiGlu(Buffer gate, Buffer up, Buffer out) implements Op {}

    /** {@code x = x + y}: the residual stream takes a block's output. */
    record Add(Buffer x, Buffer y) implements Op {}

    /** {@code out[i] = in[the token of output row i]}: only rows that are asked for go on to the LM head. */
    record SelectOutputs(Buffer in, Buffer out) implements Op {}
}
