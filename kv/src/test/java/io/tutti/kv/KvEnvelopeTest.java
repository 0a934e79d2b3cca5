package io.tutti.kv;

import static io.tutti.kv.Fixtures.B;
import static io.tutti.kv.Fixtures.D;
import static io.tutti.kv.Fixtures.HEADS;
import static io.tutti.kv.Fixtures.LAYERS;
import static io.tutti.kv.Fixtures.cacheChain;
import static io.tutti.kv.Fixtures.config;
import static io.tutti.kv.Fixtures.forEachSlot;
import static io.tutti.kv.Fixtures.getInt;
import static io.tutti.kv.Fixtures.putInt;
import static io.tutti.kv.Fixtures.reseal;
import static io.tutti.kv.Fixtures.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KvEnvelopeTest {
    @ParameterizedTest
    @EnumSource
    void kvPoolExportsAndImportsRustOwnedBlocks(KvDtype dtype) {
        try (KvPool from = new KvPool(config(3, dtype, true));
                KvPool to = new KvPool(config(4, dtype, false))) {
            List<KvBlock> blocks = from.alloc(3);
            int[] fills = {B, 0, 1};
            for (int i = 0; i < fills.length; i++) {
                write(from, blocks.get(i), i);
                from.setFill(blocks.get(i), fills[i]);
            }
            // In another order, and over what an earlier owner wrote.
            List<KvBlock> sent = List.of(blocks.get(2), blocks.get(0), blocks.get(1));
            List<KvBlock> earlier = to.alloc(4);
            earlier.forEach(block -> write(to, block, 9));
            to.release(earlier.subList(1, 4));

            List<KvBlock> received = to.importBlocks(from.exportBlocks(sent));

            assertThat(received).extracting(to::fill).containsExactly(1, B, 0);
            int[] salts = {2, 0, 1};
            for (int i = 0; i < salts.length; i++) {
                int salt = salts[i];
                int fill = to.fill(received.get(i));
                forEachSlot(
                        to,
                        (slab, where) -> assertThat(slab.bits(where.head(), where.position(), where.dim()))
                                .isEqualTo(where.position() < fill ? where.bits(salt) : 0),
                        received.get(i));
            }
            assertThat(to.used()).isEqualTo(4);
            to.release(received);
            to.release(earlier.get(0));
            from.release(blocks);
        }
    }

    @Test
    void anEnvelopeDependsOnContentAlone() {
        try (KvPool pool = new KvPool(config(2))) {
            KvBlock clean = pool.alloc(1).get(0);
            pool.setFill(clean, 1);
            KvBlock used = pool.alloc(1).get(0);
            write(pool, used, 1);
            pool.setFill(used, 1);
            forEachSlot(
                    pool,
                    (slab, where) -> {
                        if (where.position() == 0) {
                            slab.setBits(where.head(), 0, where.dim(), 0);
                        }
                    },
                    used);
            assertThat(pool.exportBlocks(List.of(used))).isEqualTo(pool.exportBlocks(List.of(clean)));
            pool.release(List.of(clean, used));
        }
    }

    @Test
    void envelopesOfAnyMemoryAreTheSame() {
        try (KvPool pool = new KvPool(config(4));
                Arena arena = Arena.ofConfined()) {
            List<KvBlock> blocks = pool.alloc(2);
            write(pool, blocks.get(0), 1);
            pool.setFill(blocks.get(0), 3);
            byte[] heap = pool.exportBlocks(blocks);
            MemorySegment native_ = pool.exportBlocks(blocks, arena);
            assertThat(native_.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(heap);

            List<KvBlock> imported = pool.importBlocks(native_);
            assertThat(pool.exportBlocks(imported)).isEqualTo(heap);
            pool.release(imported);
            pool.release(blocks);
        }
    }

    @Test
    void theChecksumCoversLongEnvelopesToo() {
        // Payloads on both sides of a multiple of 64 KiB, where everything before the checksum is just that long.
        for (int headDim : new int[] {16367, 16368, 16369, 50000}) {
            KvConfig config = new KvConfig(2, 1, 1, 1, headDim, KvDtype.F16, true, "a model");
            try (KvPool pool = new KvPool(config)) {
                List<KvBlock> blocks = pool.alloc(1);
                pool.slab(blocks.get(0), 0, KvPart.V).setBits(0, 0, headDim - 1, 0x3C00);
                pool.setFill(blocks.get(0), 1);
                byte[] envelope = pool.exportBlocks(blocks);
                assertThat(envelope).hasSize(60 + 4 + 4 * headDim + 4);
                assertThat(reseal(envelope.clone())).isEqualTo(envelope);
                blocks = List.of(blocks.get(0), pool.importBlocks(envelope).get(0));
                assertThat(pool.slab(blocks.get(1), 0, KvPart.V).bits(0, 0, headDim - 1))
                        .isEqualTo(0x3C00);
                pool.release(blocks);
            }
        }
    }

    @Test
    void anEnvelopeOfNoBlocksIsAllHeader() {
        try (KvPool pool = new KvPool(config(1))) {
            byte[] envelope = pool.exportBlocks(List.of());
            assertThat(envelope).hasSize(64);
            assertThat(pool.importBlocks(envelope)).isEmpty();
        }
    }

    @Test
    void importEvictsOnlyWhenAllOfItFits() {
        try (KvPool from = new KvPool(config(3));
                KvPool to = new KvPool(config(3))) {
            List<KvBlock> sent = from.alloc(3);
            byte[] envelope = from.exportBlocks(sent);
            from.release(sent);

            to.release(cacheChain(to, 1, 2, 3, 4, 5, 6, 7, 8));
            List<KvBlock> held = to.alloc(1);
            assertThatExceptionOfType(KvException.Exhausted.class).isThrownBy(() -> to.importBlocks(envelope));
            assertThat(to.cached()).isEqualTo(2);
            to.release(held);
            to.release(to.importBlocks(envelope));
            assertThat(to.free()).isEqualTo(3);
        }
    }

    private record Bad(String message, MemorySegment envelope) {
        Bad(String message, byte[] envelope) {
            this(message, MemorySegment.ofArray(envelope));
        }
    }

    @Test
    void whatDoesNotFitIsRefusedByFieldAndNothingIsAllocated() {
        try (KvPool pool = new KvPool(config(3))) {
            List<KvBlock> blocks = pool.alloc(2);
            blocks.forEach(block -> write(pool, block, 1));
            byte[] good = pool.exportBlocks(blocks);
            pool.release(blocks);
            int size = 60 + 2 * (4 + 2 * LAYERS * HEADS * B * D * 2) + 4;
            assertThat(good).hasSize(size);
            String root = pool.root().toString();

            byte[] otherRoot = good.clone();
            otherRoot[36] ^= 1;
            String other = "%02x".formatted(otherRoot[36] & 0xFF) + root.substring(2);
            byte[] flipped = good.clone();
            flipped[size / 2] ^= 0x10;
            long computed = Integer.toUnsignedLong(getInt(reseal(flipped.clone()), size - 4));
            byte[] magic = good.clone();
            magic[0] = 't';

            for (Bad bad : List.of(
                    new Bad("length is 0, accepted: 64 bytes or more", new byte[0]),
                    new Bad("length is 63, accepted: 64 bytes or more", Arrays.copyOf(good, 63)),
                    new Bad("length is 64, accepted: %d bytes".formatted(size), reseal(Arrays.copyOf(good, 64))),
                    new Bad(
                            "length is %d, accepted: %d bytes".formatted(size - 1, size),
                            Arrays.copyOf(good, size - 1)),
                    new Bad(
                            "length is %d, accepted: %d bytes".formatted(size + 1, size),
                            Arrays.copyOf(good, size + 1)),
                    new Bad("magic is 74555454494b5642, accepted: 54555454494b5642", magic),
                    new Bad("version is 2, accepted: 1", with(good, 8, 2)),
                    new Bad("dtype is 2, accepted: 1", with(good, 12, 2)),
                    new Bad("dtype is 0, accepted: 1", with(good, 12, 0)),
                    new Bad("n_blocks is 4, accepted: 0 to 3, the pool's", with(good, 16, 4)),
                    new Bad("n_blocks is 4294967295, accepted: 0 to 3, the pool's", with(good, 16, -1)),
                    new Bad("payload_bytes is 960, accepted: 1440", with(good, 16, 3)),
                    new Bad("block_tokens is 5, accepted: 4", with(good, 20, 5)),
                    new Bad("n_layers is 2, accepted: 3", with(good, 24, 2)),
                    new Bad("n_kv_heads is 4294967295, accepted: 2", with(good, 28, -1)),
                    new Bad("head_dim is 10, accepted: 5", with(good, 32, 10)),
                    new Bad(
                            "root is %s, accepted: %s, which stands for a model".formatted(other, root),
                            reseal(otherRoot)),
                    new Bad("payload_bytes is 961, accepted: 960", with(good, 52, 961)),
                    new Bad("payload_bytes is 18446744069414585280, accepted: 960", with(good, 56, -1)),
                    new Bad("fill of block 1 is 5, accepted: 0 to 4", with(good, 64, 5)),
                    new Bad("fill of block 0 is 4294967295, accepted: 0 to 4", with(good, 60, -1)),
                    new Bad(
                            "checksum is %d, accepted: %d"
                                    .formatted(Integer.toUnsignedLong(getInt(good, size - 4)), computed),
                            flipped))) {
                assertThatExceptionOfType(KvException.InvalidEnvelope.class)
                        .as(bad.message)
                        .isThrownBy(() -> pool.importBlocks(bad.envelope))
                        .withMessage("envelope " + bad.message);
                assertThat(pool.free()).isEqualTo(3);
            }
            pool.release(pool.importBlocks(good));
        }
    }

    private static byte[] with(byte[] envelope, int at, int value) {
        byte[] changed = envelope.clone();
        putInt(changed, at, value);
        return reseal(changed);
    }
}
