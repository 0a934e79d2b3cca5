package io.tutti.kv;

import java.lang.foreign.MemorySegment;

/**
 * One layer's K or V of every block, as kernels address it: number (block b, head h, position p, dim d) lies at byte
 * {@code at(b, h) + p * positionStride + d * dimStride} of {@link #data}, in the machine's byte order. K is kept
 * [Hkv][D][B], so that positions are SIMD lanes; V is kept [Hkv][B][D].
 *
 * @param region the region that holds the layer
 * @param data the region's data, without its reserved bytes
 * @param offset bytes from the data's start to block 0 of this layer
 * @param blockStride bytes from a block to the next
 * @param headStride bytes from a head to the next
 * @param positionStride bytes from a token position to the next
 * @param dimStride bytes from a number of a head to the next
 */
public record KvLayerSlab(
        KvRegion region,
        MemorySegment data,
        long offset,
        long blockStride,
        long headStride,
        long positionStride,
        long dimStride) {

    /** Bytes from the data's start to position 0, dim 0 of a head of a block. */
    public long at(int block, int head) {
        return offset + block * blockStride + head * headStride;
    }
}
