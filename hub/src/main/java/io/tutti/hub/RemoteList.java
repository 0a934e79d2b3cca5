package io.tutti.hub;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tutti.modelio.json.StrictJson;
import io.tutti.modelio.json.StrictJson.Duplicates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the hub says of a repository at one revision: its commit and its files.
 *
 * @param commit the whole hash
 * @param entries every file, with what the hub says of it
 */
record RemoteList(String repository, String commit, List<Entry> entries) {
    /** A list is some hundred bytes a file. */
    static final int LONGEST = 32 << 20;

    private static final int MOST_FILES = 100_000;
    /** More bytes than any disk has, and few enough for their sums. */
    private static final long LARGEST_FILE = 1L << 50;

    /** Absent texts are null, absent sizes -1. */
    record Entry(String path, long size, String blobId, String lfsSha256) {}

    /**
     * Reads the hub's answer.
     *
     * @throws io.tutti.modelio.ModelException if it is no JSON
     * @throws HubException if it is no list of a repository's files
     */
    static RemoteList parse(String repository, byte[] json) {
        return StrictJson.read(
                Path.of("the hub's list of " + repository),
                json,
                Duplicates.REFUSED,
                parser -> new Reader(repository, parser).list());
    }

    List<String> paths() {
        return entries.stream().map(Entry::path).toList();
    }

    /** One of the files, with what it takes to download it. */
    RemoteFile file(String path) {
        Entry entry = entries.stream()
                .filter(candidate -> candidate.path.equals(path))
                .findFirst()
                .orElseThrow(() -> new HubException(repository + ": has no " + path));
        if (entry.size < 0 || entry.size > LARGEST_FILE) {
            throw problem(repository, "gives " + path + (entry.size < 0 ? " no size" : " a size of " + entry.size));
        }
        boolean lfs = entry.lfsSha256 != null;
        BlobId.Kind kind = lfs ? BlobId.Kind.LFS_SHA256 : BlobId.Kind.GIT_SHA1;
        String hex = lfs ? entry.lfsSha256 : entry.blobId;
        if (hex == null || !kind.accepts(hex)) {
            throw problem(repository, "gives " + path + (hex == null ? " no hash" : " the hash " + Text.quote(hex)));
        }
        return new RemoteFile(path, entry.size, new BlobId(kind, hex));
    }

    private static HubException problem(String repository, String problem) {
        return new HubException(
                repository + ": the hub's list of files " + problem + "; nothing is downloaded from it");
    }

    private record Reader(String repository, JsonParser parser) {

        RemoteList list() throws IOException {
            String commit = null;
            List<Entry> entries = null;
            require(JsonToken.START_OBJECT, "the answer");
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                parser.nextToken();
                switch (key) {
                    case "sha" -> commit = text(key);
                    case "siblings" -> entries = entries();
                    default -> parser.skipChildren();
                }
            }
            if (commit == null || !ModelName.isCommit(commit)) {
                throw problem(repository, commit == null ? "has no sha" : "has the sha " + Text.quote(commit));
            }
            if (entries == null) {
                throw problem(repository, "has no siblings");
            }
            return new RemoteList(repository, commit, List.copyOf(entries));
        }

        private List<Entry> entries() throws IOException {
            require(JsonToken.START_ARRAY, "siblings");
            List<Entry> entries = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (entries.size() == MOST_FILES) {
                    throw problem(repository, "has more than the " + MOST_FILES + " files that are accepted");
                }
                entries.add(entry());
            }
            return entries;
        }

        private Entry entry() throws IOException {
            require(JsonToken.START_OBJECT, "a sibling");
            String path = null;
            String blobId = null;
            String sha256 = null;
            long size = -1;
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                JsonToken value = parser.nextToken();
                if (value == JsonToken.VALUE_NULL) {
                    continue;
                }
                switch (key) {
                    case "rfilename" -> path = text(key);
                    case "size" -> size = size();
                    case "blobId" -> blobId = text(key);
                    case "lfs" -> sha256 = sha256();
                    default -> parser.skipChildren();
                }
            }
            if (path == null) {
                throw problem(repository, "has a file without a name");
            }
            return new Entry(path, size, blobId, sha256);
        }

        private String sha256() throws IOException {
            require(JsonToken.START_OBJECT, "lfs");
            String sha256 = null;
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                parser.nextToken();
                if (key.equals("sha256")) {
                    sha256 = text(key);
                } else {
                    parser.skipChildren();
                }
            }
            if (sha256 == null) {
                throw problem(repository, "has a file of Git LFS without a sha256");
            }
            return sha256;
        }

        private long size() throws IOException {
            require(JsonToken.VALUE_NUMBER_INT, "size");
            boolean fits = parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
            long size = fits ? parser.getLongValue() : Long.MAX_VALUE;
            if (size < 0) {
                throw problem(repository, "has a file of " + size + " bytes");
            }
            return size;
        }

        private String text(String key) throws IOException {
            require(JsonToken.VALUE_STRING, key);
            return parser.getText();
        }

        private void require(JsonToken token, String what) {
            if (parser.currentToken() != token) {
                String accepted = token == JsonToken.VALUE_NUMBER_INT ? "whole number" : StrictJson.name(token);
                throw problem(
                        repository,
                        "has a JSON " + StrictJson.name(parser.currentToken()) + " as " + what + "; accepted: "
                                + accepted);
            }
        }
    }
}
