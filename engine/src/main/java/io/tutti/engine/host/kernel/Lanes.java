package io.tutti.engine.host.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The vector width that the kernels use: the machine's own, as a power of two from 128 bits, which a JVM without vectors
 * emulates, to the 512 that half a {@link Tile} takes.
 */
final class Lanes {

    static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED.length() >= 16
            ? FloatVector.SPECIES_512
            : FloatVector.SPECIES_PREFERRED.length() >= 8 ? FloatVector.SPECIES_256 : FloatVector.SPECIES_128;

    static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, FLOATS.vectorShape());

    /** As many shorts as {@link #FLOATS} has lanes. */
    static final VectorSpecies<Short> SHORTS =
            VectorSpecies.of(short.class, VectorShape.forBitSize(FLOATS.vectorBitSize() / 2));

    private Lanes() {}
}
