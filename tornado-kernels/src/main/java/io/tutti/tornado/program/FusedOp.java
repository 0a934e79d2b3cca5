package io.tutti.tornado.program;

import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.graph.Weight.Vector;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** One or more neighbouring ops of a graph that one kernel does: each launch costs as much as reading a small matrix. */
sealed interface FusedOp {

    /** What the launch is called in messages and task graphs: a word of letters. */
    String name();

    /** How many ops of the graph it is. */
    int ops();

    /** The buffers that it writes. */
    List<Buffer> written();

    /** An op that has a kernel to itself. */
    record Plain(Op op) implements FusedOp {
        @Override
        public String name() {
            return op.getClass().getSimpleName();
        }

        @Override
        public int ops() {
            return 1;
        }

        @Override
        public List<Buffer> written() {
            return Graph.written(op);
        }
    }

    /**
     * Linear layers over the same input: their weights lie row under row, and their outputs side by side.
     *
     * @param activations what the input becomes where the weights are int4
     * @param biases of all weights, or none
     * @param residual what the only output is added to instead of being kept
     */
    record Linear(
            Buffer in,
            Activations activations,
            List<Matrix> weights,
            List<Vector> biases,
            List<Buffer> outs,
            Optional<Buffer> residual)
            implements FusedOp {
        int rows() {
            return weights.stream().mapToInt(Matrix::rows).sum();
        }

        int cols() {
            return weights.getFirst().cols();
        }

        @Override
        public int ops() {
            return weights.size() + (residual.isPresent() ? 1 : 0);
        }

        @Override
        public List<Buffer> written() {
            return residual.map(List::of).orElse(outs);
        }

        @Override
        public String name() {
            return "MatMul" + outs.stream().map(Buffer::name).collect(Collectors.joining());
        }
    }

    /**
     * RMSNorm of each head by itself, in buffers that lie side by side.
     *
     * @param scales of each head, {@code [headDim]}
     */
    record HeadNorms(List<Buffer> xs, List<Vector> scales, float eps) implements FusedOp {
        int heads() {
            return scales.size();
        }

        int headDim() {
            return scales.getFirst().length();
        }

        @Override
        public String name() {
            return "HeadNorm";
        }

        @Override
        public int ops() {
            return xs.size();
        }

        @Override
        public List<Buffer> written() {
            return xs;
        }
    }

    /** Rotations by the same angles of buffers that lie side by side. */
    record Rotation(List<Buffer> xs, int heads, RopeParameters rope) implements FusedOp {
        @Override
        public String name() {
            return "Rope";
        }

        @Override
        public int ops() {
            return xs.size();
        }

        @Override
        public List<Buffer> written() {
            return xs;
        }
    }
}
