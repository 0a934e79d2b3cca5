package io.tutti.kv;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32;

/**
 * The form in which blocks travel between pools, version 1, little-endian throughout:
 *
 * <pre>
 *  0  magic          8 bytes  "TUTTIKVB"
 *  8  version        u32      1
 * 12  dtype          u32      1 = f16, 2 = f32
 * 16  n_blocks       u32
 * 20  block_tokens   u32      B
 * 24  n_layers       u32
 * 28  n_kv_heads     u32      Hkv
 * 32  head_dim       u32      D
 * 36  root           16 bytes {@link KvPool#root} of the pool
 * 52  payload_bytes  u64
 * 60  fill           u32 a block, 0 to B
 *     payload        each block, each layer: K, then V, each [Hkv][B][D]
 *     checksum       u32      CRC-32 of every byte before it
 * </pre>
 *
 * @param bytes all of it
 * @param config the shape of the pool that it comes from or goes to
 * @param blocks how many blocks it carries
 */
record KvEnvelope(MemorySegment bytes, KvConfig config, int blocks) {
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final byte[] MAGIC = "TUTTIKVB".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 1;
    private static final long VERSION_AT = 8;
    private static final long DTYPE_AT = 12;
    private static final long BLOCKS_AT = 16;
    private static final long BLOCK_TOKENS_AT = 20;
    private static final long LAYERS_AT = 24;
    private static final long KV_HEADS_AT = 28;
    private static final long HEAD_DIM_AT = 32;
    private static final long ROOT_AT = 36;
    private static final long PAYLOAD_BYTES_AT = 52;
    private static final long FILLS_AT = 60;
    private static final int CHUNK = 1 << 16;

    /** Bytes of the envelope of so many blocks. */
    static long size(KvConfig config, int blocks) {
        return FILLS_AT + blocks * (Integer.BYTES + config.blockBytes()) + Integer.BYTES;
    }

    /** Begins an envelope in {@code bytes}, which are its size: the header is written, the rest is the caller's. */
    static KvEnvelope begin(MemorySegment bytes, KvConfig config, BlockHash root, int blocks) {
        put(bytes, 0, MAGIC);
        bytes.set(U32, VERSION_AT, VERSION);
        bytes.set(U32, DTYPE_AT, config.dtype().code());
        bytes.set(U32, BLOCKS_AT, blocks);
        bytes.set(U32, BLOCK_TOKENS_AT, config.blockTokens());
        bytes.set(U32, LAYERS_AT, config.layers());
        bytes.set(U32, KV_HEADS_AT, config.kvHeads());
        bytes.set(U32, HEAD_DIM_AT, config.headDim());
        put(bytes, ROOT_AT, root.bytes());
        bytes.set(U64, PAYLOAD_BYTES_AT, blocks * config.blockBytes());
        return new KvEnvelope(bytes, config, blocks);
    }

    /**
     * Checks all of an envelope but the cached numbers, which may have any bits.
     *
     * @param own the root that the envelope must carry
     * @throws KvException.InvalidEnvelope naming the first field that does not fit a pool of this shape
     */
    static KvEnvelope parse(MemorySegment bytes, KvConfig config, BlockHash own) {
        long length = bytes.byteSize();
        require(length >= size(config, 0), "length", length, size(config, 0) + " bytes or more");
        byte[] magic = get(bytes, 0, MAGIC.length);
        require(Arrays.equals(magic, MAGIC), "magic", hex(magic), hex(MAGIC));
        requireU32(bytes, VERSION_AT, "version", VERSION);
        requireU32(bytes, DTYPE_AT, "dtype", config.dtype().code());
        requireU32(bytes, BLOCK_TOKENS_AT, "block_tokens", config.blockTokens());
        requireU32(bytes, LAYERS_AT, "n_layers", config.layers());
        requireU32(bytes, KV_HEADS_AT, "n_kv_heads", config.kvHeads());
        requireU32(bytes, HEAD_DIM_AT, "head_dim", config.headDim());
        BlockHash root = BlockHash.of(get(bytes, ROOT_AT, BlockHash.BYTES));
        require(root.equals(own), "root", root, own + ", which stands for " + config.identity());
        long blocks = u32(bytes, BLOCKS_AT);
        require(blocks <= config.blocks(), "n_blocks", blocks, "0 to %d, the pool's".formatted(config.blocks()));
        KvEnvelope envelope = new KvEnvelope(bytes, config, (int) blocks);
        long payload = bytes.get(U64, PAYLOAD_BYTES_AT);
        long expected = blocks * config.blockBytes();
        require(payload == expected, "payload_bytes", Long.toUnsignedString(payload), expected);
        long size = size(config, envelope.blocks);
        require(length == size, "length", length, size + " bytes");
        long checksum = u32(bytes, envelope.checksumAt());
        long computed = envelope.crc32();
        require(checksum == computed, "checksum", checksum, computed);
        for (int i = 0; i < blocks; i++) {
            long fill = u32(bytes, fillAt(i));
            require(
                    fill <= config.blockTokens(),
                    "fill of block " + i,
                    fill,
                    "0 to %d".formatted(config.blockTokens()));
        }
        return envelope;
    }

    int fill(int block) {
        return bytes.get(U32, fillAt(block));
    }

    void setFill(int block, int fill) {
        bytes.set(U32, fillAt(block), fill);
    }

    /** Where the numbers of a block's layer begin, in bytes. */
    long slabAt(int block, int layer, KvPart part) {
        long pairs = (long) block * config.layers() + layer;
        return fillAt(blocks) + (2 * pairs + (part == KvPart.K ? 0 : 1)) * config.slabBytes();
    }

    /** Ends an envelope that is complete otherwise. */
    void seal() {
        bytes.set(U32, checksumAt(), (int) crc32());
    }

    private static long fillAt(int block) {
        return FILLS_AT + (long) block * Integer.BYTES;
    }

    private long checksumAt() {
        return bytes.byteSize() - Integer.BYTES;
    }

    private long crc32() {
        CRC32 crc = new CRC32();
        byte[] chunk = new byte[CHUNK];
        for (long at = 0; at < checksumAt(); at += CHUNK) {
            int length = (int) Math.min(CHUNK, checksumAt() - at);
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, at, chunk, 0, length);
            crc.update(chunk, 0, length);
        }
        return crc.getValue();
    }

    private static void put(MemorySegment bytes, long at, byte[] value) {
        MemorySegment.copy(value, 0, bytes, ValueLayout.JAVA_BYTE, at, value.length);
    }

    private static byte[] get(MemorySegment bytes, long at, int length) {
        return bytes.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private static long u32(MemorySegment bytes, long at) {
        return Integer.toUnsignedLong(bytes.get(U32, at));
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static void requireU32(MemorySegment bytes, long at, String field, int expected) {
        require(u32(bytes, at) == expected, field, u32(bytes, at), expected);
    }

    private static void require(boolean fits, String field, Object value, Object accepted) {
        if (!fits) {
            throw new KvException.InvalidEnvelope(field, value, accepted.toString());
        }
    }
}
