package io.tutti.engine.reference;

import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.StepInputs;
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
import io.tutti.engine.graph.Weight;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvLayerSlab;
import io.tutti.kv.KvPart;
import io.tutti.kv.KvPool;
import io.tutti.modelio.dtype.Halves;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Floats;
import io.tutti.modelio.weights.Int4Weight;
import io.tutti.modelio.weights.WeightSource;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/** Interprets a graph, op by op, with every weight widened to f32 and every loop written out. */
final class ReferenceProgram implements Program {

    private final Graph graph;
    private final KvPool pool;
    private final Map<String, float[]> weights = new HashMap<>();
    private final Map<String, Nibbles> nibbles = new HashMap<>();
    private final Map<Buffer, float[]> buffers = new HashMap<>();
    private StepInputs step;

    ReferenceProgram(Graph graph, WeightSource source, KvPool pool, LoadProgress progress) {
        this.graph = graph;
        this.pool = pool;
        Map<String, Weight> needed = graph.weights();
        needed.forEach((name, weight) -> {
            load(source, name, weight);
            progress.loaded(weights.size(), needed.size());
        });
    }

    private void load(WeightSource source, String name, Weight weight) {
        switch (weight) {
            case Weight.Vector v -> weights.put(name, source.vector(name, v.length()));
            case Weight.Matrix m -> {
                try (var stored = source.matrix(name, m.rows(), m.cols())) {
                    switch (stored) {
                        case DenseWeight dense -> weights.put(name, widen(dense));
                        case Int4Weight int4 -> {
                            nibbles.put(name, Nibbles.of(int4));
                            weights.put(name, nibbles.get(name).widened());
                        }
                    }
                }
            }
        }
    }

    @Override
    public void run(StepInputs inputs) {
        step = inputs;
        buffers.clear();
        graph.forEachInOrder(this::run);
    }

    private void run(Op op, OptionalInt layer) {
        switch (op) {
            case Embed e -> embed(e, weight(e.table(), layer));
            case RmsNorm n -> rmsNorm(n, weight(n.scale(), layer));
            case HeadNorm n -> headNorm(n, weight(n.scale(), layer));
            case MatMul m -> {
                Nibbles int4 = nibbles.get(m.weight().name(layer));
                if (m.activations() == Activations.INT8 && int4 != null) {
                    matMul(m, int4);
                } else {
                    matMul(m, weight(m.weight(), layer));
                }
                m.bias().ifPresent(bias -> addBias(m.out(), weight(bias, layer)));
            }
            case Rope r -> rope(r);
            case WriteKv w -> {
                write(data(w.k()), w.k().width(), pool.layer(layer.orElseThrow(), KvPart.K));
                write(data(w.v()), w.v().width(), pool.layer(layer.orElseThrow(), KvPart.V));
            }
            case Attention a -> attention(a, layer.orElseThrow());
            case SwiGlu s -> {
                float[] gate = data(s.gate());
                float[] up = data(s.up());
                float[] out = data(s.out());
                for (int i = 0; i < out.length; i++) {
                    out[i] = Numerics.swiGlu(gate[i], up[i]);
                }
            }
            case Add a -> {
                float[] x = data(a.x());
                float[] y = data(a.y());
                for (int i = 0; i < x.length; i++) {
                    x[i] += y[i];
                }
            }
            case SelectOutputs s -> {
                int n = s.in().width();
                for (int i = 0; i < step.outputs().length; i++) {
                    System.arraycopy(data(s.in()), step.outputs()[i] * n, data(s.out()), i * n, n);
                }
            }
        }
    }

    private void embed(Embed op, float[] table) {
        int n = op.out().width();
        for (int t = 0; t < step.tokens().length; t++) {
            System.arraycopy(table, step.tokens()[t] * n, data(op.out()), t * n, n);
        }
    }

    private void rmsNorm(RmsNorm op, float[] scale) {
        int n = op.in().width();
        for (int t = 0; t < step.rows(op.in()); t++) {
            Numerics.rmsNorm(data(op.in()), t * n, scale, op.eps(), data(op.out()), t * n);
        }
    }

    private void headNorm(HeadNorm op, float[] scale) {
        float[] x = data(op.x());
        for (int at = 0; at < step.rows(op.x()) * op.x().width(); at += scale.length) {
            Numerics.rmsNorm(x, at, scale, op.eps(), x, at);
        }
    }

    private void addBias(Buffer out, float[] bias) {
        float[] y = data(out);
        for (int i = 0; i < y.length; i++) {
            y[i] += bias[i % bias.length];
        }
    }

    private void matMul(MatMul op, float[] weight) {
        int cols = op.weight().cols();
        int outs = op.weight().rows();
        for (int t = 0; t < step.rows(op.in()); t++) {
            for (int n = 0; n < outs; n++) {
                data(op.out())[t * outs + n] = Numerics.dot(weight, n * cols, data(op.in()), t * cols, cols);
            }
        }
    }

    private void matMul(MatMul op, Nibbles weight) {
        int cols = op.weight().cols();
        int outs = op.weight().rows();
        byte[] q = new byte[cols];
        float[] scales = new float[Int8Activations.blocks(cols)];
        for (int t = 0; t < step.rows(op.in()); t++) {
            Int8Activations.quantize(data(op.in()), t * cols, cols, q, scales);
            for (int n = 0; n < outs; n++) {
                data(op.out())[t * outs + n] = Int8Activations.dot(
                        weight.q(),
                        n * cols,
                        weight.scales(),
                        n * cols / weight.group(),
                        weight.group(),
                        q,
                        scales,
                        cols);
            }
        }
    }

