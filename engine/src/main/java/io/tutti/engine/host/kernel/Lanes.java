package io.tutti.engine.host.kernel;

import io.tutti.engine.layout.Tile;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The vector width that the kernels use: the machine's own, as a power of two from 128 bits, which a JVM without vectors
 * emulates, to the 512 that half a {@link Tile} takes.
 *
 * <p>There is one width for floats and one for ints, in all kernels. The compiler knows a vector's class where only one is
 * loaded; with a second it guesses by the calls that it has seen of both, and a kernel that is compiled in the midst of a loop
 * then allocates its vectors and takes ten times as long.
 */
final class Lanes {

    static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED.length() >= 16
            ? FloatVector.SPECIES_512
            : FloatVector.SPECIES_PREFERRED.length() >= 8 ? FloatVector.SPECIES_256 : FloatVector.SPECIES_128;

    static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, FLOATS.vectorShape());

    /** Shorts of as many bits. */
    static final VectorSpecies<Short> SHORTS = VectorSpecies.of(short.class, FLOATS.vectorShape());

    /** As many shorts as {@link #FLOATS} has lanes. */
    static final VectorSpecies<Short> SHORTS_TO_WIDEN =
            VectorSpecies.of(short.class, VectorShape.forBitSize(FLOATS.vectorBitSize() / 2));

    private Lanes() {}
}
