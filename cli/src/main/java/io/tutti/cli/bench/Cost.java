package io.tutti.cli.bench;

import io.tutti.engine.graph.Graph;
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
import io.tutti.engine.graph.Rows;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.weights.WeightFormat;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.ToLongFunction;

/**
 * The arithmetic and the memory traffic that a model cannot do without, whatever its engine does besides. A product of a
 * matrix and a vector is 2 · rows · columns operations, and a query that sees a key 4 · heads · head size a layer. Weights
 * are read as they are stored, once a step.
 *
 * @param tokenFlops operations of a token, attention and the LM head aside
 * @param headFlops operations of the LM head, for a token whose logits are wanted
 * @param pairFlops operations of a token that sees one position, in all layers
 * @param weightBytes bytes of the weights that a step reads, the LM head's included
 * @param rowBytes bytes of a token's row of the embedding
 * @param positionBytes bytes of a position's keys and values, in all layers
 * @param window positions that a token sees at most
 */
public record Cost(
        long tokenFlops,
        long headFlops,
        long pairFlops,
        long weightBytes,
        long rowBytes,
        long positionBytes,
        int window) {

    private static final int F16_BYTES = 2;

    /**
     * Counts what {@code graph} does.
     *
     * @param formats how a matrix is stored, by its name in the checkpoint
     * @param vectorBytes bytes of a vector, by its name
     */
    public static Cost of(
            Graph graph,
            BiFunction<String, Matrix, WeightFormat> formats,
            ToLongFunction<String> vectorBytes,
            KvDtype kv) {
        Counter counter = new Counter(formats, vectorBytes, kv);
        graph.forEachInOrder((op, layer) -> {
            switch (op) {
                case Embed e -> counter.embed(e.table().name(layer), e.table());
                case RmsNorm n -> counter.vector(n.scale().name(layer));
                case HeadNorm n -> counter.vector(n.scale().name(layer));
                case MatMul m -> {
                    counter.matMul(m, m.weight().name(layer));
                    m.bias().ifPresent(bias -> counter.vector(bias.name(layer)));
                }
                case Attention a -> counter.attention(a);
                // None of these reads a weight, and their arithmetic is none beside the products'.
                case Rope _, WriteKv _, SwiGlu _, Add _, SelectOutputs _ -> {}
            }
        });
        return counter.cost();
    }

    /** Operations of a prompt of {@code tokens}, whose last token's logits are wanted. */
    public double prefillFlops(int tokens) {
        return (double) tokens * tokenFlops + headFlops + pairs(0, tokens) * pairFlops;
    }

    /** Operations of {@code tokens} new tokens of each of {@code batch} sequences, after {@code context}. */
    public double decodeFlops(int batch, int context, int tokens) {
        return batch * ((double) tokens * (tokenFlops + headFlops) + pairs(context, tokens) * pairFlops);
    }

    /** Bytes that those read. */
    public double decodeBytes(int batch, int context, int tokens) {
        return (double) tokens * (weightBytes + batch * rowBytes) + batch * pairs(context, tokens) * positionBytes;
    }

    /** Positions that {@code tokens} tokens after {@code context} see, themselves included, all of them together. */
    private double pairs(int context, int tokens) {
        int growing = Math.clamp((long) window - context, 0, tokens); // tokens whose window holds all before them
        return (double) growing * context + growing * (growing + 1.0) / 2 + (double) (tokens - growing) * window;
    }

    private static long bytes(Matrix matrix, WeightFormat format) {
        long elements = (long) matrix.rows() * matrix.cols();
        return switch (format) {
            case WeightFormat.Dense dense -> elements * dense.dtype().bytes();
            case WeightFormat.Int4 int4 -> elements / 2 + elements / int4.group() * F16_BYTES;
        };
    }

    private static final class Counter {
        private final BiFunction<String, Matrix, WeightFormat> formats;
        private final ToLongFunction<String> vectorBytes;
        private final KvDtype kv;
        /** By name, since a weight that two ops share counts once. */
        private final Map<String, Long> read = new HashMap<>();

        private long tokenFlops;
        private long headFlops;
        private long pairFlops;
        private long rowBytes;
        private long positionBytes;
        private int window = Attention.WHOLE_CONTEXT;

        Counter(BiFunction<String, Matrix, WeightFormat> formats, ToLongFunction<String> vectorBytes, KvDtype kv) {
            this.formats = formats;
            this.vectorBytes = vectorBytes;
            this.kv = kv;
        }

        void embed(String name, Matrix table) {
            rowBytes += bytes(table, formats.apply(name, table)) / table.rows();
        }

        void vector(String name) {
            read.put(name, vectorBytes.applyAsLong(name));
        }

        void matMul(MatMul op, String name) {
            Matrix weight = op.weight();
            long flops = 2L * weight.rows() * weight.cols();
            if (op.in().rows() == Rows.OUTPUTS) {
                headFlops += flops;
            } else {
                tokenFlops += flops;
            }
            read.put(name, bytes(weight, formats.apply(name, weight)));
        }

        void attention(Attention op) {
            pairFlops += 4L * op.heads() * op.headDim();
            positionBytes += 2L * op.kvHeads() * op.headDim() * kv.bytes();
            window = op.window(); // All layers have the same.
        }

        Cost cost() {
            long weightBytes = read.values().stream().mapToLong(Long::longValue).sum();
            return new Cost(tokenFlops, headFlops, pairFlops, weightBytes, rowBytes, positionBytes, window);
        }
    }
}
