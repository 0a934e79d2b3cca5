package io.tutti.engine.graph;

import java.util.OptionalInt;

/**
 * A weight that an op reads. How its values are stored (f32, f16, bf16, int4) is the checkpoint's business and no op's.
 *
 * <p>In a graph's layer ops a name carries {@value #LAYER} where the layer's number goes.
 */
public sealed interface Weight {

    /** The placeholder of the layer's number in a weight's name. */
    String LAYER = "{layer}";

    /** Where its values come from. */
    Tensor tensor();

    /** Its name, which may hold {@value #LAYER}: the tensor's, if it is taken as it is. */
    default String name() {
        return tensor().text();
    }

    /** Its name in the given layer, or outside the layers. */
    default String name(OptionalInt layer) {
        return tensor().in(layer).text();
    }

    /** {@code [rows, cols]}, row-major: a linear layer's {@code [out, in]}, or an embedding's {@code [vocab, hidden]}. */
    record Matrix(Tensor tensor, int rows, int cols) implements Weight {

        /** A matrix as it is stored. */
        public Matrix(String name, int rows, int cols) {
            this(new Tensor.Stored(name), rows, cols);
        }
    }

    /** {@code [length]}: a norm's scale, or a linear layer's bias. */
    record Vector(Tensor tensor, int length) implements Weight {

        /** A vector as it is stored. */
        public Vector(String name, int length) {
            this(new Tensor.Stored(name), length);
        }
    }
}
