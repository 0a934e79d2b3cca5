package io.tutti.kv;

import static io.tutti.kv.Fixtures.B;
import static io.tutti.kv.Fixtures.D;
import static io.tutti.kv.Fixtures.HEADS;
import static io.tutti.kv.Fixtures.cacheChain;
import static io.tutti.kv.Fixtures.config;
import static io.tutti.kv.Fixtures.hash;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class KvBadCallsTest {
    private record Bad(String message, ThrowingCallable call) {}

    @Test
    void badHandlesAndArgumentsAreRefusedInOneLineAndChangeNothing() {
        try (KvPool pool = new KvPool(config(4))) {
            KvBlock cached = cacheChain(pool, 1, 2, 3, 4).get(0);
            pool.release(cached);
            KvBlock full = cacheChain(pool, 5, 6, 7, 8).get(0);
            KvBlock block = pool.alloc(1).get(0);
            KvBlock freed = pool.alloc(1).get(0);
            pool.release(freed);
            KvBlock stale = new KvBlock(block.index(), block.generation() - 1);
            KvBlock early = new KvBlock(block.index(), block.generation() + 1);
            BlockHash hash = hash(pool, 9);
            String released = "block is %d of generation 1, accepted: a block that is held; it was released already";

            for (Bad bad : List.of(
                    new Bad("n is -1, accepted: 0 or more", () -> pool.alloc(-1)),
                    new Bad(released.formatted(freed.index()), () -> pool.release(freed)),
                    new Bad(released.formatted(freed.index()), () -> pool.retain(freed)),
                    new Bad(released.formatted(freed.index()), () -> pool.exportBlocks(List.of(block, freed))),
                    new Bad(released.formatted(cached.index()), () -> pool.release(cached)),
                    new Bad(released.formatted(cached.index()), () -> pool.setFill(cached, 0)),
                    new Bad(
                            "block is 2 of generation 0, accepted: a handle of generation 1; the block has changed hands",
                            () -> pool.release(stale)),
                    new Bad(
                            "block is 2 of generation 2, accepted: a handle of generation 1; the block has changed hands",
                            () -> pool.slab(early, 0, KvPart.K)),
                    new Bad(
                            "block is 4 of generation 1, accepted: a block of this pool, 0 to 3",
                            () -> pool.fill(new KvBlock(4, 1))),
                    new Bad(
                            "block is -1 of generation 1, accepted: a block of this pool, 0 to 3",
                            () -> pool.retain(new KvBlock(-1, 1))),
                    new Bad("fill of block 2 is 5, accepted: 0 to 4", () -> pool.setFill(block, B + 1)),
                    new Bad("fill of block 2 is -1, accepted: 0 to 4", () -> pool.setFill(block, -1)),
                    new Bad("fill of block 1 is 3, accepted: 4 to 4", () -> pool.setFill(full, B - 1)),
                    new Bad("fill of block 2 is 0, accepted: 4 to be registered", () -> pool.register(block, hash)),
                    new Bad(
                            "hash of block 1 is %s, accepted: %s, its content's"
                                    .formatted(hash, hash(pool, 5, 6, 7, 8)),
                            () -> pool.register(full, hash)),
                    new Bad("layer is 3, accepted: 0 to 2", () -> pool.layer(3, KvPart.V)),
                    new Bad("layer is -1, accepted: 0 to 2", () -> pool.slab(block, -1, KvPart.K)),
                    new Bad(
                            "blocks to export is 5, accepted: at most the pool's 4",
                            () -> pool.exportBlocks(Collections.nCopies(5, block))))) {
                assertThatExceptionOfType(KvException.class)
                        .as(bad.message)
                        .isThrownBy(bad.call)
                        .withMessage(bad.message);
                assertThat(List.of(pool.free(), pool.cached(), pool.used())).containsExactly(1, 1, 2);
            }
            pool.setFill(full, B);
            assertThat(pool.exportBlocks(Collections.nCopies(4, block))).isNotEmpty();
            pool.release(List.of(full, block));
        }
    }

    @Test
    void indicesOutsideASlabAreRefused() {
        try (KvPool pool = new KvPool(config(2))) {
            List<KvBlock> blocks = pool.alloc(2);
            KvSlab slab = pool.slab(blocks.get(0), 0, KvPart.K);
            for (int[] at : new int[][] {{HEADS, 0, 0}, {-1, 0, 0}, {0, B, 0}, {0, -1, 0}, {0, 0, D}, {0, 0, -1}}) {
                assertThatThrownBy(() -> slab.bits(at[0], at[1], at[2])).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> slab.setBits(at[0], at[1], at[2], 0))
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
            MemorySegment small = MemorySegment.ofArray(new byte[HEADS * B * D * 2 - 1]);
            assertThatThrownBy(() -> slab.copyTo(small, 0)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> slab.copyFrom(small, 0)).isInstanceOf(IndexOutOfBoundsException.class);
            pool.release(blocks);
        }
    }
}
