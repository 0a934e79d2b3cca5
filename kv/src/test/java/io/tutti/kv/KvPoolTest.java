package io.tutti.kv;

import static io.tutti.kv.Fixtures.B;
import static io.tutti.kv.Fixtures.cacheChain;
import static io.tutti.kv.Fixtures.config;
import static io.tutti.kv.Fixtures.hash;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class KvPoolTest {
    @Test
    void kvPoolBoundsAndCacheLifecycle() {
        try (KvPool pool = new KvPool(config(3))) {
            List<KvBlock> two = pool.alloc(2);
            assertThat(two).extracting(KvBlock::index).containsExactly(0, 1);
            assertCounts(pool, 1, 0, 2);

            assertThatExceptionOfType(KvException.Exhausted.class)
                    .isThrownBy(() -> pool.alloc(2))
                    .withMessage("blocks needed is 2, accepted: at most the 1 that are free or cached")
                    .satisfies(e -> assertThat(e.needed()).isEqualTo(2))
                    .satisfies(e -> assertThat(e.available()).isEqualTo(1));
            assertCounts(pool, 1, 0, 2);

            KvBlock block = two.get(0);
            assertThat(pool.fill(block)).isZero();
            pool.setFill(block, B);
            assertThat(pool.fill(block)).isEqualTo(B);
            BlockHash hash = hash(pool, 1, 2, 3, 4);
            assertThat(pool.lookup(hash)).isEmpty();
            assertThat(pool.register(block, hash)).isTrue();

            pool.retain(block);
            pool.release(block);
            assertCounts(pool, 1, 0, 2);
            pool.release(block);
            assertCounts(pool, 1, 1, 1);

            KvBlock again = pool.lookup(hash).orElseThrow();
            assertThat(again.index()).isEqualTo(block.index());
            assertThat(pool.fill(again)).isEqualTo(B);
            assertCounts(pool, 1, 0, 2);
            assertThat(pool.lookup(hash)).contains(again);
            pool.release(List.of(again, again));
            assertCounts(pool, 1, 1, 1);

            pool.release(two.get(1));
            assertCounts(pool, 2, 1, 0);
            List<KvBlock> all = pool.alloc(3);
            assertThat(all).extracting(KvBlock::index).containsExactlyInAnyOrder(0, 1, 2);
            assertThat(all).allSatisfy(b -> assertThat(pool.fill(b)).isZero());
            assertThat(pool.lookup(hash)).isEmpty();
            pool.release(all);
            assertCounts(pool, 3, 0, 0);
        }
    }

    @Test
    void kvPoolEvictsTheOldestCachedBlock() {
        try (KvPool pool = new KvPool(config(3))) {
            for (int token : new int[] {10, 20, 30}) {
                pool.release(cacheChain(pool, token, 0, 0, 0));
            }
            // Looked up, and so younger than the second.
            pool.release(pool.lookup(hash(pool, 10, 0, 0, 0)).orElseThrow());
            assertCounts(pool, 0, 3, 0);

            List<KvBlock> fresh = pool.alloc(1);
            assertThat(pool.lookup(hash(pool, 20, 0, 0, 0))).isEmpty();
            KvBlock first = pool.lookup(hash(pool, 10, 0, 0, 0)).orElseThrow();
            KvBlock third = pool.lookup(hash(pool, 30, 0, 0, 0)).orElseThrow();
            pool.release(List.of(fresh.get(0), first, third));
        }
    }

    @Test
    void kvPoolRejectsZeroCapacity() {
        assertThatExceptionOfType(KvException.InvalidArgument.class)
                .isThrownBy(() -> new KvPool(config(0)).close())
                .withMessage("blocks is 0, accepted: 1 or more");
    }

    @Test
    void freeBlocksAreTakenBeforeAnyCachedOneIsEvicted() {
        try (KvPool pool = new KvPool(config(3))) {
            pool.release(cacheChain(pool, 1, 2, 3, 4));
            pool.release(pool.alloc(2));
            assertCounts(pool, 2, 1, 0);
        }
    }

    @Test
    void theTailOfAReleasedChainIsEvictedBeforeItsHead() {
        int[] tokens = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        try (KvPool pool = new KvPool(config(3))) {
            pool.release(cacheChain(pool, tokens));
            List<KvBlock> evictors = new ArrayList<>();
            for (int left = 2; left >= 0; left--) {
                evictors.addAll(pool.alloc(1));
                List<KvBlock> prefix = pool.lookupPrefix(tokens);
                assertThat(prefix).hasSize(left);
                pool.release(prefix);
            }
            pool.release(evictors);
        }
    }

    @Test
    void theLongestCachedPrefixIsFoundInWholeBlocks() {
        try (KvPool pool = new KvPool(config(4))) {
            List<KvBlock> chain = cacheChain(pool, 1, 2, 3, 4, 5, 6, 7, 8);
            assertThat(pool.lookupPrefix(new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9})).isEqualTo(chain);
            assertThat(pool.lookupPrefix(new int[] {1, 2, 3, 4, 5, 6, 7, 8})).isEqualTo(chain);
            assertThat(pool.lookupPrefix(new int[] {1, 2, 3, 4, 5, 6, 7})).isEqualTo(chain.subList(0, 1));
            assertThat(pool.lookupPrefix(new int[] {1, 2, 3, 4, 5, 6, 7, 0})).isEqualTo(chain.subList(0, 1));
            assertThat(pool.lookupPrefix(new int[] {1, 2, 3})).isEmpty();
            assertThat(pool.lookupPrefix(new int[] {5, 6, 7, 8})).isEmpty();

            KvBlock head = chain.get(0);
            KvBlock tail = chain.get(1);
            pool.release(List.of(head, head, head, head, head, tail, tail, tail));
            assertCounts(pool, 2, 2, 0);
        }
    }

    @Test
    void aPoolWhoseRootNobodyAskedForLooksPrefixesUp() {
        try (KvPool pool = new KvPool(config(1))) {
            assertThat(pool.lookupPrefix(new int[] {1, 2, 3, 4})).isEmpty();
            KvBlock block = pool.alloc(1).getFirst();
            pool.setFill(block, B);
            pool.register(block, hash(pool, 1, 2, 3, 4));
            assertThat(pool.lookupPrefix(new int[] {1, 2, 3, 4})).containsExactly(block);
            pool.release(List.of(block, block));
        }
    }

    @Test
    void ofTwoBlocksWithOneHashTheFirstIsFoundAndTheOtherIsFreeOnceReleased() {
        try (KvPool pool = new KvPool(config(3))) {
            KvBlock first = cacheChain(pool, 1, 2, 3, 4).get(0);
            KvBlock second = pool.alloc(1).get(0);
            pool.setFill(second, B);
            assertThat(pool.register(second, hash(pool, 1, 2, 3, 4))).isFalse();
            assertThat(pool.register(first, hash(pool, 1, 2, 3, 4))).isTrue();
            assertThat(pool.lookup(hash(pool, 1, 2, 3, 4))).contains(first);
            pool.release(List.of(first, first, second));
            assertCounts(pool, 2, 1, 0);
        }
    }

    @Test
    void withoutAPrefixCacheReleasedFullBlocksAreFreeAtOnce() {
        try (KvPool pool = new KvPool(config(2, KvDtype.F16, false))) {
            KvBlock block = pool.alloc(1).get(0);
            pool.setFill(block, B);
            assertThat(pool.register(block, hash(pool, 1, 2, 3, 4))).isFalse();
            assertThat(pool.lookup(hash(pool, 1, 2, 3, 4))).isEmpty();
            pool.release(block);
            assertCounts(pool, 2, 0, 0);
        }
    }

    @Test
    void aBlockFoundAgainHasANewHandleSoThatTheOldOneCannotReleaseIt() {
        try (KvPool pool = new KvPool(config(1))) {
            KvBlock old = cacheChain(pool, 1, 2, 3, 4).get(0);
            pool.release(old);
            KvBlock found = pool.lookup(hash(pool, 1, 2, 3, 4)).orElseThrow();
            assertThat(found).isEqualTo(new KvBlock(old.index(), old.generation() + 1));
            assertThatExceptionOfType(KvException.InvalidBlock.class)
                    .isThrownBy(() -> pool.release(old))
                    .withMessage(
                            "block is 0 of generation 1, accepted: a handle of generation 2; the block has changed hands");
            pool.release(found);
        }
    }

    @Test
    void releasingAListIsAllOrNothing() {
        try (KvPool pool = new KvPool(config(3))) {
            List<KvBlock> blocks = pool.alloc(3);
            pool.retain(blocks.get(1));
            pool.release(blocks.get(2));
            assertThatExceptionOfType(KvException.InvalidBlock.class).isThrownBy(() -> pool.release(blocks));
            List<KvBlock> twice = List.of(blocks.get(1), blocks.get(0), blocks.get(0));
            assertThatExceptionOfType(KvException.InvalidBlock.class)
                    .isThrownBy(() -> pool.release(twice))
                    .withMessage("block is 0 of generation 1, accepted: at most as many releases as references, 1");
            assertCounts(pool, 1, 0, 2);
            pool.release(List.of(blocks.get(0), blocks.get(1), blocks.get(1)));
            assertCounts(pool, 3, 0, 0);
        }
    }

    @Test
    void aSlabWritesThroughForAsLongAsItsHandleIsGood() {
        try (KvPool pool = new KvPool(config(1))) {
            KvBlock block = pool.alloc(1).get(0);
            KvSlab slab = pool.slab(block, 1, KvPart.K);
            slab.setBits(1, 2, 3, 0x13C00);
            assertThat(pool.slab(block, 1, KvPart.K).bits(1, 2, 3)).isEqualTo(0x3C00);
            assertThat(slab.get(1, 2, 3)).isEqualTo(1f);
            slab.set(1, 2, 3, -2f);
            assertThat(slab.bits(1, 2, 3)).isEqualTo(0xC000);
            pool.release(block);
            assertThatExceptionOfType(KvException.InvalidBlock.class).isThrownBy(() -> slab.bits(1, 2, 3));
            pool.release(pool.alloc(1));
            assertThatExceptionOfType(KvException.InvalidBlock.class).isThrownBy(() -> slab.setBits(1, 2, 3, 0));
        }
    }

    @Test
    void closingAPoolWithBlocksHeldIsAnErrorAndFreesItsMemory() {
        KvPool pool = new KvPool(config(2));
        pool.alloc(1);
        MemorySegment memory = pool.layer(0, KvPart.K).data();
        assertThatIllegalStateException().isThrownBy(pool::close).withMessage("KvPool closed with 1 of 2 blocks held");
        assertThatIllegalStateException().isThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 0));
        pool.close();
    }

    @Test
    void aClosedPoolRefusesEveryCall() {
        KvPool pool = new KvPool(config(2));
        KvBlock block = pool.alloc(1).get(0);
        byte[] envelope = pool.exportBlocks(List.of(block));
        pool.release(block);
        BlockHash hash = pool.root();
        pool.close();
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> pool.alloc(0),
                () -> pool.retain(block),
                () -> pool.release(block),
                () -> pool.fill(block),
                () -> pool.setFill(block, 0),
                () -> pool.register(block, hash),
                () -> pool.lookup(hash),
                () -> pool.lookupPrefix(new int[B]),
                () -> pool.regions(KvPart.K),
                () -> pool.layer(0, KvPart.K),
                () -> pool.slab(block, 0, KvPart.K),
                () -> pool.exportBlocks(List.of()),
                () -> pool.importBlocks(envelope))) {
            assertThatIllegalStateException().isThrownBy(call).withMessage("KvPool is closed");
        }
    }

    private static void assertCounts(KvPool pool, int free, int cached, int used) {
        assertThat(List.of(pool.free(), pool.cached(), pool.used()))
                .as("free, cached, used")
                .containsExactly(free, cached, used);
    }
}
