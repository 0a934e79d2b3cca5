package io.tutti.kv;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;

/**
 * 128 bits that stand for a full block's content: its tokens, every token before them, and all else that changes
 * activations. Each is the first 16 bytes of a SHA-256, so that no one can make two contents collide.
 *
 * @param high bytes 0 to 7, the first the most significant
 * @param low bytes 8 to 15
 */
public record BlockHash(long high, long low) {
    /** Bytes of a hash. */
    static final int BYTES = 2 * Long.BYTES;

    /** The hash that chains start from: of {@code identity}'s UTF-8 bytes. */
    public static BlockHash root(String identity) {
        return of(sha256().digest(identity.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * The hash of a block that holds {@code tokens[from, to)} after the block with hash {@code parent}: of the
     * parent's 16 bytes and each token id as a little-endian u32.
     */
    public static BlockHash chain(BlockHash parent, int[] tokens, int from, int to) {
        Objects.checkFromToIndex(from, to, tokens.length);
        MessageDigest sha256 = sha256();
        sha256.update(parent.bytes());
        ByteBuffer ids = ByteBuffer.allocate((to - from) * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        ids.asIntBuffer().put(tokens, from, to - from);
        sha256.update(ids);
        return of(sha256.digest());
    }

    /** The hash whose 16 bytes are the first of {@code bytes}. */
    static BlockHash of(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new BlockHash(buffer.getLong(), buffer.getLong());
    }

    /** The 16 bytes, in the order in which SHA-256 gave them. */
    public byte[] bytes() {
        return ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
    }

    /** 32 hexadecimal digits. */
    @Override
    public String toString() {
        return "%016x%016x".formatted(high, low);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
