package io.tutti.hub;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A model at the hub: {@code owner/name}, or {@code owner/name@revision}. Both parts become the names of directories and
 * pieces of addresses, so they hold nothing that either could misread.
 *
 * @param owner a user or an organization
 * @param name the repository's own name
 * @param revision a branch, a tag, a commit or a pull request's {@code refs/pr/N}; {@value #MAIN} if none was given
 */
public record ModelName(String owner, String name, String revision) {
    /** What a message shows as accepted. */
    public static final String FORM = "owner/name[@revision]";

    static final String MAIN = "main";

    private static final int LONGEST_REPOSITORY = 96;
    private static final int LONGEST_REVISION = 200;
    /** The hub's own rule for both parts. */
    private static final Pattern PART = Pattern.compile("\\w(?:[\\w.-]*\\w)?");
    /** Git's rule for a piece of a reference, in ASCII and without what some file system has no name for. */
    private static final Pattern PIECE = Pattern.compile("[!-~&&[^~^:?*\\[\\\\\"<>|/]]+");

    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}");

    public ModelName {
        if (!isRepository(owner, name) || !isRevision(revision)) {
            throw new IllegalArgumentException(owner + "/" + name + "@" + revision);
        }
    }

    /** The model that {@code text} names; empty if it does not have that form. */
    public static Optional<ModelName> parse(String text) {
        int at = text.indexOf('@');
        String repository = at < 0 ? text : text.substring(0, at);
        String revision = at < 0 ? MAIN : text.substring(at + 1);
        int slash = repository.indexOf('/');
        if (slash < 0) {
            return Optional.empty();
        }
        String owner = repository.substring(0, slash);
        String name = repository.substring(slash + 1);
        return isRepository(owner, name) && isRevision(revision)
                ? Optional.of(new ModelName(owner, name, revision))
                : Optional.empty();
    }

    /** {@code owner/name}. */
    public String repository() {
        return owner + "/" + name;
    }

    /** Whether {@code text} is the whole hash of a commit, the only revision that never moves. */
    static boolean isCommit(String text) {
        return COMMIT.matcher(text).matches();
    }

    @Override
    public String toString() {
        return revision.equals(MAIN) ? repository() : repository() + "@" + revision;
    }

    private static boolean isRepository(String owner, String name) {
        String repository = owner + "/" + name;
        return PART.matcher(owner).matches()
                && PART.matcher(name).matches()
                && repository.length() <= LONGEST_REPOSITORY
                && !repository.contains("--")
                && !repository.contains("..")
                && !name.endsWith(".git");
    }

    private static boolean isRevision(String revision) {
        return revision.length() <= LONGEST_REVISION
                && !revision.contains("..")
                && !revision.contains("@{")
                && Arrays.stream(revision.split("/", -1))
                        .allMatch(piece -> PIECE.matcher(piece).matches()
                                && !piece.startsWith(".")
                                && !piece.endsWith(".")
                                && !piece.endsWith(".lock"));
    }
}
