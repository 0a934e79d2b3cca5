package io.tutti.kv;

import static io.tutti.kv.Fixtures.cacheChain;
import static io.tutti.kv.Fixtures.config;
import static io.tutti.kv.Fixtures.reseal;
import static io.tutti.kv.Fixtures.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class KvEnvelopeFuzzTest {
    private static final int[] CACHED = {1, 2, 3, 4, 5, 6, 7, 8};
    private static final int HEADER = 72;
    private final byte[] good = envelope();

    private static byte[] envelope() {
        try (KvPool pool = new KvPool(config(3))) {
            List<KvBlock> blocks = pool.alloc(3);
            blocks.forEach(block -> write(pool, block, block.index()));
            blocks.forEach(block -> pool.setFill(block, block.index() + 1));
            byte[] bytes = pool.exportBlocks(blocks);
            pool.release(blocks);
            return bytes;
        }
    }

    @Property
    void aDamagedEnvelopeIsRefusedAndNothingIsAllocated(
            @ForAll @IntRange(max = Integer.MAX_VALUE) int at, @ForAll @IntRange(min = 1, max = 255) int bits) {
        byte[] bad = good.clone();
        bad[at % bad.length] ^= (byte) bits;
        refused(bad);
    }

    @Property
    void anEnvelopeOfAnotherLengthIsRefused(@ForAll @IntRange(max = 2000) int length, @ForAll boolean resealed) {
        byte[] bad = Arrays.copyOf(good, length == good.length ? length + 1 : length);
        refused(resealed && length >= Integer.BYTES ? reseal(bad) : bad);
    }

    @Property
    void bytesOfAnyKindAreRefused(@ForAll @Size(max = 200) byte[] bytes) {
        refused(bytes);
    }

    @Property
    void aChangedHeaderUnderAGoodChecksumIsRefusedOrFits(
            @ForAll @IntRange(max = HEADER - 1) int at, @ForAll byte value, @ForAll @IntRange(max = 3) int next) {
        byte[] changed = good.clone();
        changed[at] = value;
        changed[Math.min(at + next, HEADER - 1)] = value;
        reseal(changed);
        try (KvPool pool = new KvPool(config(3))) {
            try {
                List<KvBlock> blocks = pool.importBlocks(changed);
                assertThat(blocks).hasSize(3);
                pool.release(blocks);
            } catch (KvException.InvalidEnvelope e) {
                assertThat(pool.free()).isEqualTo(3);
            }
        }
    }

    private static void refused(byte[] bad) {
        try (KvPool pool = new KvPool(config(3))) {
            List<KvBlock> chain = cacheChain(pool, CACHED);
            pool.release(chain);
            assertThatExceptionOfType(KvException.InvalidEnvelope.class).isThrownBy(() -> pool.importBlocks(bad));
            assertThat(List.of(pool.free(), pool.cached(), pool.used())).containsExactly(1, 2, 0);
            List<KvBlock> found = pool.lookupPrefix(CACHED);
            assertThat(found).hasSize(2);
            pool.release(found);
        }
    }
}
