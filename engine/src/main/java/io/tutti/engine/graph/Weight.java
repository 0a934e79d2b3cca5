package io.tutti.engine.graph;

import java.util.OptionalInt;

/**
 * A weight that an op reads, named as in the checkpoint. How its values are stored (f32, f16, bf16, int4) is the
 * checkpoint's business and no op's.
 *
 * <p>In a graph's layer ops a name carries {@value #LAYER} where the layer's number goes.
 */
public sealed interface Weight {

    /** The placeholder of the layer's number in a weight's name. */
    String LAYER = "{layer}";

    /** The tensor's name, which may hold {@value #LAYER}. */
    String name();

    /** The tensor's name in the given layer, or outside the layers. */
    default String name(OptionalInt layer) {
        return layer.isPresent() ? name().replace(LAYER, Integer.toString(layer.getAsInt())) : name();
    }

    /** {@code [rows, cols]}, row-major: a linear layer's {@code [out, in]}, or an embedding's {@code [vocab, hidden]}. */
    record Matrix(String name, int rows, int cols) implements Weight {}

    /** {@code [length]}: a norm's scale, or a linear layer's bias. */
    record Vector(String name, int length) implements Weight {}
}
