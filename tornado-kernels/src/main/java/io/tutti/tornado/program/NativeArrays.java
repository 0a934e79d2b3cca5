package io.tutti.tornado.program;

import io.tutti.kv.KvRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** TornadoVM's arrays over memory that somebody else owns: a header, which TornadoVM writes, then the numbers. */
final class NativeArrays {

    /** Bytes that TornadoVM keeps ahead of an array's numbers, on the host and on the device. */
    static final long HEADER_BYTES = TornadoNativeArray.ARRAY_HEADER;

    /** Bytes of the largest array's numbers: TornadoVM counts them in ints, header and all. */
    static final long MOST_BYTES = Integer.MAX_VALUE - HEADER_BYTES;

    private static final int CACHE_LINE = 64;

    private NativeArrays() {}

    static FloatArray floats(Arena arena, long count) {
        return FloatArray.fromSegmentShallow(allocate(arena, count * Float.BYTES));
    }

    static IntArray ints(Arena arena, long count) {
        return IntArray.fromSegmentShallow(allocate(arena, count * Integer.BYTES));
    }

    private static MemorySegment allocate(Arena arena, long bytes) {
        return arena.allocate(HEADER_BYTES + bytes, CACHE_LINE);
    }

    /** The numbers of an array, without its header. */
    static MemorySegment data(TornadoNativeArray array) {
        return array.getSegmentWithHeader().asSlice(HEADER_BYTES);
    }

    /** A cache region of f16 numbers, uncopied. */
    static ShortArray halves(KvRegion region) {
        return ShortArray.fromSegmentShallow(withHeader(region));
    }

    /** A cache region of f32 numbers, uncopied. */
    static FloatArray floats(KvRegion region) {
        return FloatArray.fromSegmentShallow(withHeader(region));
    }

    private static MemorySegment withHeader(KvRegion region) {
        return region.memory().asSlice(KvRegion.RESERVED - HEADER_BYTES);
    }

    /** Copies rows of a view to {@code [rows, width]}. */
    static void copyRows(FloatArray values, View view, int rows, float[] out) {
        MemorySegment data = data(values);
        for (int row = 0; row < rows; row++) {
            long at = (view.at() + (long) row * view.stride()) * Float.BYTES;
            MemorySegment.copy(data, ValueLayout.JAVA_FLOAT_UNALIGNED, at, out, row * view.width(), view.width());
        }
    }
}
