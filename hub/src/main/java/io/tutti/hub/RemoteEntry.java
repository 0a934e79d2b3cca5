package io.tutti.hub;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * What a hub says of one file; a mirror may not say all of it.
 *
 * @param path its place in the repository
 * @param size in bytes
 * @param kind of the hash
 * @param hash of the bytes, as it was said
 */
record RemoteEntry(String path, OptionalLong size, BlobId.Kind kind, Optional<String> hash) {
    /** More bytes than any disk has, and few enough for their sums. */
    private static final long LARGEST = 1L << 50;

    /** Whether both were said that a download is checked by: size and hash. */
    boolean isComplete() {
        return size.isPresent() && hash.isPresent();
    }

    /** This, with what {@code other} says where this says nothing. */
    RemoteEntry or(RemoteEntry other) {
        return new RemoteEntry(
                path, size.isPresent() ? size : other.size, hash.isPresent() ? kind : other.kind, hash.or(other::hash));
    }

    /**
     * The file, ready to be downloaded.
     *
     * @param refusal makes an exception of a problem
     * @throws HubException if the size or the hash is missing or cannot be right
     */
    RemoteFile file(Function<String, HubException> refusal) {
        if (size.isEmpty() || size.getAsLong() > LARGEST) {
            throw refusal.apply("gives " + path + (size.isEmpty() ? " no size" : " a size of " + size.getAsLong()));
        }
        if (hash.isEmpty() || !kind.accepts(hash.get())) {
            throw refusal.apply("gives " + path
                    + hash.map(hex -> " the hash " + Text.quote(hex)).orElse(" no hash"));
        }
        return new RemoteFile(path, size.getAsLong(), new BlobId(kind, hash.get()));
    }
}
