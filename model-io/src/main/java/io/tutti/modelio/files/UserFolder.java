package io.tutti.modelio.files;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Where the user's system wants a program's files. */
public enum UserFolder {
    /** What can be made anew. */
    CACHE("XDG_CACHE_HOME", ".cache", "Library/Caches"),
    /** What stays from one run to the next, such as a history. */
    STATE("XDG_STATE_HOME", ".local/state", "Library/Application Support");

    private static final String OURS = "tutti";

    private final String variable;
    private final String unix;
    private final String mac;

    UserFolder(String variable, String unix, String mac) {
        this.variable = variable;
        this.unix = unix;
        this.mac = mac;
    }

    /** Tutti's folder there, which need not exist; empty if the system names none. */
    public Optional<Path> path() {
        return path(System.getenv(), System.getProperty("os.name"), System.getProperty("user.home"));
    }

    /** The XDG variable wherever it is set, as its specification wants it: absolute. Else each system has its own place. */
    Optional<Path> path(Map<String, String> environment, String system, String userHome) {
        Optional<Path> xdg = absolute(environment.get(variable));
        if (xdg.isPresent()) {
            return xdg.map(folder -> folder.resolve(OURS));
        }
        String lower = system.toLowerCase(Locale.ROOT);
        if (lower.startsWith("windows")) {
            return absolute(environment.get("LOCALAPPDATA")).map(folder -> folder.resolve(OURS));
        }
        String place = lower.startsWith("mac") ? mac : unix;
        return absolute(userHome).map(home -> home.resolve(place).resolve(OURS));
    }

    private static Optional<Path> absolute(String path) {
        try {
            return Optional.ofNullable(path).map(Path::of).filter(Path::isAbsolute);
        } catch (InvalidPathException _) {
            return Optional.empty();
        }
    }
}
