package io.tutti.kv;

import static io.tutti.kv.Fixtures.B;
import static io.tutti.kv.Fixtures.D;
import static io.tutti.kv.Fixtures.HEADS;
import static io.tutti.kv.Fixtures.LAYERS;
import static io.tutti.kv.Fixtures.config;
import static io.tutti.kv.Fixtures.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KvRegionsTest {
    /** Bytes of K, or V, of one layer of a pool of two blocks. */
    private static final long LAYER = 2L * HEADS * B * D * 2;

    @Test
    void aRegionHoldsAsManyConsecutiveLayersAsFit() {
        long two = KvRegion.RESERVED + 2 * LAYER;
        assertThat(layersOfRegions(two)).containsExactly(2, 1);
        assertThat(layersOfRegions(two - 1)).containsExactly(1, 1, 1);
        assertThat(layersOfRegions(two + LAYER)).containsExactly(3);
        assertThat(layersOfRegions(KvRegion.RESERVED + LAYER)).containsExactly(1, 1, 1);
        assertThat(layersOfRegions(KvPool.MAX_REGION_BYTES)).containsExactly(3);
        assertThat(KvPool.MAX_REGION_BYTES).isEqualTo(2147483647L);
    }

    private static List<Integer> layersOfRegions(long limit) {
        try (KvPool pool = new KvPool(config(2), limit)) {
            for (KvPart part : KvPart.values()) {
                int first = 0;
                for (KvRegion region : pool.regions(part)) {
                    assertThat(region.part()).isEqualTo(part);
                    assertThat(region.firstLayer()).isEqualTo(first);
                    assertThat(region.memory().byteSize())
                            .isEqualTo(KvRegion.RESERVED + region.layers() * LAYER)
                            .isLessThanOrEqualTo(limit);
                    first += region.layers();
                }
                assertThat(first).isEqualTo(LAYERS);
            }
            return pool.regions(KvPart.V).stream().map(KvRegion::layers).toList();
        }
    }

    @Test
    void aLayerThatFitsNoRegionIsRefused() {
        assertThatExceptionOfType(KvException.InvalidArgument.class)
                .isThrownBy(() -> new KvPool(config(2), KvRegion.RESERVED + LAYER - 1).close())
                .withMessage("blocks is 2, accepted: at most 1, for K of a layer takes 80 bytes a block"
                        + " and lies in one buffer of 223 bytes");
    }

    @Test
    void memoryThatIsNotToBeHadIsRefused() {
        KvConfig hugeBlock = new KvConfig(1, 1 << 20, 1, 1 << 10, 1 << 20, KvDtype.F16, true, "a model");
        assertThatExceptionOfType(KvException.InvalidArgument.class)
                .isThrownBy(() -> new KvPool(hugeBlock, Long.MAX_VALUE).close())
                .withMessage("blocks is 1, accepted: fewer, for the cache takes 4503599627370496 bytes,"
                        + " more than there is");
        KvConfig tooMany = new KvConfig(Integer.MAX_VALUE, 1, 1, 1, 1, KvDtype.F16, true, "a model");
        assertThatExceptionOfType(KvException.InvalidArgument.class)
                .isThrownBy(() -> new KvPool(tooMany, Long.MAX_VALUE).close())
                .withMessage("blocks is 2147483647, accepted: fewer, for the cache takes 8589934588 bytes,"
                        + " more than there is");
    }

    @Test
    void dataIsZeroedAndAligned() {
        try (KvPool pool = new KvPool(config(3), KvRegion.RESERVED + 2 * LAYER)) {
            for (KvPart part : KvPart.values()) {
                for (KvRegion region : pool.regions(part)) {
                    assertThat(region.data().address() % 64).isZero();
                    assertThat(region.data().address() - region.memory().address())
                            .isEqualTo(64);
                    assertThat(region.memory().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
                }
            }
        }
    }

    @Test
    void kernelsFindWhatCallersWroteWithPositionsContiguousInKAndDimsContiguousInV() {
        for (KvDtype dtype : KvDtype.values()) {
            for (long limit : new long[] {KvPool.MAX_REGION_BYTES, KvRegion.RESERVED + 3 * 2 * LAYER}) {
                try (KvPool pool = new KvPool(config(3, dtype, true), limit)) {
                    List<KvBlock> blocks = pool.alloc(3);
                    blocks.forEach(block -> write(pool, block, block.index()));
                    blocks.forEach(block -> Fixtures.forEachSlot(
                            pool,
                            (slab, where) -> assertThat(throughLayer(pool, dtype, block, where))
                                    .isEqualTo(where.bits(block.index())),
                            block));
                    KvLayerSlab k = pool.layer(2, KvPart.K);
                    assertThat(k.positionStride()).isEqualTo(dtype.bytes());
                    assertThat(k.dimStride()).isEqualTo((long) B * dtype.bytes());
                    KvLayerSlab v = pool.layer(2, KvPart.V);
                    assertThat(v.positionStride()).isEqualTo((long) D * dtype.bytes());
                    assertThat(v.dimStride()).isEqualTo(dtype.bytes());
                    pool.release(blocks);
                }
            }
        }
    }

    private static int throughLayer(KvPool pool, KvDtype dtype, KvBlock block, Fixtures.Slot where) {
        KvLayerSlab layer = pool.layer(where.layer(), where.part());
        long at = layer.at(block.index(), where.head())
                + where.position() * layer.positionStride()
                + where.dim() * layer.dimStride();
        MemorySegment data = layer.data();
        return switch (dtype) {
            case F16 -> data.get(ValueLayout.JAVA_SHORT, at);
            case F32 -> data.get(ValueLayout.JAVA_INT, at);
        };
    }

    @Test
    void position37OfTable7And2And9IsBlock9Slot5() {
        KvConfig config = new KvConfig(10, 16, 1, 2, 8, KvDtype.F16, true, "a model");
        try (KvPool pool = new KvPool(config)) {
            List<KvBlock> all = pool.alloc(10);
            int[] table = {7, 2, 9};
            KvBlock block = all.get(table[37 / 16]);
            pool.slab(block, 0, KvPart.K).setBits(1, 37 % 16, 0, 0x3C00);

            MemorySegment caller = MemorySegment.ofArray(new short[2 * 16 * 8]);
            pool.slab(block, 0, KvPart.K).copyTo(caller, 0);
            int element = (1 * 16 + 5) * 8;
            assertThat(IntStream.range(0, 2 * 16 * 8).filter(i -> caller.getAtIndex(ValueLayout.JAVA_SHORT, i) != 0))
                    .containsExactly(element);
            pool.release(all);
        }
    }
}
