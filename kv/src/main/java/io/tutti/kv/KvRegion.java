package io.tutti.kv;

import java.lang.foreign.MemorySegment;

/**
 * One stretch of off-heap memory: K, or V, of consecutive layers, each [layer][block][one block's slab]. Its size
 * stays below 2^31 bytes, so that a device buffer can be laid over it without a copy.
 *
 * @param part what it holds
 * @param firstLayer the first layer it holds
 * @param layers how many layers it holds
 * @param memory {@link #RESERVED} bytes for a device runtime's array header, then the data
 */
public record KvRegion(KvPart part, int firstLayer, int layers, MemorySegment memory) {
    /** Bytes ahead of the data, which begins at a multiple of 64. */
    public static final int RESERVED = 64;

    /** The data alone. */
    public MemorySegment data() {
        return memory.asSlice(RESERVED);
    }
}
