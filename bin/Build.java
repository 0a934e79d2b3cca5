import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.module.ModuleFinder;
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
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * What {@code tutti} and {@code tutti.cmd} run when a source is newer than the last build: Maven, once, however many
 * of them ask at the same time.
 *
 * <p>Everything is kept in the checkout's {@code .tutti} folder. A build fills a fresh folder there and comes into force when
 * its {@code stamp} is moved into place, so a run that started before keeps its own jars. Each SDK has a build of its own, so that
 * nothing is built when users switch between them. In a folder {@code lib} has the jars; {@code sources} is the listing below;
 * {@code vector.jar}, {@code host.options} and {@code host.aot} are for a quick start on the JDK whose {@code release} is kept
 * beside them. Where there is an SDK for the kernels, {@code tornado.options} are for any JDK's JVM, and {@code device.options}
 * and {@code device.aot} for a quick start of the one in {@code device}, a copy of the JDK. The lock is the operating system's
 * and ends with the process that holds it, however that ends.
 *
 * <p>Arguments: the checkout; {@code quiet}, {@code progress} or {@code verbose}; the name of the build that the caller
 * found out of date (empty: none yet); the jar of the TornadoVM SDK that tells its version (empty: none), for the stamp
 * only, since Maven finds the SDK itself; and the listing of the sources that the caller will compare with the next time,
 * which gives the stamp its time. Exit status: 0 built, 75 another call built meanwhile, 1 failed.
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

    /** The option that replaces modules of the JDK. */
    private static final String UPGRADE = "--upgrade-module-path=";

    /** The modules that TornadoVM replaces, and jlink, which cannot copy itself from a JDK without jmods. */
    private static final Set<String> NOT_COPIED =
            Set.of("jdk.graal.compiler", "jdk.graal.compiler.management", "jdk.jlink", "jdk.jpackage");

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
    private final Path log;
    private final String mode;

    private Build(Path home, String mode) {
        this.home = home;
        this.state = home.resolve(".tutti");
        this.log = state.resolve("build.log");
        this.mode = mode;
    }

    public static void main(String[] args) throws InterruptedException {
        Build build = new Build(Path.of(args[0]), args[1]);
        try {
            System.exit(build.underLock(args[2], args[3], Path.of(args[4])));
        } catch (IOException e) {
            System.err.println("tutti: cannot build in " + build.state + ": " + e);
            System.exit(FAILED);
        }
    }

    private int underLock(String outOfDate, String sdk, Path listing) throws IOException, InterruptedException {
        Files.createDirectories(state);
        try (FileChannel file =
                        FileChannel.open(state.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = lock(file)) {
            List<Folder> builds = builds();
            String current = newest(builds, sdk).map(Folder::name).orElse("");
            return current.equals(outOfDate) ? build(builds, sdk, listing) : BUILT_BY_ANOTHER;
        }
    }

    private static FileLock lock(FileChannel file) throws IOException {
        FileLock lock = file.tryLock();
        if (lock == null) {
            System.err.println("tutti: waiting for another call, which builds");
            lock = file.lock();
        }
        return lock;
    }

    /** A build's folder, and the SDK that it was made for; null if it has no stamp, since the build failed or was killed. */
    private record Folder(Path path, String sdk) {
        String name() {
            return path.getFileName().toString();
        }
    }

    /** All builds, from the oldest on. */
    private List<Folder> builds() throws IOException {
        List<Folder> builds = new ArrayList<>();
        try (Stream<Path> entries = Files.list(state)) {
            for (Path path : entries.filter(
                            entry -> entry.getFileName().toString().startsWith("app-"))
                    .sorted()
                    .toList()) {
                Path stamp = path.resolve("stamp");
                builds.add(new Folder(
                        path, Files.exists(stamp) ? Files.readAllLines(stamp).getFirst() : null));
            }
        }
        return builds;
    }

    private static Optional<Folder> newest(List<Folder> builds, String sdk) {
        return builds.stream().filter(build -> sdk.equals(build.sdk())).reduce((_, later) -> later);
    }

    private int build(List<Folder> builds, String sdk, Path listing) throws IOException, InterruptedException {
        deleteOld(builds, newest(builds, sdk).map(Folder::name).orElse(""));
        Path app = Files.createDirectory(state.resolve("app-" + System.currentTimeMillis()));
        Path newStamp = app.resolve("stamp.new");
        Files.writeString(newStamp, sdk + "\n");
        // From before Maven reads the first source: what is edited during the build is newer.
        Files.setLastModifiedTime(newStamp, Files.getLastModifiedTime(listing));
        if (mode.equals("quiet")) {
            System.err.println("tutti: building");
        }

        if (run(maven(app), mode) != 0) {
            System.err.println("tutti: the build failed: " + cause() + " (log: " + log + ")");
            return FAILED;
        }
        OldClasses.renew(app.resolve("lib"));
        makeQuickStarts(app);

        Files.move(listing, app.resolve("sources"));
        Files.move(newStamp, app.resolve("stamp"), StandardCopyOption.ATOMIC_MOVE);
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

    /** Makes what a quick start takes: on the host, and on devices where there is an SDK for them. What fails is left out. */
    private void makeQuickStarts(Path app) throws IOException, InterruptedException {
        writeVectorJar(app.resolve("vector.jar"));
        Files.copy(JDK.resolve("release"), app.resolve("release"));
        List<String> vector = vectorOptions();
        Path host = Files.write(app.resolve("host.options.new"), vector);
        if (train(app, JDK, host, app.resolve("host.aot"))) {
            Files.move(host, app.resolve("host.options"));
        }
        Path tornado = app.resolve("tornado.options");
        if (Files.exists(tornado)) {
            makeDeviceStart(app, Files.readAllLines(tornado), vector);
        }
    }

    /** TornadoVM's JVM has the Vector API from the jar, too, and so does not warn of an incubating module. */
    private void makeDeviceStart(Path app, List<String> tornado, List<String> vector)
            throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(vector);
        for (String option : tornado) {
            options.add(option.replace("--add-modules=" + VECTOR_MODULE + ",", "--add-modules="));
        }
        Path jdk = app.resolve("device");
        boolean replacesModules = options.stream().anyMatch(option -> option.contains(UPGRADE));
        boolean ownJdk = replacesModules && copyJdkWithoutCompiler(jdk);
        if (ownJdk) {
            options.removeIf(option -> option.contains(UPGRADE));
        }
        Path file = Files.write(app.resolve("device.options"), options);
        if (ownJdk) {
            train(app, jdk, file, app.resolve("device.aot"));
        }
    }

    /**
     * Copies the JDK without the modules that TornadoVM replaces, for a JVM that is told to replace any takes no AOT cache.
     *
     * @return whether there is a copy now; some JDKs lack what makes one
     */
    private boolean copyJdkWithoutCompiler(Path copy) throws IOException, InterruptedException {
        String modules = ModuleFinder.ofSystem().findAll().stream()
                .map(module -> module.descriptor().name())
                .filter(name -> !NOT_COPIED.contains(name))
                .sorted()
                .collect(Collectors.joining(","));
        Path jlink = JDK.resolve("bin").resolve(WINDOWS ? "jlink.exe" : "jlink");
        Path unfinished = copy.resolveSibling(copy.getFileName() + ".new");
        if (!Files.exists(jlink)
                || run(
                                List.of(
                                        jlink.toString(),
                                        "--add-modules=" + modules,
                                        "--no-header-files",
                                        "--no-man-pages",
                                        "--output=" + unfinished),
                                "quiet")
                        != 0) {
            return false;
        }
        Files.move(unfinished, copy);
        return true;
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

    /** Has a JVM run what users will, so that it makes an AOT cache at its end; only a quicker start hangs on that. */
    private boolean train(Path app, Path jdk, Path options, Path cache) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                jdk.resolve("bin").resolve("java").toString(),
                "@" + home.resolve("bin").resolve("java.options"),
                COLLECTOR,
                "@" + options,
                "-Xbootclasspath/a:" + app.resolve("vector.jar"),
                "-XX:AOTCacheOutput=" + cache,
                "-Dtutti.home=" + home,
                "-cp",
                app.resolve("lib").resolve("*").toString(),
                "io.tutti.cli.Training",
                home.resolve("golden").resolve("models").resolve("demo").toString()));
        command.addAll(TRAINING);
        return run(command, "quiet") == 0;
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

    /**
     * Removes earlier builds, except the newest for each SDK, which another run may be using. Newest ones that are older than
     * {@code outOfDate} go too, because they have been out of date for longer.
     */
    private void deleteOld(List<Folder> builds, String outOfDate) throws IOException {
        Files.deleteIfExists(log);
        for (Folder old : builds) {
            boolean newest = old.sdk() != null && newest(builds, old.sdk()).equals(Optional.of(old));
            if (newest && old.name().compareTo(outOfDate) >= 0) {
                continue;
            }
            List<Path> files;
            try (Stream<Path> tree = Files.walk(old.path())) {
                files = tree.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }
}
