package io.tutti.tornado.program;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/**
 * The arrays that an op has beside those that all have; null for one that it has not.
 *
 * @param angles of the step's positions
 * @param weights a matrix's tiles
 * @param scales of an int4 matrix
 * @param keys a region of the cache
 * @param values the region with the values to those keys
 */
record ClArrays(
        TornadoNativeArray angles,
        TornadoNativeArray weights,
        TornadoNativeArray scales,
        TornadoNativeArray keys,
        TornadoNativeArray values) {

    static final ClArrays NONE = new ClArrays(null, null, null, null, null);

    static ClArrays of(DeviceMatrix matrix) {
        List<TornadoNativeArray> arrays = matrix.arrays();
        return new ClArrays(null, arrays.getFirst(), arrays.size() > 1 ? arrays.get(1) : null, null, null);
    }

    ClArrays withAngles(TornadoNativeArray other) {
        return new ClArrays(other, weights, scales, keys, values);
    }

    /** Those that it has. */
    List<TornadoNativeArray> all() {
        return Stream.of(angles, weights, scales, keys, values)
                .filter(Objects::nonNull)
                .toList();
    }
}