    private void rope(Rope op) {
        RopeTable table = new RopeTable(op.rope());
        table.extendTo(step.positionsEnd());
        int headDim = op.rope().headDim();
        for (int t = 0; t < step.tokens().length; t++) {
            for (int h = 0; h < op.heads(); h++) {
                Numerics.rope(data(op.x()), (t * op.heads() + h) * headDim, table, step.positions()[t]);
            }
        }
    }

    private void write(float[] x, int width, KvLayerSlab slab) {
        for (int t = 0; t < step.tokens().length; t++) {
            for (int i = 0; i < width; i++) {
                long at = at(slab, step.slots()[t], i);
                float value = x[t * width + i];
                if (pool.config().dtype() == KvDtype.F16) {
                    slab.data().set(ValueLayout.JAVA_SHORT_UNALIGNED, at, Halves.floatToF16(value));
                } else {
                    slab.data().set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, Float.isNaN(value) ? Float.NaN : value);
                }
            }
        }
    }

    /** Number {@code i} of the heads of a slot, {@code [kvHeads, headDim]}. */
    private long at(KvLayerSlab slab, int slot, int i) {
        int blockTokens = pool.config().blockTokens();
        int headDim = pool.config().headDim();
        return slab.at(slot / blockTokens, i / headDim)
                + slot % blockTokens * slab.positionStride()
                + i % headDim * slab.dimStride();
    }

    private void attention(Attention op, int layer) {
        for (int s = 0; s < step.sequences(); s++) {
            int positions = step.positions()[step.sequenceStarts()[s + 1] - 1] + 1;
            for (int kvHead = 0; kvHead < op.kvHeads(); kvHead++) {
                float[] keys = read(pool.layer(layer, KvPart.K), s, kvHead, positions);
                float[] values = read(pool.layer(layer, KvPart.V), s, kvHead, positions);
                for (int t = step.sequenceStarts()[s]; t < step.sequenceStarts()[s + 1]; t++) {
                    attend(op, t, kvHead, keys, values);
                }
            }
        }
    }

    /** A token's query heads that share a KV head. */
    private void attend(Attention op, int t, int kvHead, float[] keys, float[] values) {
        int headDim = op.headDim();
        float scale = Numerics.attentionScale(headDim);
        int group = op.heads() / op.kvHeads();
        float[] q = new float[headDim];
        for (int h = kvHead * group; h < (kvHead + 1) * group; h++) {
            int at = (t * op.heads() + h) * headDim;
            for (int d = 0; d < headDim; d++) {
                q[d] = data(op.q())[at + d] * scale;
            }
            int position = step.positions()[t];
            Numerics.attend(q, keys, values, op.firstVisible(position), position + 1, data(op.out()), at);
        }
    }

    /** The first {@code n} positions of a sequence's head, {@code [n, headDim]}. */
    private float[] read(KvLayerSlab slab, int s, int kvHead, int n) {
        int blockTokens = pool.config().blockTokens();
        int headDim = pool.config().headDim();
        float[] out = new float[n * headDim];
        for (int p = 0; p < n; p++) {
            int block = step.blockTables()[step.tableStarts()[s] + p / blockTokens];
            for (int d = 0; d < headDim; d++) {
                long at = at(slab, block * blockTokens + p % blockTokens, kvHead * headDim + d);
                out[p * headDim + d] = pool.config().dtype() == KvDtype.F16
                        ? Halves.f16ToFloat(slab.data().get(ValueLayout.JAVA_SHORT_UNALIGNED, at))
                        : slab.data().get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
            }
        }
        return out;
    }

    private static float[] widen(DenseWeight weight) {
        float[] out = new float[Math.multiplyExact(weight.rows(), weight.cols())];
        float[] row = new float[weight.cols()];
        for (int r = 0; r < weight.rows(); r++) {
            weight.row(r, row);
            System.arraycopy(row, 0, out, r * row.length, row.length);
        }
        return out;
    }

    /**
     * An int4 matrix.
     *
     * @param q {@code [rows, cols]}, -8 to 7
     * @param scales {@code [rows, cols / group]}
     */
    private record Nibbles(byte[] q, float[] scales, int group) {
        static Nibbles of(Int4Weight weight) {
            byte[] q = new byte[Math.multiplyExact(weight.rows(), weight.cols())];
            for (int i = 0; i < q.length; i++) {
                int pair = weight.qweight().get(ValueLayout.JAVA_BYTE, i / 2);
                q[i] = (byte) (i % 2 == 0 ? pair << 28 >> 28 : pair >> 4);
            }
            float[] scales = new float[q.length / weight.group()];
            for (int i = 0; i < scales.length; i++) {
                scales[i] = Halves.f16ToFloat(weight.scales().getAtIndex(Floats.HALF, i));
            }
            return new Nibbles(q, scales, weight.group());
        }

        float[] widened() {
            float[] out = new float[q.length];
            for (int i = 0; i < out.length; i++) {
                out[i] = (float) q[i] * scales[i / group];
            }
            return out;
        }
    }

    private float[] weight(Weight weight, OptionalInt layer) {
        return weights.get(weight.name(layer));
    }

    private float[] data(Buffer buffer) {
        return buffers.computeIfAbsent(buffer, b -> new float[step.rows(b) * b.width()]);
    }

    @Override
    public void read(Buffer buffer, float[] out) {
        graph.requireResult(buffer);
        System.arraycopy(data(buffer), 0, out, 0, step.rows(buffer) * buffer.width());
    }

    @Override
    public long weightBytes() {
        return weights.values().stream()
                .mapToLong(w -> (long) w.length * Float.BYTES)
                .sum();
    }

    @Override
    public void close() {}
}
