package io.tutti.hub;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tutti.modelio.json.StrictJson;
import io.tutti.modelio.json.StrictJson.Duplicates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a hub's answers say of a repository at one revision.
 *
 * @param repository for messages
 * @param commit the whole hash; empty if no answer has said it
 * @param entries every file, with what was said of it; empty if no answer has listed them
 */
record RemoteList(String repository, Optional<String> commit, Optional<List<RemoteEntry>> entries) {
    /** A list is some hundred bytes a file. */
    static final int LONGEST = 32 << 20;

    static final int MOST_FILES = 100_000;

    /**
     * Reads the hub's answer about a repository.
     *
     * @throws io.tutti.modelio.ModelException if it is no JSON
     * @throws HubException if it says what cannot be true
     */
    static RemoteList parse(String repository, byte[] json) {
        return read(repository, json, reader -> reader.information());
    }

    /**
     * Reads a page of the hub's listing of a repository's tree.
     *
     * @throws io.tutti.modelio.ModelException if it is no JSON
     * @throws HubException if it says what cannot be true
     */
    static List<RemoteEntry> parseTree(String repository, byte[] json) {
        return read(repository, json, Reader::tree);
    }

    private interface Reading<T> {
        T by(Reader reader) throws IOException;
    }

    private static <T> T read(String repository, byte[] json, Reading<T> reading) {
        return StrictJson.read(
                Path.of("the hub's list of " + repository),
                json,
                Duplicates.REFUSED,
                parser -> reading.by(new Reader(repository, parser)));
    }

    /**
     * The commit.
     *
     * @throws HubException if no answer has said it
     */
    String requireCommit() {
        return commit.orElseThrow(() -> problem(repository, "has no sha"));
    }

    List<String> paths() {
        return files().stream().map(RemoteEntry::path).toList();
    }

    /** What was said of a file, if it is listed. */
    Optional<RemoteEntry> entry(String path) {
        return files().stream().filter(entry -> entry.path().equals(path)).findFirst();
    }

    /**
     * One of the files, ready to be downloaded.
     *
     * @throws HubException if it is not listed, or without a size or hash that could be right
     */
    RemoteFile file(String path) {
        return entry(path)
                .orElseThrow(() -> new HubException(repository + ": has no " + path))
                .file(problem -> problem(repository, problem));
    }

    /**
     * Every file.
     *
     * @throws HubException if no answer has listed them
     */
    List<RemoteEntry> files() {
        return entries.orElseThrow(() -> problem(repository, "has no siblings"));
    }

    private static HubException problem(String repository, String problem) {
        return new HubException(
                repository + ": the hub's list of files " + problem + "; nothing is downloaded from it");
    }

    private record Reader(String repository, JsonParser parser) {

        RemoteList information() throws IOException {
            String commit = null;
            List<RemoteEntry> entries = null;
            require(JsonToken.START_OBJECT, "the answer");
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                if (parser.nextToken() == JsonToken.VALUE_NULL) {
                    continue;
                }
                switch (key) {
                    case "sha" -> commit = text(key);
                    case "siblings" -> entries = entries("siblings");
                    default -> parser.skipChildren();
                }
            }
            if (commit != null && !ModelName.isCommit(commit)) {
                throw problem(repository, "has the sha " + Text.quote(commit));
            }
            return new RemoteList(repository, Optional.ofNullable(commit), Optional.ofNullable(entries));
        }

        List<RemoteEntry> tree() throws IOException {
            return entries("the answer");
        }

        private List<RemoteEntry> entries(String what) throws IOException {
            require(JsonToken.START_ARRAY, what);
            List<RemoteEntry> entries = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (entries.size() == MOST_FILES) {
                    throw problem(repository, "has more than the " + MOST_FILES + " files that are accepted");
                }
                entry().ifPresent(entries::add);
            }
            return List.copyOf(entries);
        }

        /** A sibling, or an entry of a tree, which has other names for the same; empty for a folder. */
        private Optional<RemoteEntry> entry() throws IOException {
            require(JsonToken.START_OBJECT, "a file");
            String path = null;
            String git = null;
            Optional<String> sha256 = Optional.empty();
            boolean lfs = false;
            boolean folder = false;
            long size = -1;
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                if (parser.nextToken() == JsonToken.VALUE_NULL) {
                    continue;
                }
                switch (key) {
                    case "rfilename", "path" -> path = text(key);
                    case "size" -> size = size();
                    case "blobId", "oid" -> git = text(key);
                    case "type" -> folder = text(key).equals("directory");
                    case "lfs" -> {
                        lfs = true;
                        sha256 = sha256();
                    }
                    default -> parser.skipChildren();
                }
            }
            if (folder) {
                return Optional.empty();
            }
            if (path == null) {
                throw problem(repository, "has a file without a name");
            }
            return Optional.of(new RemoteEntry(
                    path,
                    size < 0 ? OptionalLong.empty() : OptionalLong.of(size),
                    lfs ? BlobId.Kind.LFS_SHA256 : BlobId.Kind.GIT_SHA1,
                    lfs ? sha256 : Optional.ofNullable(git)));
        }

        private Optional<String> sha256() throws IOException {
            require(JsonToken.START_OBJECT, "lfs");
            Optional<String> sha256 = Optional.empty();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                parser.nextToken();
                if (key.equals("sha256") || key.equals("oid")) {
                    sha256 = Optional.of(text(key));
                } else {
                    parser.skipChildren();
                }
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
