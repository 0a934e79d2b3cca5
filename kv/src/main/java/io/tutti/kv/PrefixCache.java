package io.tutti.kv;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SequencedSet;

/**
 * Full blocks by the hash of their content. Invariants: a hash finds one block and a block has one hash; the idle
 * blocks are the registered ones that nobody holds, in the order in which they were given back.
 */
final class PrefixCache {
    private final Map<BlockHash, Integer> blocks = new HashMap<>();
    private final BlockHash[] hashes;
    private final SequencedSet<Integer> idle = new LinkedHashSet<>();

    PrefixCache(int blocks) {
        hashes = new BlockHash[blocks];
    }

    /** Makes {@code hash} find {@code block}, unless it finds another already; true when it finds this block. */
    boolean add(BlockHash hash, int block) {
        Integer first = blocks.putIfAbsent(hash, block);
        if (first == null) {
            hashes[block] = hash;
        }
        return first == null || first == block;
    }

    OptionalInt find(BlockHash hash) {
        Integer block = blocks.get(hash);
        return block == null ? OptionalInt.empty() : OptionalInt.of(block);
    }

    /** The hash that finds the block, or null. */
    BlockHash hash(int block) {
        return hashes[block];
    }

    int idle() {
        return idle.size();
    }

    /** The last reference to a registered block was given back. */
    void park(int block) {
        idle.add(block);
    }

    /** An idle block is wanted again. */
    void unpark(int block) {
        idle.remove(block);
    }

    /** Forgets the block that has been idle for longest, and returns it. */
    int evictOldest() {
        int block = idle.removeFirst();
        blocks.remove(hashes[block]);
        hashes[block] = null;
        return block;
    }
}
