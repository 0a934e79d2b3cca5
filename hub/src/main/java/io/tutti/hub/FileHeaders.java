package io.tutti.hub;

import java.net.http.HttpHeaders;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the headers of an answer say of the file that was asked for.
 *
 * @param commit the commit that the file belongs to
 * @param size in bytes
 * @param etag the file's hash, without quotes
 */
record FileHeaders(Optional<String> commit, OptionalLong size, Optional<String> etag) {
    static final String COMMIT = "X-Repo-Commit";
    static final String LINKED_SIZE = "X-Linked-Size";
    static final String LINKED_ETAG = "X-Linked-Etag";

    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    /** Reads the headers of the file itself, or of a redirect, which count only as far as they speak of the redirect's target. */
    static FileHeaders of(HttpHeaders headers, boolean redirect) {
        Optional<String> size = headers.firstValue(LINKED_SIZE)
                .or(() -> headers.firstValue("Content-Length").filter(_ -> !redirect));
        Optional<String> etag = headers.firstValue(LINKED_ETAG)
                .or(() -> headers.firstValue("ETag").filter(_ -> !redirect));
        return new FileHeaders(
                headers.firstValue(COMMIT),
                size.filter(NUMBER.asMatchPredicate()).stream()
                        .mapToLong(Long::parseLong)
                        .findFirst(),
                etag.map(FileHeaders::bare));
    }

    /** An ETag without its quotes and the mark of a weak one. */
    static String bare(String etag) {
        return etag.replaceFirst("^W/", "").replace("\"", "");
    }

    /** The file's entry of a list. */
    RemoteEntry entry(String path) {
        BlobId.Kind kind = Stream.of(BlobId.Kind.values())
                .filter(one -> etag.filter(one::accepts).isPresent())
                .findFirst()
                .orElse(BlobId.Kind.GIT_SHA1);
        return new RemoteEntry(path, size, kind, etag.filter(kind::accepts));
    }
}
