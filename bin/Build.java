import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * What {@code tutti} and {@code tutti.cmd} run when a source is newer than the last build: Maven, once, however many
 * of them ask at the same time.
 *
 * <p>Everything is kept in the checkout's {@code .tutti} folder. A build fills a fresh folder there and comes into force when
 * its {@code stamp} is moved into place, so a run that started before keeps its own jars: {@code lib} has the jars;
 * {@code vector.jar}, {@code tutti.aot} and {@code host.options} are for a quick start on the JDK whose {@code release} is kept
 * beside them; {@code tornado.options} are for the JVM where there is an SDK for the kernels. The lock is the operating
 * system's and ends with the process that holds it, however that ends.
 *
 * <p>Arguments: the checkout; {@code quiet}, {@code progress} or {@code verbose}; the name of the build that the caller
 * found out of date (empty: none yet); the jar of the TornadoVM SDK that tells its version (empty: none), for the stamp
 * only, since Maven finds the SDK itself; and, on Windows, the listing of the sources that the caller will compare with
 * the next time. Exit status: 0 built, 75 another call built meanwhile, 1 failed.
 */
final class Build {
    private static final int BUILT = 0;
    private static final int FAILED = 1;
    private static final int BUILT_BY_ANOTHER = 75;

    /** The end of a run that loads the classes of most others, for the AOT cache to remember. */
    private static final List<String> TRAINING = List.of("demo", "--device", "host", "--max-tokens", "8");

    /** The launcher's JAVA_HOME, which runs this. */
    private static final Path JDK = Path.of(System.getProperty("java.home"));

    private static final String VECTOR_MODULE = "jdk.incubator.vector";

    /** The collector that starts quickest, unless the user asks every JVM for another: no JVM takes two. */
    private static final String COLLECTOR = Stream.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")
                    .map(System.getenv()::get)
                    .anyMatch(options -> options != null && options.matches("(?s).*-XX:\\+Use\\w*GC.*"))
            ? "-XX:-UseSerialGC"
            : "-XX:+UseSerialGC";

    private static final String CLEAR_LINE = "\r\033[K";
    private static final boolean WINDOWS = System.getProperty("os.name").startsWith("Windows");
    private static final Pattern MODULE = Pattern.compile("\\[INFO\\] Building Tutti (.*?) \\S+ +\\[(\\d+/\\d+)\\]");
    /** Best cause first: a place in a source (every warning of the compiler is an error here), or else Maven's first line. */
    private static final List<Pattern> CAUSES = List.of(
            Pattern.compile("\\[(?:ERROR|WARNING)\\] (.*\\.java:\\[.*)"), Pattern.compile("\\[ERROR\\] (.*\\S.*)"));

    private final Path home;
    private final Path state;
    private final Path stamp;
    private final Path log;
    private final String mode;

    private Build(Path home, String mode) {
        this.home = home;
        this.state = home.resolve(".tutti");
        this.stamp = state.resolve("stamp");
        this.log = state.resolve("build.log");
        this.mode = mode;
    }

    public static void main(String[] args) throws InterruptedException {
        Build build = new Build(Path.of(args[0]), args[1]);
        try {
            System.exit(build.underLock(args[2], args[3], args.length > 4 ? Path.of(args[4]) : null));
        } catch (IOException e) {
            System.err.println("tutti: cannot build in " + build.state + ": " + e);
            System.exit(FAILED);
        }
    }

