package io.tutti.kv;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * References and the free list. Invariants: a block is on the free list at most once and only while nobody holds it;
 * a handle is good exactly while its block is held and has not been handed out anew.
 */
final class BlockRefs {
    private final int[] refs;
    private final int[] generations;
    /** A stack: the block given back last is the likeliest to be in the processor's caches still. */
    private final int[] free;

    private int freeCount;

    BlockRefs(int blocks) {
        refs = new int[blocks];
        generations = new int[blocks];
        free = new int[blocks];
        for (int block = blocks - 1; block >= 0; block--) {
            addFree(block);
        }
    }

    int free() {
        return freeCount;
    }

    int takeFree() {
        return free[--freeCount];
    }

    void addFree(int block) {
        free[freeCount++] = block;
    }

    boolean held(int block) {
        return refs[block] > 0;
    }

    /** Whether more than one reference is out. */
    boolean shared(int block) {
        return refs[block] > 1;
    }

    /** The first reference to a block that nobody holds. */
    KvBlock acquire(int block) {
        refs[block] = 1;
        return new KvBlock(block, ++generations[block]);
    }

    /** Another reference to a block that is held already. */
    KvBlock share(int block) {
        refs[block] = Math.incrementExact(refs[block]);
        return new KvBlock(block, generations[block]);
    }

    /** Gives a checked handle's reference back; true when it was the last. */
    boolean drop(KvBlock block) {
        return --refs[block.index()] == 0;
    }

    /** The index of a good handle. */
    int check(KvBlock block) {
        int index = block.index();
        if (index < 0 || index >= refs.length) {
            throw new KvException.InvalidBlock(block, "a block of this pool, 0 to " + (refs.length - 1));
        }
        if (block.generation() != generations[index]) {
            throw new KvException.InvalidBlock(
                    block, "a handle of generation %d; the block has changed hands".formatted(generations[index]));
        }
        if (refs[index] == 0) {
            throw new KvException.InvalidBlock(block, "a block that is held; it was released already");
        }
        return index;
    }

    /** Checks that each handle is good, and as often as it is listed. */
    void checkEach(List<KvBlock> blocks) {
        Map<KvBlock, Integer> listed = new HashMap<>();
        for (KvBlock block : blocks) {
            int held = refs[check(block)];
            if (listed.merge(block, 1, Integer::sum) > held) {
                throw new KvException.InvalidBlock(block, "at most as many releases as references, " + held);
            }
        }
    }
}
