package io.tutti.kv;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.zip.CRC32;

/** Small pools, and what tests do with them again and again. */
final class Fixtures {
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    static final int B = 4;
    static final int LAYERS = 3;
    static final int HEADS = 2;
    static final int D = 5;

    private Fixtures() {}

    static KvConfig config(int blocks) {
        return config(blocks, KvDtype.F16, true);
    }

    static KvConfig config(int blocks, KvDtype dtype, boolean prefixCache) {
        return new KvConfig(blocks, B, LAYERS, HEADS, D, dtype, prefixCache, "a model");
    }

    /** The hash of the block that holds {@code tokens} and begins a sequence. */
    static BlockHash hash(KvPool pool, int... tokens) {
        return BlockHash.chain(pool.root(), tokens, 0, tokens.length);
    }

    /** Allocates a chain of full blocks that hold {@code tokens}, and registers them. */
    static List<KvBlock> cacheChain(KvPool pool, int... tokens) {
        List<KvBlock> chain = pool.alloc(tokens.length / B);
        BlockHash hash = pool.root();
        for (int i = 0; i < chain.size(); i++) {
            hash = BlockHash.chain(hash, tokens, i * B, (i + 1) * B);
            pool.setFill(chain.get(i), B);
            pool.register(chain.get(i), hash);
        }
        return chain;
    }

    /** Writes numbers that differ from slot to slot to every slot of a block. */
    static void write(KvPool pool, KvBlock block, int salt) {
        forEachSlot(
                pool, (slab, where) -> slab.setBits(where.head, where.position, where.dim, where.bits(salt)), block);
    }

    interface Visit {
        void at(KvSlab slab, Slot where);
    }

    record Slot(int layer, KvPart part, int head, int position, int dim) {
        /** Below 2^15 for every salt below 60. */
        int bits(int salt) {
            return 1
                    + dim
                    + D * (position + B * (head + HEADS * (layer * 2 + (part == KvPart.V ? 1 : 0))))
                    + 500 * salt;
        }
    }

    static void forEachSlot(KvPool pool, Visit visit, KvBlock block) {
        for (int layer = 0; layer < LAYERS; layer++) {
            for (KvPart part : KvPart.values()) {
                KvSlab slab = pool.slab(block, layer, part);
                for (int head = 0; head < HEADS; head++) {
                    for (int position = 0; position < B; position++) {
                        for (int dim = 0; dim < D; dim++) {
                            visit.at(slab, new Slot(layer, part, head, position, dim));
                        }
                    }
                }
            }
        }
    }

    static int getInt(byte[] envelope, int at) {
        return MemorySegment.ofArray(envelope).get(U32, at);
    }

    static void putInt(byte[] envelope, int at, int value) {
        MemorySegment.ofArray(envelope).set(U32, at, value);
    }

    /** Writes the checksum anew. */
    static byte[] reseal(byte[] envelope) {
        CRC32 crc = new CRC32();
        crc.update(envelope, 0, envelope.length - Integer.BYTES);
        putInt(envelope, envelope.length - Integer.BYTES, (int) crc.getValue());
        return envelope;
    }
}
