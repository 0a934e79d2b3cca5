package io.tutti.hub;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Whether the paths of a list can be those of files in a repository, wherever that is written to. */
final class RemotePaths {
    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_PATH = 1000;
    private static final Pattern DRIVE = Pattern.compile("[A-Za-z]:.*", Pattern.DOTALL);
    /** What every system takes as a name, and nothing that one of them reads otherwise. */
    private static final Pattern PORTABLE_NAME =
            Pattern.compile("(?!(?i:con|prn|aux|nul|com\\d|lpt\\d)(?:\\.|$))[\\w-][\\w.+ -]*(?<![. ])");

    private RemotePaths() {}

    /**
     * Refuses a list in which a path leaves its repository or cannot be a file's.
     *
     * @param repository for messages
     */
    static void requireHonest(String repository, Collection<String> paths) {
        Set<String> seen = new HashSet<>();
        for (String path : paths) {
            String problem = problem(path);
            if (problem != null) {
                throw refused(repository, path, problem);
            }
            if (!seen.add(path)) {
                throw refused(repository, path, "is there twice");
            }
        }
        for (String path : paths) {
            for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
                if (seen.contains(path.substring(0, slash))) {
                    throw refused(repository, path, "lies in a directory that is a file as well");
                }
            }
        }
    }

    /** Refuses, of the files that will be written, names that not every system keeps apart. */
    static void requirePortable(String repository, Collection<String> paths) {
        Map<String, String> folded = new HashMap<>();
        for (String path : paths) {
            for (String name : path.split("/", -1)) {
                if (!PORTABLE_NAME.matcher(name).matches()) {
                    throw refused(repository, path, "is not a name that every system takes");
                }
            }
            String other = folded.put(path.toLowerCase(Locale.ROOT), path);
            if (other != null) {
                throw refused(repository, path, "differs from " + Text.quote(other) + " in case only");
            }
        }
    }

    private static String problem(String path) {
        if (path.isEmpty()) {
            return "is empty";
        }
        if (path.getBytes(StandardCharsets.UTF_8).length > LONGEST_PATH) {
            return "is longer than " + LONGEST_PATH + " bytes";
        }
        if (path.indexOf('\\') >= 0) {
            return "has a backslash";
        }
        if (path.codePoints().anyMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE)) {
            return "has a control character or half a character";
        }
        if (path.startsWith("/") || DRIVE.matcher(path).matches()) {
            return "is absolute";
        }
        for (String name : path.split("/", -1)) {
            if (name.isEmpty() || name.equals(".") || name.equals("..")) {
                return "leaves its directory or says none";
            }
            if (name.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME) {
                return "has a name of more than " + LONGEST_NAME + " bytes";
            }
        }
        return null;
    }

    private static HubException refused(String repository, String path, String problem) {
        return new HubException(repository + ": the hub's list of files names " + Text.quote(path) + ", which "
                + problem + "; nothing is downloaded from such a list");
    }
}
