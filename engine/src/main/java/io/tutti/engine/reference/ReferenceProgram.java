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
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.graph.Weight;
import io.tutti.engine.numerics.Int8Activations;
import io.tutti.engine.numerics.Numerics;
import io.tutti.engine.numerics.RopeTable;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvLayerSlab;
import io.tutti.kv.KvPart;
import io.tutti.kv.KvPool;
import io.tutti.modelio.dtype.Halves;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.sample.ParallelFor;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/** Interprets a graph, op by op, with every weight widened to f32, row by row, and every loop written out. */
final class ReferenceProgram implements Program {

    private final Graph graph;
    private final KvPool pool;
    private final ParallelFor parallel;
    private final Map<String, float[]> vectors = new HashMap<>();
    private final Map<String, Matrix> matrices = new HashMap<>();
    private final Map<RopeParameters, RopeTable> ropes = new HashMap<>();
    private final Map<Buffer, float[]> buffers = new HashMap<>();
    private StepInputs step;

    ReferenceProgram(Graph graph, WeightSource source, KvPool pool, ParallelFor parallel, LoadProgress progress) {
        this.graph = graph;
        this.pool = pool;
        this.parallel = parallel;
        Map<String, Weight> needed = graph.weights();
        try {
            needed.forEach((name, weight) -> {
                load(source, name, weight);
                progress.loaded(vectors.size() + matrices.size(), needed.size());
            });
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void load(WeightSource source, String name, Weight weight) {
        switch (weight) {
            case Weight.Vector v -> vectors.put(name, source.vector(name, v.length()));
            case Weight.Matrix m -> matrices.put(name, Matrix.of(source.matrix(name, m.rows(), m.cols())));
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
            case Embed e -> embed(e, matrix(e.table(), layer));
            case RmsNorm n -> rmsNorm(n, vector(n.scale(), layer));
            case HeadNorm n -> headNorm(n, vector(n.scale(), layer));
            case MatMul m -> {
                Matrix weight = matrix(m.weight(), layer);
                if (m.activations() == Activations.INT8 && weight instanceof Matrix.Nibbles int4) {
                    matMul(m, int4);
                } else {
                    matMul(m, weight);
                }
                m.bias().ifPresent(bias -> addBias(m.out(), vector(bias, layer)));
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

    private void embed(Embed op, Matrix table) {
        int n = op.out().width();
        float[] row = new float[n];
        for (int t = 0; t < step.tokens().length; t++) {
            table.row(step.tokens()[t], row);
            System.arraycopy(row, 0, data(op.out()), t * n, n);
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

    private void matMul(MatMul op, Matrix weight) {
        int cols = op.weight().cols();
        int outs = op.weight().rows();
        int rows = step.rows(op.in());
        float[] in = data(op.in());
        float[] out = data(op.out());
        parallel.run(outs, (from, to) -> {
            float[] w = new float[cols];
            for (int n = from; n < to; n++) {
                weight.row(n, w);
                for (int t = 0; t < rows; t++) {
                    out[t * outs + n] = Numerics.dot(w, 0, in, t * cols, cols);
                }
            }
        });
    }

    private void matMul(MatMul op, Matrix.Nibbles weight) {
        int cols = op.weight().cols();
        int outs = op.weight().rows();
        int blocks = Int8Activations.blocks(cols);
        float[] in = data(op.in());
        float[] out = data(op.out());
        for (int t = 0; t < step.rows(op.in()); t++) {
            byte[] q = new byte[cols];
            float[] scales = new float[blocks];
            Int8Activations.quantize(in, t * cols, cols, q, scales);
            int row = t * outs;
            parallel.run(outs, (from, to) -> {
                for (int n = from; n < to; n++) {
                    out[row + n] = Int8Activations.dot(
                            weight.q(),
                            n * cols,
                            weight.scales(),
                            n * cols / weight.group(),
                            weight.group(),
                            q,
                            scales,
                            cols);
                }
            });
        }
    }

    private void rope(Rope op) {
        RopeTable table = ropes.computeIfAbsent(op.rope(), RopeTable::new);
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
        float[] q = data(op.q());
        float[] out = data(op.out());
        for (int s = 0; s < step.sequences(); s++) {
            int sequence = s;
            int begin = step.sequenceStarts()[s];
            int end = step.sequenceStarts()[s + 1];
            int positions = step.positions()[end - 1] + 1;
            parallel.run(op.kvHeads(), (from, to) -> {
                for (int kvHead = from; kvHead < to; kvHead++) {
                    float[] keys = read(pool.layer(layer, KvPart.K), sequence, kvHead, positions);
                    float[] values = read(pool.layer(layer, KvPart.V), sequence, kvHead, positions);
                    for (int t = begin; t < end; t++) {
                        attend(op, t, kvHead, q, keys, values, out);
                    }
                }
            });
        }
    }

    /** A token's query heads that share a KV head. */
    private void attend(Attention op, int t, int kvHead, float[] qs, float[] keys, float[] values, float[] out) {
        int headDim = op.headDim();
        float scale = Numerics.attentionScale(headDim);
        int group = op.heads() / op.kvHeads();
        float[] q = new float[headDim];
        for (int h = kvHead * group; h < (kvHead + 1) * group; h++) {
            int at = (t * op.heads() + h) * headDim;
            for (int d = 0; d < headDim; d++) {
                q[d] = qs[at + d] * scale;
            }
            int position = step.positions()[t];
            Numerics.attend(q, keys, values, op.firstVisible(position), position + 1, out, at);
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

    private float[] vector(Weight.Vector weight, OptionalInt layer) {
        return vectors.get(weight.name(layer));
    }

    private Matrix matrix(Weight.Matrix weight, OptionalInt layer) {
        return matrices.get(weight.name(layer));
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
        long bytes = matrices.values().stream().mapToLong(Matrix::bytes).sum();
        return bytes
                + vectors.values().stream()
                        .mapToLong(vector -> (long) vector.length * Float.BYTES)
                        .sum();
    }

    @Override
    public void close() {
        matrices.values().forEach(Matrix::close);
        matrices.clear();
    }
}
