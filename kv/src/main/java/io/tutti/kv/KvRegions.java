package io.tutti.kv;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The cache's memory. Invariant: every layer lies whole in one region of its part, each region holding as many
 * consecutive layers as its size limit lets in.
 */
final class KvRegions implements AutoCloseable {
    private final KvConfig config;
    private final int layersPerRegion;
    private final long layerBytes;
    /** Shared, for the backends' worker threads read and write it. */
    private final Arena arena = Arena.ofShared();

    private final Map<KvPart, List<KvRegion>> regions = new EnumMap<>(KvPart.class);

    static KvRegions allocate(KvConfig config, long limit) {
        long room = limit - KvRegion.RESERVED;
        long layerBytes = config.blocks() * config.slabBytes();
        if (layerBytes > room) {
            throw new KvException.InvalidArgument(
                    "blocks",
                    config.blocks(),
                    "at most %d, for K of a layer takes %d bytes a block and lies in one buffer of %d bytes"
                            .formatted(room / config.slabBytes(), config.slabBytes(), limit));
        }
        return new KvRegions(config, layerBytes, (int) Math.min(config.layers(), room / layerBytes));
    }

    private KvRegions(KvConfig config, long layerBytes, int layersPerRegion) {
        this.config = config;
        this.layerBytes = layerBytes;
        this.layersPerRegion = layersPerRegion;
        try {
            for (KvPart part : KvPart.values()) {
                regions.put(part, allocate(part));
            }
        } catch (OutOfMemoryError e) {
            arena.close();
            throw e;
        }
    }

    private List<KvRegion> allocate(KvPart part) {
        List<KvRegion> consecutive = new ArrayList<>();
        int layers;
        for (int first = 0; first < config.layers(); first += layers) {
            layers = Math.min(layersPerRegion, config.layers() - first);
            long bytes = KvRegion.RESERVED + layers * layerBytes;
            consecutive.add(new KvRegion(part, first, layers, arena.allocate(bytes, KvRegion.RESERVED)));
        }
        return List.copyOf(consecutive);
    }

    /** In the order of their layers. */
    List<KvRegion> of(KvPart part) {
        return regions.get(part);
    }

    KvLayerSlab layer(int layer, KvPart part) {
        KvRegion region = of(part).get(layer / layersPerRegion);
        long element = config.dtype().bytes();
        long headStride = element * config.blockTokens() * config.headDim();
        return new KvLayerSlab(
                region,
                region.data(),
                (layer - region.firstLayer()) * layerBytes,
                config.slabBytes(),
                headStride,
                part == KvPart.K ? element : element * config.headDim(),
                part == KvPart.K ? element * config.blockTokens() : element);
    }

    @Override
    public void close() {
        arena.close();
    }
}
