package io.tutti.tornado.program;

import io.tutti.engine.layout.TilePacker;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.weights.WeightFormat;
import java.lang.foreign.Arena;
import java.util.List;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** A matrix of each layer of a section, one after the other, in the tiles that the host's kernels read too. */
sealed interface DeviceMatrix {

    /** What TornadoVM uploads. */
    List<TornadoNativeArray> arrays();

    /** Bytes of the numbers. */
    default long bytes() {
        return arrays().stream()
                .mapToLong(TornadoNativeArray::getNumBytesOfSegment)
                .sum();
    }

    /** f32 numbers. */
    record F32(FloatArray tiles) implements DeviceMatrix {
        @Override
        public List<TornadoNativeArray> arrays() {
            return List.of(tiles);
        }
    }

    /** f16 or bf16 numbers, two to an int. */
    record Half(IntArray tiles, Dtype dtype) implements DeviceMatrix {
        @Override
        public List<TornadoNativeArray> arrays() {
            return List.of(tiles);
        }
    }

    /** int4 numbers, eight to an int, and their f16 scales, two to an int. */
    record Int4(IntArray tiles, IntArray scales, int group) implements DeviceMatrix {
        @Override
        public List<TornadoNativeArray> arrays() {
            return List.of(tiles, scales);
        }
    }

    /** Memory for {@code layers} matrices. */
    static DeviceMatrix allocate(Arena arena, WeightFormat format, int rows, int cols, int layers) {
        long bytes = layers * bytes(format, rows, cols);
        return switch (format) {
            case WeightFormat.Dense(Dtype dtype) ->
                dtype == Dtype.F32
                        ? new F32(NativeArrays.floats(arena, bytes / Float.BYTES))
                        : new Half(NativeArrays.ints(arena, bytes / Integer.BYTES), dtype);
            case WeightFormat.Int4(int group) ->
                new Int4(
                        NativeArrays.ints(arena, bytes / Integer.BYTES),
                        NativeArrays.ints(arena, layers * scaleBytes(rows, cols, group) / Integer.BYTES),
                        group);
        };
    }

    /** Bytes of one matrix; of int4, without its scales. */
    static long bytes(WeightFormat format, int rows, int cols) {
        return switch (format) {
            case WeightFormat.Dense(Dtype dtype) ->
                dtype == Dtype.F32 ? TilePacker.f32Bytes(rows, cols) : TilePacker.halfBytes(rows, cols);
            case WeightFormat.Int4 _ -> TilePacker.int4Bytes(rows, cols);
        };
    }

    /** Bytes of one int4 matrix's scales. */
    static long scaleBytes(int rows, int cols, int group) {
        return TilePacker.halfBytes(rows, cols / group);
    }
}
