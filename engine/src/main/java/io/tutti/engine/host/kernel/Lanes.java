package io.tutti.engine.host.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** The vector widths that the kernels use: the machine's own, but never more lanes than half a {@link Tile} has rows. */
final class Lanes {

    static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED.length() > Tile.HALF
            ? FloatVector.SPECIES_512
            : FloatVector.SPECIES_PREFERRED;

    static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, FLOATS.vectorShape());

    /** As many shorts as {@link #FLOATS} has lanes. */
    static final VectorSpecies<Short> SHORTS =
            VectorSpecies.of(short.class, VectorShape.forBitSize(FLOATS.vectorBitSize() / 2));

    private Lanes() {}
}
