package io.tutti.hub;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * What a file's bytes are known by, at the hub (as its ETag) and in the cache (as its name in {@code blobs}): the SHA-256
 * of a file that Git LFS keeps, and for every other one what Git itself names it by.
 *
 * @param kind which of the two
 * @param hex the hash, in lower case
 */
record BlobId(Kind kind, String hex) {

    enum Kind {
        LFS_SHA256("SHA-256", 64),
        GIT_SHA1("SHA-1", 40);

        private final String algorithm;
        private final Pattern pattern;

        Kind(String algorithm, int digits) {
            this.algorithm = algorithm;
            this.pattern = Pattern.compile("[0-9a-f]{" + digits + "}");
        }

        boolean accepts(String hex) {
            return pattern.matcher(hex).matches();
        }
    }

    BlobId {
        if (!kind.accepts(hex)) {
            throw new IllegalArgumentException(hex);
        }
    }

    /** A digest for a file of {@code size} bytes that has yet to be fed with them. */
    MessageDigest digest(long size) {
        try {
            MessageDigest digest = MessageDigest.getInstance(kind.algorithm);
            if (kind == Kind.GIT_SHA1) {
                digest.update(("blob " + size + "\0").getBytes(StandardCharsets.US_ASCII));
            }
            return digest;
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has it", e);
        }
    }

    /** Whether {@code digest}, which is used up, has seen the bytes of this blob. */
    boolean isOf(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest()).equals(hex);
    }

    @Override
    public String toString() {
        return kind.algorithm + " " + hex;
    }
}
