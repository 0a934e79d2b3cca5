package io.tutti.modelio.files;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The user's home, and a folder in the temporary one for what cannot be kept there.
 *
 * <p>The home is {@code $HOME}, as for every other program: Java's {@code user.home} comes from the list of accounts, which in
 * a container or on a cluster says something else, or nothing. Windows has no such variable; there it is {@code user.home}.
 * Some containers have {@code HOME=/}, a home that nobody can write, or none.
 */
public final class UserHome {
    private final Optional<Path> home;
    private final String system;
    private final PrivateFolder temporary;

    /**
     * The home of a user with these settings.
     *
     * @param environment the process's variables
     * @param system Java's {@code os.name}
     * @param userHome Java's {@code user.home}; null or {@code ?} if it knows none
     * @param temporary where everybody may write
     */
    public UserHome(Map<String, String> environment, String system, String userHome, Path temporary) {
        this.system = system.toLowerCase(Locale.ROOT);
        home = (isWindows() ? Optional.<Path>empty() : absolute(environment.get("HOME"))).or(() -> absolute(userHome));
        this.temporary = new PrivateFolder(
                absolute(environment.get("TMPDIR")).filter(Files::isDirectory).orElse(temporary));
    }

    /** This process's. */
    public static UserHome ofProcess() {
        return OfProcess.HOME;
    }

    private static final class OfProcess {
        static final UserHome HOME = new UserHome(
                System.getenv(),
                System.getProperty("os.name"),
                System.getProperty("user.home"),
                Path.of(System.getProperty("java.io.tmpdir")));

        private OfProcess() {}
    }

    /** What {@code ~} means; empty if there is no home. */
    public Optional<Path> path() {
        return home;
    }

    /**
     * The place for a folder that will be written: in the home, or if that cannot be written, in a private folder inside the
     * temporary one. It need not exist.
     *
     * @param folder relative to the home
     * @return empty if neither can be written, unless the folder is in the home already
     */
    public Optional<Path> toWrite(String folder) {
        Optional<Path> own = home.map(path -> path.resolve(folder));
        return own.filter(UserHome::takesFiles).or(() -> temporary(folder)).or(() -> own.filter(Files::isDirectory));
    }

    /**
     * The place for something that is useful even if it can only be read: the home if it is there already, else as
     * {@link #toWrite}.
     *
     * @param entry a file or folder, relative to the home
     * @return empty if it is not in the home and cannot be written anywhere
     */
    public Optional<Path> toRead(String entry) {
        return home.map(path -> path.resolve(entry)).filter(Files::exists).or(() -> toWrite(entry));
    }

    /**
     * What to tell the user if {@code folder} is not in the home.
     *
     * @param folder from {@link #toWrite} or {@link #toRead}
     * @param variable the variable that sets another place
     */
    public Optional<String> note(Path folder, String variable) {
        return temporary
                .path()
                .filter(folder::startsWith)
                .map(path -> problem() + ", so " + folder + " is used, which may not last; set " + variable
                        + " to a folder to choose another");
    }

    /** The refusal's text where there is no place; {@code variable} sets one. */
    public String nowhere(String variable) {
        return problem() + ", and " + temporary.problem() + "; accepted: " + variable + " naming a folder of your own";
    }

    boolean isWindows() {
        return system.startsWith("windows");
    }

    boolean isMac() {
        return system.startsWith("mac");
    }

    static Optional<Path> absolute(String path) {
        try {
            return Optional.ofNullable(path).map(Path::of).filter(Path::isAbsolute);
        } catch (InvalidPathException _) {
            return Optional.empty();
        }
    }

    private String problem() {
        return home.map(path ->
                        path.getParent() == null ? "the home is " + path : "the home " + path + " cannot be written")
                .orElse("there is no home");
    }

    private Optional<Path> temporary(String folder) {
        return temporary.path().map(path -> path.resolve(folder));
    }

    /** Whether a folder can be made and written, but not right below the root: {@code HOME=/} means that a container has no home. */
    static boolean takesFiles(Path folder) {
        Path existing = folder;
        while (existing != null && !Files.exists(existing, LinkOption.NOFOLLOW_LINKS)) {
            existing = existing.getParent(); // null above the root of a drive that is not there
        }
        return existing != null
                && existing.getParent() != null
                && Files.isDirectory(existing)
                && Files.isWritable(existing);
    }
}
