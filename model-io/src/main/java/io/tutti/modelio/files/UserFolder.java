package io.tutti.modelio.files;

import java.nio.file.Path;
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

    /** Tutti's folder there, which need not exist; empty if there is no place that can be written. */
    public Optional<Path> path() {
        return path(System.getenv(), UserHome.ofProcess());
    }

    /** The variable that names another place. */
    public String variable() {
        return variable;
    }

    /** The refusal's text where there is no place. */
    public String nowhere() {
        return UserHome.ofProcess().nowhere(variable);
    }

    /** What to tell the user if the folder is not where it belongs. */
    public Optional<String> note() {
        UserHome home = UserHome.ofProcess();
        return path(System.getenv(), home).flatMap(path -> home.note(path, variable));
    }

    /** In the folder that the XDG variable names, if it is absolute, as the specification demands; else in the system's own. */
    Optional<Path> path(Map<String, String> environment, UserHome home) {
        Optional<Path> named = UserHome.absolute(environment.get(variable));
        if (named.isEmpty() && home.isWindows()) {
            named = UserHome.absolute(environment.get("LOCALAPPDATA"));
        }
        return named.map(folder -> folder.resolve(OURS)).or(() -> home.toWrite(inHome(home) + "/" + OURS));
    }

    private String inHome(UserHome home) {
        if (home.isWindows()) {
            return "AppData/Local";
        }
        return home.isMac() ? mac : unix;
    }
}
