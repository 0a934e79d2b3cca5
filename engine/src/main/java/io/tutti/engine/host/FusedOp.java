package io.tutti.engine.host;

import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Op.HeadNorm;
import io.tutti.engine.graph.Op.MatMul;
import io.tutti.engine.graph.Op.Rope;
import io.tutti.engine.graph.Op.WriteKv;
import java.util.List;
import java.util.Optional;

/** One or more neighbouring ops of a graph that the host does at once. */
sealed interface FusedOp {

    /** An op by itself. */
    record Plain(Op op) implements FusedOp {}

    /** Heads normalized and rotated, then keys and values written to the cache: nothing of it reaches beyond its token. */
    record RopeKv(List<HeadNorm> norms, List<Rope> ropes, Optional<WriteKv> write) implements FusedOp {

        /** How many ops of the graph it is. */
        int ops() {
            return norms.size() + ropes.size() + (write.isPresent() ? 1 : 0);
        }
    }

    /** Linear layers over the same input, which becomes the same for all of them. */
    record Linear(Buffer in, Activations activations, List<Product> products) implements FusedOp {}

    /** What becomes of a linear layer's product. */
    sealed interface Product {

        /** It is kept. */
        record Store(MatMul layer) implements Product {}

        /** {@code x} takes it up. */
        record AddTo(MatMul layer, Buffer x) implements Product {}

        /** SwiGLU of two products is kept. */
        record Gate(MatMul gate, MatMul up, Buffer out) implements Product {}
    }
}
