package io.tutti.engine.host;

import io.tutti.engine.host.kernel.Attend;
import io.tutti.engine.host.kernel.CacheReads;
import io.tutti.engine.host.kernel.CacheWrites;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvLayerSlab;
import io.tutti.kv.KvPart;
import io.tutti.kv.KvPool;

/**
 * One layer's keys and values, as the kernels read and write them.
 *
 * @param keys the layer's K
 * @param values the layer's V
 * @param dtype what a number is stored as
 * @param blockTokens positions of a block
 * @param kvHeads heads of K, and of V
 * @param headDim numbers of a head
 */
record LayerCache(KvLayerSlab keys, KvLayerSlab values, KvDtype dtype, int blockTokens, int kvHeads, int headDim) {

    static LayerCache of(KvPool pool, int layer) {
        return new LayerCache(
                pool.layer(layer, KvPart.K),
                pool.layer(layer, KvPart.V),
                pool.config().dtype(),
                pool.config().blockTokens(),
                pool.config().kvHeads(),
                pool.config().headDim());
    }

    /**
     * Widens a head's keys at positions {@code start} to {@code end}.
     *
     * @param tables block tables, of which the sequence's begins at {@code table}
     * @param start a multiple of {@link Attend#COLUMN}
     * @param out receives {@code [positions / 16, headDim, 16]}
     */
    void readKeys(int[] tables, int table, int kvHead, int start, int end, float[] out, Scratch scratch) {
        int column = Attend.COLUMN;
        if (blockTokens == column) {
            read(keys, tables, table, kvHead, start, Math.ceilDiv(end, column) * column, out, scratch);
            return;
        }
        for (int p = start; p < end; ) {
            int slot = p % blockTokens;
            int inColumn = p % column;
            int at = (p - start) / column * column * headDim + inColumn;
            long from = at(keys, tables, table, kvHead, p);
            int n = Math.min(Math.min(blockTokens - slot, column - inColumn), end - p);
            if (dtype == KvDtype.F16) {
                CacheReads.f16Runs(keys.data(), from, keys.dimStride(), headDim, n, out, at, column);
            } else {
                CacheReads.f32Runs(keys.data(), from, keys.dimStride(), headDim, n, out, at, column);
            }
            p += n;
        }
    }

    /** Widens a head's values at positions {@code start} to {@code end} to {@code out}, {@code [positions, headDim]}. */
    void readValues(int[] tables, int table, int kvHead, int start, int end, float[] out, Scratch scratch) {
        read(values, tables, table, kvHead, start, end, out, scratch);
    }

    /**
     * Widens the numbers of positions that lie together in blocks, in the order in which they do. Those in f16 are copied
     * first: the processor waits for more of them at once than where it has to convert them too.
     */
    private void read(
            KvLayerSlab slab, int[] tables, int table, int kvHead, int start, int end, float[] out, Scratch scratch) {
        short[] halves = scratch.halves(dtype == KvDtype.F16 ? (end - start) * headDim : 0);
        for (int p = start; p < end; ) {
            int n = Math.min(blockTokens - p % blockTokens, end - p);
            long from = at(slab, tables, table, kvHead, p);
            int at = (p - start) * headDim;
            if (dtype == KvDtype.F16) {
                CacheReads.copy(slab.data(), from, n * headDim, halves, at);
            } else {
                CacheReads.copy(slab.data(), from, n * headDim, out, at);
            }
            p += n;
        }
        if (dtype == KvDtype.F16) {
            CacheReads.widen(halves, (end - start) * headDim, out);
        }
    }

    /** The byte of the first number of a head at position {@code p}. */
    private long at(KvLayerSlab slab, int[] tables, int table, int kvHead, int p) {
        return slab.at(tables[table + p / blockTokens], kvHead) + p % blockTokens * slab.positionStride();
    }

    /**
     * Writes one token's keys and values, each {@code [kvHeads, headDim]}, to its slot.
     *
     * @param slot {@code block index * block tokens + slot in the block}
     */
    void write(float[] k, int kAt, float[] v, int vAt, int slot, Scratch scratch) {
        write(keys, k, kAt, slot, scratch);
        write(values, v, vAt, slot, scratch);
    }

    private void write(KvLayerSlab slab, float[] x, int at, int slot, Scratch scratch) {
        int n = kvHeads * headDim;
        float[] canonical = scratch.row(n);
        CacheWrites.canonical(x, at, n, canonical);
        short[] halves = scratch.halves(n);
        if (dtype == KvDtype.F16) {
            CacheWrites.narrow(canonical, n, halves);
        }
        for (int i = 0; i < n; i += headDim) {
            long to = slab.at(slot / blockTokens, i / headDim) + slot % blockTokens * slab.positionStride();
            if (dtype == KvDtype.F16) {
                CacheWrites.store(halves, i, headDim, slab.data(), to, slab.dimStride());
            } else {
                CacheWrites.store(canonical, i, headDim, slab.data(), to, slab.dimStride());
            }
        }
    }
}
