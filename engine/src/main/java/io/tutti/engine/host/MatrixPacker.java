package io.tutti.engine.host;

import io.tutti.engine.layout.TilePacker;
import io.tutti.engine.parallel.Workers;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Int4Weight;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.WeightFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Gives weights memory of the program's own, in {@link Tile}s. */
final class MatrixPacker {

    private static final int CACHE_LINE = 64;

    private final TilePacker packer;
    private final Arena arena;

    /**
     * @param workers who packs
     * @param arena where the tiles live
     */
    MatrixPacker(Workers workers, Arena arena) {
        this.packer = new TilePacker(workers);
        this.arena = arena;
    }

    /** A matrix of zeros. Threads may make several at once. */
    PackedMatrix allocate(WeightFormat format, int rows, int cols) {
        return switch (format) {
            case WeightFormat.Dense(Dtype dtype) -> allocate(dtype, rows, cols);
            case WeightFormat.Int4(int group) ->
                new PackedMatrix.Int4(
                        rows,
                        cols,
                        group,
                        allocate(TilePacker.int4Bytes(rows, cols)),
                        allocate(TilePacker.halfBytes(rows, cols / group)));
        };
    }

    private PackedMatrix allocate(Dtype dtype, int rows, int cols) {
        return switch (dtype) {
            case F32 -> new PackedMatrix.F32(rows, cols, allocate(TilePacker.f32Bytes(rows, cols)));
            case BF16 -> new PackedMatrix.Bf16(rows, cols, allocate(TilePacker.halfBytes(rows, cols)));
            case F16 -> new PackedMatrix.F16(rows, cols, allocate(TilePacker.halfBytes(rows, cols)));
            default -> throw new IllegalArgumentException("weights cannot be " + dtype);
        };
    }

    private MemorySegment allocate(long bytes) {
        return arena.allocate(bytes, CACHE_LINE);
    }

    /** Puts the weight into {@code tiles}, allocated for it; its own memory is left alone and may be let go. */
    void pack(Weight weight, PackedMatrix tiles) {
        switch (tiles) {
            case PackedMatrix.F32 f32 -> packer.packF32((DenseWeight) weight, f32.data());
            case PackedMatrix.Bf16 bf16 -> packer.packHalves((DenseWeight) weight, bf16.data());
            case PackedMatrix.F16 f16 -> packer.packHalves((DenseWeight) weight, f16.data());
            case PackedMatrix.Int4 int4 -> packer.packInt4((Int4Weight) weight, int4.data(), int4.scales());
        }
    }
}
