package io.tutti.tornado.program;

import io.tutti.kv.KvDtype;
import io.tutti.kv.KvPart;
import io.tutti.kv.KvPool;
import io.tutti.kv.KvRegion;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** The pool's regions as TornadoVM's arrays: the same memory, which TornadoVM copies to the device and back. */
final class CacheArrays {

    private final KvPool pool;
    private final Map<KvRegion, TornadoNativeArray> arrays = new IdentityHashMap<>();

    CacheArrays(KvPool pool) {
        this.pool = pool;
        boolean halves = pool.config().dtype() == KvDtype.F16;
        regions().forEach(region -> arrays.put(
                region, halves ? NativeArrays.halves(region) : NativeArrays.floats(region)));
    }

    private Stream<KvRegion> regions() {
        return Stream.of(KvPart.values()).flatMap(part -> pool.regions(part).stream());
    }

    /** All of them, K's first. */
    List<TornadoNativeArray> all() {
        return regions().map(arrays::get).toList();
    }

    /** The one that holds a layer's keys or values. */
    TornadoNativeArray of(int layer, KvPart part) {
        return arrays.get(pool.layer(layer, part).region());
    }

    /** Numbers ahead of a layer's in its array; the same for keys and values. */
    int offset(int layer) {
        return Math.toIntExact(pool.layer(layer, KvPart.K).offset()
                / pool.config().dtype().bytes());
    }
}
