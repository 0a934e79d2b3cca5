package io.tutti.engine.runner;

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
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.graph.Weight.Vector;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A narrow graph that runs the same kernels as a wide one: each kind of layer once, with one head for keys and values, and the
 * query heads that share it.
 */
final class SmallGraph {

    private final Graph wide;
    private final int width;
    private final int vocab;
    private final int keyValueHeads;
    private final Set<Buffer> heads = new HashSet<>();

    private SmallGraph(Graph wide, int width, int vocab) {
        this.wide = wide;
        this.width = width;
        this.vocab = vocab;
        keyValueHeads = wide.attention().map(Attention::kvHeads).orElse(1);
        wide.forEachInOrder((op, _) -> {
            if (op instanceof Attention || op instanceof WriteKv) {
                heads.addAll(Graph.read(op));
                heads.addAll(Graph.written(op));
            }
        });
    }

    /**
     * Makes it.
     *
     * @param width of each buffer that is not one of heads
     * @param vocab rows of the embedding, and logits
     */
    static Graph of(Graph wide, int width, int vocab) {
        SmallGraph small = new SmallGraph(wide, width, vocab);
        Graph narrow = wide.with(small::narrow);
        return new Graph(
                narrow.prologue(),
                narrow.kinds(),
                IntStream.range(0, narrow.kinds().size()).boxed().toList(),
                narrow.epilogue(),
                wide.hidden().map(small::narrow),
                small.narrow(wide.logits()));
    }

    private Op narrow(Op op) {
        return switch (op) {
            case Embed e ->
                new Embed(new Matrix(e.table().tensor(), vocab, narrow(e.out()).width()), narrow(e.out()));
            case RmsNorm n -> new RmsNorm(narrow(n.in()), narrow(n.scale(), n.in()), n.eps(), narrow(n.out()));
            case HeadNorm n -> new HeadNorm(narrow(n.x()), n.heads() / keyValueHeads, n.scale(), n.eps());
            case MatMul m -> {
                Matrix weight = new Matrix(
                        m.weight().name(),
                        narrow(m.out()).width(),
                        narrow(m.in()).width());
                Optional<Vector> bias = m.bias().map(b -> narrow(b, m.out()));
                yield new MatMul(narrow(m.in()), weight, bias, m.activations(), narrow(m.out()));
            }
            case Rope r -> new Rope(narrow(r.x()), r.heads() / keyValueHeads, r.rope());
            case WriteKv w -> new WriteKv(narrow(w.k()), narrow(w.v()));
            case Attention a ->
                new Attention(narrow(a.q()), a.heads() / keyValueHeads, 1, a.headDim(), a.window(), narrow(a.out()));
            case SwiGlu s -> new SwiGlu(narrow(s.gate()), narrow(s.up()), narrow(s.out()));
            case Add a -> new Add(narrow(a.x()), narrow(a.y()));
            case SelectOutputs s -> new SelectOutputs(narrow(s.in()), narrow(s.out()));
        };
    }

    private Buffer narrow(Buffer buffer) {
        int other =
                heads.contains(buffer) ? buffer.width() / keyValueHeads : buffer.equals(wide.logits()) ? vocab : width;
        return new Buffer(buffer.name(), buffer.rows(), other);
    }

    /** A vector that is as long as {@code buffer} is wide. */
    private Vector narrow(Vector vector, Buffer buffer) {
        return new Vector(vector.tensor(), narrow(buffer).width());
    }
}
