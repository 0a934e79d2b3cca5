package io.tutti.engine.selftest;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Where the user's system keeps what a program can make anew. */
final class UserCache {
    private static final String OURS = "tutti";

    private UserCache() {}

    /** Tutti's folder there, which need not exist; empty if the system names none. */
    static Optional<Path> folder() {
        return folder(System.getenv(), System.getProperty("os.name"), System.getProperty("user.home"));
    }

    /** XDG_CACHE_HOME wherever it is set, as its specification wants it: absolute. Else each system has its own place. */
    static Optional<Path> folder(Map<String, String> environment, String system, String userHome) {
        Optional<Path> xdg = absolute(environment.get("XDG_CACHE_HOME"));
        if (xdg.isPresent()) {
            return xdg.map(folder -> folder.resolve(OURS));
        }
        String lower = system.toLowerCase(Locale.ROOT);
        if (lower.startsWith("windows")) {
            return absolute(environment.get("LOCALAPPDATA")).map(folder -> folder.resolve(OURS));
        }
        String caches = lower.startsWith("mac") ? "Library/Caches" : ".cache";
        return absolute(userHome).map(home -> home.resolve(caches).resolve(OURS));
    }

    private static Optional<Path> absolute(String path) {
        try {
            return Optional.ofNullable(path).map(Path::of).filter(Path::isAbsolute);
        } catch (InvalidPathException _) {
            return Optional.empty();
        }
    }
}
