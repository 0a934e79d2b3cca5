package io.tutti.engine.host;

import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Weight.Matrix;
import java.util.List;

/** One or more neighbouring ops of a graph that the host does at once. */
sealed interface FusedOp {

    /** An op by itself. */
    record Plain(Op op) implements FusedOp {}

    /** Linear layers over the same input, which becomes the same for all of them. */
    record Linear(Buffer in, Activations activations, List<Product> products) implements FusedOp {}

    /** What becomes of a linear layer's product. */
    sealed interface Product {

        /** It is kept. */
        record Store(Matrix weight, Buffer out) implements Product {}

        /** {@code x} takes it up. */
        record AddTo(Matrix weight, Buffer x) implements Product {}

        /** SwiGLU of two products is kept. */
        record Gate(Matrix gate, Matrix up, Buffer out) implements Product {}
    }
}
