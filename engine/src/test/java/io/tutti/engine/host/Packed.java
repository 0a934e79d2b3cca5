package io.tutti.engine.host;

import io.tutti.engine.parallel.Workers;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.WeightFormat;
import java.lang.foreign.Arena;

/** Weights in tiles, for tests of what is done with them. */
final class Packed {

    private Packed() {}

    static PackedMatrix of(Weight weight, Workers workers, Arena arena) {
        MatrixPacker packer = new MatrixPacker(workers, arena);
        PackedMatrix tiles = packer.allocate(WeightFormat.of(weight), weight.rows(), weight.cols());
        packer.pack(weight, tiles);
        return tiles;
    }
}
