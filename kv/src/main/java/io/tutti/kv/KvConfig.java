package io.tutti.kv;

/**
 * The shape of a {@link KvPool}.
 *
 * @param blocks blocks in the pool
 * @param blockTokens B, token positions a block holds
 * @param layers layers of the model
 * @param kvHeads Hkv, key and value heads of a layer
 * @param headDim D, numbers of one head's key or value
 * @param dtype what a number is stored as
 * @param prefixCache whether released registered blocks stay findable until their room is needed
 * @param identity names everything that changes activations (the model's fingerprint, quantization, dtypes …);
 *     hashed to the root of every block's hash, so blocks of unlike models never match
 */
public record KvConfig(
        int blocks,
        int blockTokens,
        int layers,
        int kvHeads,
        int headDim,
        KvDtype dtype,
        boolean prefixCache,
        String identity) {

    /** @throws KvException.InvalidArgument for a size below 1, a total above 2^63 - 1 bytes, or an empty identity */
    public KvConfig {
        positive("blocks", blocks);
        positive("block_tokens", blockTokens);
        positive("layers", layers);
        positive("kv_heads", kvHeads);
        positive("head_dim", headDim);
        if (dtype == null) {
            throw new KvException.InvalidArgument("dtype", null, "F16 or F32");
        }
        if (identity == null || identity.isEmpty()) {
            throw new KvException.InvalidArgument(
                    "identity", identity == null ? null : "empty", "a text that names model, quantization and dtypes");
        }
        try {
            bytes(dtype, headDim, blockTokens, kvHeads, layers, KvPart.values().length, blocks);
        } catch (ArithmeticException e) {
            throw new KvException.InvalidArgument(
                    "blocks x block_tokens x layers x kv_heads x head_dim",
                    "%d x %d x %d x %d x %d".formatted(blocks, blockTokens, layers, kvHeads, headDim),
                    "a total below 2^63 bytes");
        }
    }

    /** Bytes of one block's keys, or values, of one layer: [Hkv][B][D]. */
    public long slabBytes() {
        return bytes(dtype, headDim, blockTokens, kvHeads);
    }

    /** Bytes of one block: K and V of every layer. */
    public long blockBytes() {
        return bytes(dtype, headDim, blockTokens, kvHeads, layers, KvPart.values().length);
    }

    /** Bytes of the whole cache, without the bytes reserved ahead of each region. */
    public long totalBytes() {
        return blocks * blockBytes();
    }

    private static long bytes(KvDtype dtype, int... sizes) {
        long product = dtype.bytes();
        for (int size : sizes) {
            product = Math.multiplyExact(product, size);
        }
        return product;
    }

    private static void positive(String field, int size) {
        if (size < 1) {
            throw new KvException.InvalidArgument(field, size, "1 or more");
        }
    }
}
