package io.tutti.engine.host.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** The vector widths that the kernels use: the machine's own, but never more lanes than half a {@link Tile} has rows. */
final class Lanes {

    /** For arithmetic. */
    static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED.length() > Tile.HALF
            ? FloatVector.SPECIES_512
            : FloatVector.SPECIES_PREFERRED;

    static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, FLOATS.vectorShape());

    /** As many shorts as {@link #FLOATS} has lanes. */
    static final VectorSpecies<Short> SHORTS =
            VectorSpecies.of(short.class, VectorShape.forBitSize(FLOATS.vectorBitSize() / 2));

    /**
     * For streaming weights through four accumulators: eight lanes cover a tile in one pass, and wider ones would have
     * fewer sums in flight without reading memory any sooner.
     */
    static final VectorSpecies<Float> STREAM_FLOATS =
            FLOATS.length() > Tile.ROWS / 4 ? FloatVector.SPECIES_256 : FLOATS;

    static final VectorSpecies<Integer> STREAM_INTS = VectorSpecies.of(int.class, STREAM_FLOATS.vectorShape());

    private Lanes() {}
}
