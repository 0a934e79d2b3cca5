package io.tutti.engine.host;

import io.tutti.engine.host.kernel.Attend;
import io.tutti.engine.host.kernel.CacheReads;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvLayerSlab;
import io.tutti.kv.KvPart;
import io.tutti.kv.KvPool;

/**
 * One layer's keys and values, as the kernels read them.
 *
 * @param keys the layer's K
 * @param values the layer's V
 * @param dtype what a number is stored as
 * @param blockTokens positions of a block
 * @param headDim numbers of a head
 */
record LayerCache(KvLayerSlab keys, KvLayerSlab values, KvDtype dtype, int blockTokens, int headDim) {

    static LayerCache of(KvPool pool, int layer) {
        return new LayerCache(
                pool.layer(layer, KvPart.K),
                pool.layer(layer, KvPart.V),
                pool.config().dtype(),
                pool.config().blockTokens(),
                pool.config().headDim());
    }

    /**
     * Widens a head's keys at positions {@code start} to {@code end}.
     *
     * @param tables block tables, of which the sequence's begins at {@code table}
     * @param start a multiple of {@link Attend#COLUMN}
     * @param out receives {@code [positions / 16, headDim, 16]}
     */
    void readKeys(int[] tables, int table, int kvHead, int start, int end, float[] out) {
        int column = Attend.COLUMN;
        for (int p = start; p < end; ) {
            int slot = p % blockTokens;
            int inColumn = p % column;
            int at = (p - start) / column * column * headDim;
            long from = keys.at(tables[table + p / blockTokens], kvHead) + slot * keys.positionStride();
            if (blockTokens == column) {
                if (dtype == KvDtype.F16) {
                    CacheReads.f16(keys.data(), from, column * headDim, out, at);
                } else {
                    CacheReads.f32(keys.data(), from, column * headDim, out, at);
                }
                p += column;
            } else {
                int n = Math.min(Math.min(blockTokens - slot, column - inColumn), end - p);
                if (dtype == KvDtype.F16) {
                    CacheReads.f16Runs(keys.data(), from, keys.dimStride(), headDim, n, out, at + inColumn, column);
                } else {
                    CacheReads.f32Runs(keys.data(), from, keys.dimStride(), headDim, n, out, at + inColumn, column);
                }
                p += n;
            }
        }
    }

    /** Widens a head's values at positions {@code start} to {@code end} to {@code out}, {@code [positions, headDim]}. */
    void readValues(int[] tables, int table, int kvHead, int start, int end, float[] out) {
        for (int p = start; p < end; ) {
            int slot = p % blockTokens;
            int n = Math.min(blockTokens - slot, end - p);
            long from = values.at(tables[table + p / blockTokens], kvHead) + slot * values.positionStride();
            int at = (p - start) * headDim;
            if (dtype == KvDtype.F16) {
                CacheReads.f16(values.data(), from, n * headDim, out, at);
            } else {
                CacheReads.f32(values.data(), from, n * headDim, out, at);
            }
            p += n;
        }
    }
}
