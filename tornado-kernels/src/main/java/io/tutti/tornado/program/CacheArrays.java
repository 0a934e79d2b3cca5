package io.tutti.tornado.program;

import io.tutti.kv.KvDtype;
import io.tutti.kv.KvPart;
import io.tutti.kv.KvPool;
import io.tutti.kv.KvRegion;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** The pool's regions as TornadoVM's arrays: the same memory, which TornadoVM copies to the device and back. */
final class CacheArrays {

    private final KvPool pool;
    private final List<TornadoNativeArray> all = new ArrayList<>();
    private final IdentityHashMap<KvRegion, TornadoNativeArray> byRegion = new IdentityHashMap<>();

    /** @param used whether the graph has ops that read or write the cache; without any there are no arrays */
    CacheArrays(KvPool pool, boolean used) {
        this.pool = pool;
        boolean halves = pool.config().dtype() == KvDtype.F16;
        if (used) {
            for (KvPart part : KvPart.values()) {
                for (KvRegion region : pool.regions(part)) {
                    TornadoNativeArray array = halves ? NativeArrays.halves(region) : NativeArrays.floats(region);
                    all.add(array);
                    byRegion.put(region, array);
                }
            }
        }
    }

    List<TornadoNativeArray> all() {
        return all;
    }

    /** Regions of keys, and as many of values, which hold the same layers. */
    int regions() {
        return all.size() / 2;
    }

    TornadoNativeArray keys(int region) {
        return all.get(region);
    }

    TornadoNativeArray values(int region) {
        return all.get(regions() + region);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** The one that holds a layer's keys or values. */
    TornadoNativeArray of(int layer, KvPart part) {
        return byRegion.get(pool.layer(layer, part).region());
    }

    /** Numbers ahead of a layer's in its array; the same for keys and values. */
    int offset(int layer) {
        return Math.toIntExact(
                pool.layer(layer, KvPart.K).offset() / pool.config().dtype().bytes());
    }

    long bytes() {
        return all.stream().mapToLong(TornadoNativeArray::getNumBytesOfSegment).sum();
    }
}