    private int underLock(String outOfDate, String sdk, Path listing) throws IOException, InterruptedException {
        Files.createDirectories(state);
        try (FileChannel file =
                        FileChannel.open(state.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = file.lock()) {
            String current = Files.exists(stamp) ? Files.readAllLines(stamp).getFirst() : "";
            return current.equals(outOfDate) ? build(current, sdk, listing) : BUILT_BY_ANOTHER;
        }
    }

    private int build(String previous, String sdk, Path listing) throws IOException, InterruptedException {
        deleteAllBut(previous);
        Path app = Files.createDirectory(state.resolve("app-" + System.currentTimeMillis()));
        Path newStamp = state.resolve("stamp.new");
        // Written before Maven reads the first source: what is edited during the build is newer.
        Files.writeString(newStamp, app.getFileName() + "\n" + sdk + "\n");

        if (run(maven(app), mode) != 0) {
            System.err.println("tutti: the build failed: " + cause() + " (log: " + log + ")");
            return FAILED;
        }
        OldClasses.renew(app.resolve("lib"));
        writeHostOptions(app);

        if (listing != null) {
            Files.move(listing, state.resolve("sources"), StandardCopyOption.REPLACE_EXISTING);
        }
        Files.move(newStamp, stamp, StandardCopyOption.ATOMIC_MOVE);
        return BUILT;
    }

    private List<String> maven(Path app) {
        return List.of(
                home.resolve(WINDOWS ? "mvnw.cmd" : "mvnw").toString(),
                "--file=" + home.resolve("pom.xml"),
                "--projects=cli",
                "--also-make",
                "-Dlauncher.lib=" + app.resolve("lib"),
                "-Dtornado.options=" + app.resolve("tornado.options"),
                "package");
    }

    /** Makes the AOT cache, and writes down the options that it needs if that succeeds: only a quicker start hangs on it. */
    private void writeHostOptions(Path app) throws IOException, InterruptedException {
        writeVectorJar(app.resolve("vector.jar"));
        List<String> options = vectorOptions();
        if (run(training(app, options), "quiet") == 0) {
            Files.copy(JDK.resolve("release"), app.resolve("release"));
            Files.write(app.resolve("host.options"), options);
        }
    }

    /**
     * The Vector API for a JVM whose AOT cache remembers how methods ran, so that kernels are compiled when they are first
     * called. A JVM keeps no such cache while a module is incubating. The module's classes are on the boot class path
     * instead, and have from these options what the JVM would have given the module.
     */
    private static List<String> vectorOptions() {
        Stream<String> exports = Object.class.getModule().getDescriptor().exports().stream()
                .filter(exported -> exported.targets().contains(VECTOR_MODULE))
                .map(exported -> "--add-exports=java.base/" + exported.source() + "=ALL-UNNAMED")
                .sorted();
        return Stream.concat(
                        Stream.of(
                                "-XX:+UnlockExperimentalVMOptions",
                                "-XX:+EnableVectorSupport",
                                "-XX:+EnableVectorReboxing",
                                "-XX:+EnableVectorAggressiveReboxing"),
                        exports)
                .toList();
    }

    private static void writeVectorJar(Path jar) throws IOException {
        Path module = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", VECTOR_MODULE);
        List<Path> classes;
        try (Stream<Path> tree = Files.walk(module)) {
            classes = tree.filter(file -> file.toString().endsWith(".class") && !file.endsWith("module-info.class"))
                    .toList();
        }
        try (OutputStream file = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(file)) {
            for (Path type : classes) {
                zip.putNextEntry(new ZipEntry(module.relativize(type).toString()));
                Files.copy(type, zip);
            }
        }
    }

    private List<String> training(Path app, List<String> options) {
        List<String> command = new ArrayList<>(List.of(
                JDK.resolve("bin").resolve("java").toString(),
                "@" + home.resolve("bin").resolve("java.options"),
                COLLECTOR));
        command.addAll(options);
        command.addAll(List.of(
                "-Xbootclasspath/a:" + app.resolve("vector.jar"),
                "-XX:AOTCacheOutput=" + app.resolve("tutti.aot"),
                "-Dtutti.home=" + home,
                "-cp",
                app.resolve("lib").resolve("*").toString(),
                "io.tutti.cli.Training",
                home.resolve("golden").resolve("models").resolve("demo").toString()));
        command.addAll(TRAINING);
        return command;
    }

    /** Runs a command into the log; what {@code mode} asks for goes to standard error as well. */
    private int run(List<String> command, String mode) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(
                        Path.of(WINDOWS ? "NUL" : "/dev/null").toFile()));
        // A quick start is worth more here than peak speed.
        builder.environment()
                .merge("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 " + COLLECTOR, (own, ours) -> ours + " " + own);
        Process process = builder.start();
        boolean progress = mode.equals("progress");
        if (progress) {
            System.err.print("tutti: building");
        }
        try (BufferedReader output = process.inputReader();
                PrintStream copy = new PrintStream(
                        Files.newOutputStream(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND))) {
            for (String line; (line = output.readLine()) != null; ) {
                copy.println(line);
                Matcher module = MODULE.matcher(line);
                if (mode.equals("verbose")) {
                    System.err.println(line);
                } else if (progress && module.matches()) {
                    System.err.printf(CLEAR_LINE + "tutti: building %s (%s)", module.group(1), module.group(2));
                }
            }
        } finally {
            if (progress) {
                System.err.print(CLEAR_LINE);
            }
        }
        return process.waitFor();
    }

    private String cause() throws IOException {
        List<String> lines = Files.readAllLines(log);
        for (Pattern pattern : CAUSES) {
            for (String line : lines) {
                Matcher matcher = pattern.matcher(line);
                if (matcher.matches()) {
                    return matcher.group(1);
                }
            }
        }
        return "Maven did not say why";
    }

    /** Removes what earlier builds left, but for the one in force: another run may be using it. */
    private void deleteAllBut(String inForce) throws IOException {
        Files.deleteIfExists(log);
        List<Path> old;
        try (Stream<Path> entries = Files.list(state)) {
            old = entries.filter(entry -> entry.getFileName().toString().startsWith("app-"))
                    .filter(entry -> !entry.endsWith(inForce))
                    .toList();
        }
        for (Path app : old) {
            List<Path> files;
            try (Stream<Path> tree = Files.walk(app)) {
                files = tree.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }
}
