package io.tutti.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The launcher's scripts, copied into a small checkout with a module of one source. Its JDK and Maven are stand-ins
 * that say what they were asked to do; only {@code Build} runs in a real JVM.
 */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "tutti is for bash; CI runs tutti.cmd")
@Timeout(60)
class LauncherTest {
    private static final Path HOME = Path.of(System.getProperty("tutti.home"));
    private static final String INSTALL_SDK =
            "get one with 'sdk install tornadovm 5.2.0-jdk25-opencl', or set TORNADOVM_HOME to one";
    private static final String INSTALL_JDK = "tutti: no JDK 25 found; install one: ";

    /** What a build says where standard error is no terminal. */
    private static final String BUILDING = "tutti: building\n";

    private static final String WAITING = "tutti: waiting for another call, which builds\n";

    /** What a process did: exit status, standard output and standard error. */
    private record Result(int status, String out, String err) {}

    @TempDir
    static Path build;

    @TempDir
    Path temp;

    private Path checkout;
    private Path tools;
    private Path jdk;
    private final Map<String, String> environment = new HashMap<>();

    /** In the product the launcher compiles it at every build; here that would be most of the time. */
    @BeforeAll
    static void compileBuild() {
        String bin = HOME.resolve("bin").toString();
        tool("javac", "-d", build.toString(), "-sourcepath", bin, bin + "/Build.java");
    }

    @BeforeEach
    void layOutACheckout() throws IOException {
        checkout = Files.createDirectories(temp.resolve("a check out"));
        for (String script : List.of("tutti", "mvnw", "bin/toolchain.sh", "bin/java.options", "bin/Build.java")) {
            Path copy = checkout.resolve(script);
            Files.createDirectories(copy.getParent());
            Files.copy(HOME.resolve(script), copy);
        }
        // The system's own SDK, if there is one, is out of sight.
        rewrite("bin/toolchain.sh", text -> text.replace("/opt/tornadovm", "/nowhere"));
        Files.createDirectories(checkout.resolve("cli/src/main/java"));
        Files.writeString(checkout.resolve("pom.xml"), "<project/>");
        Files.writeString(checkout.resolve("cli/pom.xml"), "<project/>");
        Files.writeString(checkout.resolve("cli/src/main/java/Main.java"), "class Main {}");

        jdk = fakeJdk("jdk", "25.0.1");
        tools = Files.createDirectories(temp.resolve("tools"));
        maven("mkdir -p \"$lib\"");
        environment.put("JAVA_HOME", jdk.toString());
        environment.put("PATH", tools + ":/usr/bin:/bin");
        environment.put("HOME", temp.toString());
    }

    @Test
    void buildsOnceThenPassesEveryArgumentOnAsItIs() throws Exception {
        assertThat(tutti("demo", "", "two words", "*", "@x", "é"))
                .isEqualTo(new Result(0, "<demo><><two words><*><@x><é>\n", BUILDING));
        assertThat(tutti("devices")).isEqualTo(new Result(0, "<devices>\n", ""));

        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void aPathThatNoClassPathCanHoldIsRefusedInOneLine() throws Exception {
        for (String name : List.of("a \"check out\"", "check:out")) {
            Path moved = Files.move(checkout, temp.resolve(name));
            assertThat(run(moved, "./tutti", "demo"))
                    .isEqualTo(new Result(
                            1,
                            "",
                            "tutti: the checkout's path, " + moved + ", has a quotation mark or a colon in it, which"
                                    + " Java's class paths cannot; move it\n"));
            Files.move(moved, checkout);
        }
    }

    @Test
    void anyShellMayReadTheScript() throws Exception {
        tutti("demo");
        for (String shell : List.of("sh", "dash", "zsh", "bash")) {
            Path program = Path.of("/bin", shell);
            if (Files.isExecutable(program)) {
                assertThat(run(checkout, program.toString(), "tutti", "two words", "*"))
                        .as(shell)
                        .isEqualTo(new Result(0, "<two words><*>\n", ""));
            }
        }
        environment.put("POSIXLY_CORRECT", "1");
        environment.put("CDPATH", temp.toString());
        assertThat(tutti("demo").out()).isEqualTo("<demo>\n");
    }

    @Test
    void runsFromAnyFolderAndThroughSymbolicLinks() throws Exception {
        Path elsewhere = Files.createDirectories(temp.resolve("else where"));
        Files.createSymbolicLink(temp.resolve("link 1"), Path.of("a check out/tutti"));
        Files.createSymbolicLink(elsewhere.resolve("link 2"), Path.of("../link 1"));

        assertThat(run(elsewhere, "./link 2", "demo").out()).isEqualTo("<demo>\n");
        assertThat(run(temp, "link 1", "demo").out()).isEqualTo("<demo>\n");
    }

    @Test
    void tellsTheJvmWhereTheCheckoutIsAndEndsWithTheUsersOwnFlags() throws Exception {
        environment.put("SHOW_FLAGS", "yes");
        environment.put("TUTTI_JAVA_OPTS", "-XX:MaxVectorSize=16  -Da=*");

        String flags = tutti("demo").out();

        assertThat(flags)
                .contains("<@" + checkout + "/bin/java.options>", "<-Dtutti.home=" + checkout + ">")
                .contains("<-XX:MaxVectorSize=16><-Da=*><-cp><" + checkout + "/.tutti/app-")
                .doesNotContain("SerialGC");

        environment.put("TUTTI_JAVA_OPTS", "-XX:+UseZGC");
        assertThat(tutti("demo").out()).contains("<-XX:-UseSerialGC><-XX:+UseZGC>");
    }

    @ParameterizedTest
    @ValueSource(strings = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"})
    void givesWayToACollectorThatTheUserAsksEveryJvmFor(String variable) throws Exception {
        tutti("demo");
        environment.put("SHOW_FLAGS", "yes");
        environment.put(variable, "-Xmx1g -XX:+UseG1GC");
        assertThat(tutti("demo").out()).contains("<-XX:-UseSerialGC>");
        environment.put(variable, "-Xmx1g");
        assertThat(tutti("demo").out()).doesNotContain("SerialGC");
    }

    /** The JVM takes no two caches of classes, and none where it is told so. */
    @Test
    void anAotCacheGivesWayToWhatTheUserAsksJvmsFor() throws Exception {
        Files.copy(
                Path.of(System.getProperty("java.home"), "release"),
                jdk.resolve("release"),
                StandardCopyOption.REPLACE_EXISTING);
        environment.put("SHOW_FLAGS", "yes");
        tutti("demo");
        Path app = folders().getFirst();
        Files.writeString(app.resolve("host.options"), "#\n");
        Files.writeString(app.resolve("vector.jar"), "a jar");
        Files.copy(jdk.resolve("release"), app.resolve("release"), StandardCopyOption.REPLACE_EXISTING);
        assertThat(tutti("demo").out()).contains("/vector.jar><-XX:AOTCache=");

        for (String variable : List.of("TUTTI_JAVA_OPTS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")) {
            for (String option : List.of("-Xshare:off", "-XX:SharedArchiveFile=x", "-XX:AOTCache=x")) {
                environment.put(variable, option);
                assertThat(tutti("demo").out())
                        .as("%s=%s", variable, option)
                        .contains("/vector.jar><")
                        .doesNotContain("-XX:AOTCache=" + app);
            }
            environment.remove(variable);
        }
    }

    @Test
    void buildsAgainWhenASourceIsEditedAddedOrRemoved() throws Exception {
        Path source = checkout.resolve("cli/src/main/java/Main.java");
        Path added = source.resolveSibling("Added.java");
        tutti("demo");

        touch(source);
        tutti("demo");
        assertThat(builds()).isEqualTo(2);

        Files.writeString(added, "class Added {}");
        tutti("demo");
        assertThat(builds()).isEqualTo(3);

        Files.delete(added);
        tutti("demo");
        assertThat(builds()).isEqualTo(4);

        touch(checkout.resolve("cli/pom.xml"));
        tutti("demo");
        assertThat(builds()).isEqualTo(5);

        Files.writeString(checkout.resolve("README.md"), "no source");
        tutti("demo");
        assertThat(builds()).isEqualTo(5);
    }

    @Test
    void buildsAgainWhenASourceIsEditedDuringTheBuild() throws Exception {
        maven("mkdir -p \"$lib\"; sleep 0.05; touch '" + checkout.resolve("cli/src/main/java/Main.java") + "'");
        tutti("demo");
        maven("mkdir -p \"$lib\"");

        tutti("demo");
        tutti("demo");

        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void sourcesDatedInTheFutureAreBuiltOnceUntilTheyChange() throws Exception {
        Path source = checkout.resolve("cli/src/main/java/Main.java");
        Path removed = Files.writeString(source.resolveSibling("Removed.java"), "class Removed {}");
        FileTime future = FileTime.from(Instant.now().plus(400, ChronoUnit.DAYS));
        for (Path path : List.of(source, removed, source.getParent(), checkout.resolve("pom.xml"))) {
            Files.setLastModifiedTime(path, future);
        }
        assertThat(tutti("demo").err()).isEqualTo(BUILDING);
        assertThat(tutti("demo")).isEqualTo(new Result(0, "<demo>\n", ""));
        assertThat(builds()).isEqualTo(1);

        Files.writeString(source, "class Main { }");
        Files.setLastModifiedTime(source, future);
        tutti("demo");
        tutti("demo");
        assertThat(builds()).as("edited, and dated in the future again").isEqualTo(2);

        Files.writeString(source, "class Main {}");
        tutti("demo");
        tutti("demo");
        assertThat(builds()).as("edited, and dated rightly").isEqualTo(3);

        Files.delete(removed);
        Files.setLastModifiedTime(source.getParent(), future);
        tutti("demo");
        tutti("demo");
        assertThat(builds())
                .as("removed from a folder that is dated in the future")
                .isEqualTo(4);
    }

    @Test
    void eachSdkHasABuildOfItsOwnThatSwitchingKeeps() throws Exception {
        String one = sdk("sdk 1", "5.2.0-jdk25", "opencl").toString();
        String two = sdk("sdk 2", "5.2.0-jdk25", "opencl").toString();
        for (int round = 0; round < 2; round++) {
            for (String sdk : List.of("", one, two)) {
                environment.put("TORNADOVM_HOME", sdk);
                tutti("demo");
            }
        }
        assertThat(builds()).isEqualTo(3);
        assertThat(folders()).hasSize(3);

        for (int edit = 0; edit < 3; edit++) {
            touch(checkout.resolve("cli/src/main/java/Main.java"));
            tutti("demo");
        }
        assertThat(builds()).isEqualTo(6);
        assertThat(folders()).as("the build in force, and the one before").hasSize(2);
    }

    /** The folders of builds. */
    private List<Path> folders() throws IOException {
        try (Stream<Path> entries = Files.list(checkout.resolve(".tutti"))) {
            return entries.filter(entry -> entry.getFileName().toString().startsWith("app-"))
                    .toList();
        }
    }

    @Test
    void aBuildThatCannotBeWrittenIsUsedAsItIsWithALineIfSomethingIsAmiss() throws Exception {
        tutti("demo");
        readOnly();
        assertThat(tutti("demo")).isEqualTo(new Result(0, "<demo>\n", ""));

        Path sdk = sdk("sdk", "5.2.0-jdk25", "opencl");
        environment.put("TORNADOVM_HOME", sdk.toString());
        Path app = folders().getFirst();
        assertThat(tutti("demo"))
                .isEqualTo(new Result(
                        0,
                        "<demo>\n",
                        "tutti: " + app + " is not for the TornadoVM SDK in " + sdk
                                + " and cannot be written; only the host is used\n"));

        environment.remove("TORNADOVM_HOME");
        touch(checkout.resolve("cli/src/main/java/Main.java"));
        assertThat(tutti("demo"))
                .isEqualTo(new Result(
                        0,
                        "<demo>\n",
                        "tutti: " + app
                                + " is older than its sources and cannot be written; the build is used as it is\n"));
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void aReaderWithoutAnSdkUsesABuildForOneOnTheHost() throws Exception {
        environment.put("TORNADOVM_HOME", sdk("sdk", "5.2.0-jdk25", "opencl").toString());
        environment.put("SHOW_FLAGS", "yes");
        maven("mkdir -p \"$lib\"; echo >\"$options\"");
        tutti("demo");
        readOnly();

        environment.remove("TORNADOVM_HOME");
        Result result = tutti("demo");
        assertThat(result.out())
                .contains("<--add-modules=jdk.incubator.vector>")
                .doesNotContain("tornado.options");
        assertThat(result.err()).isEmpty();
    }

    @Test
    void aCheckoutWithoutABuildThatCannotBeWrittenIsRefusedInOneLine() throws Exception {
        Files.createDirectory(checkout.resolve(".tutti"));
        readOnly();

        assertThat(tutti("demo"))
                .isEqualTo(new Result(
                        1,
                        "",
                        "tutti: " + checkout + " holds no build and cannot be written; build it as a user who can"
                                + " write there, or copy it\n"));
    }

    /** As for a user who may not write to the checkout, whoever runs the test: root may write everywhere. */
    private void readOnly() throws IOException {
        Files.setPosixFilePermissions(checkout.resolve(".tutti"), PosixFilePermissions.fromString("r-xr-xr-x"));
        if (Files.isWritable(checkout.resolve(".tutti"))) {
            rewrite("tutti", text -> text.replace("[ -w \"$state\" ]", "false"));
        }
    }

    @AfterEach
    void letTheFolderBeDeleted() throws IOException {
        if (Files.isDirectory(checkout.resolve(".tutti"))) {
            Files.setPosixFilePermissions(checkout.resolve(".tutti"), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    @Test
    void twoCallsAtOnceBuildOnce() throws Exception {
        maven("sleep 1; mkdir -p \"$lib\"");
        List<Process> calls = List.of(start(temp, "a check out/tutti", "1"), start(temp, "a check out/tutti", "2"));

        List<Result> results = calls.stream().map(LauncherTest::result).toList();
        assertThat(results).extracting(Result::status).containsExactly(0, 0);
        assertThat(results).extracting(Result::out).containsExactly("<1>\n", "<2>\n");
        assertThat(results).extracting(Result::err).containsExactlyInAnyOrder(BUILDING, WAITING);
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void aBuildThatWasKilledHoldsUpNobody() throws Exception {
        maven("exec sleep 60");
        Process killed = start(temp, "a check out/tutti", "demo");
        while (builds() == 0) {
            Thread.sleep(10);
        }
        Stream.concat(killed.descendants(), Stream.of(killed.toHandle())).forEach(ProcessHandle::destroyForcibly);
        maven("mkdir -p \"$lib\"");

        assertThat(tutti("demo")).isEqualTo(new Result(0, "<demo>\n", BUILDING));
    }

    @Test
    void aFailedBuildIsOneLineWithItsLogAndIsTriedAgain() throws Exception {
        maven(
                "echo '[INFO] so far so good'; echo '[ERROR] COMPILATION ERROR : '; echo '[ERROR] /x/A.java:[3,5] ; expected'; exit 1");
        Path log = checkout.resolve(".tutti/build.log");

        Result failed = tutti("demo");

        assertThat(failed)
                .isEqualTo(new Result(
                        1, "", BUILDING + "tutti: the build failed: /x/A.java:[3,5] ; expected (log: " + log + ")\n"));
        assertThat(log).content().startsWith("[INFO] so far so good\n");

        maven("mkdir -p \"$lib\"");
        assertThat(tutti("demo").out()).isEqualTo("<demo>\n");
    }

    @Test
    void verboseShowsTheBuildOnStandardErrorAlone() throws Exception {
        maven("echo '[INFO] compiling'; mkdir -p \"$lib\"");

        assertThat(tutti("demo", "--verbose")).isEqualTo(new Result(0, "<demo><--verbose>\n", "[INFO] compiling\n"));
    }

    @Test
    void theBuildReadsNothingOfWhatIsMeantForTheRun() throws Exception {
        maven("cat; mkdir -p \"$lib\"");
        environment.put("READ_INPUT", "yes");

        assertThat(run(temp, "/bin/bash", "-c", "echo a prompt | 'a check out/tutti' generate")
                        .out())
                .isEqualTo("a prompt\n<generate>\n");
    }

    @Test
    void aClosedInputIsAnEmptyOne() throws Exception {
        environment.put("READ_INPUT", "yes");

        assertThat(run(temp, "/bin/bash", "-c", "'a check out/tutti' generate <&-"))
                .isEqualTo(new Result(0, "<generate>\n", BUILDING));
    }

    @Test
    void aJdkOfAnotherVersionIsPassedOverForOneOnThePath() throws Exception {
        environment.put("JAVA_HOME", fakeJdk("old", "21.0.4").toString());
        Files.createSymbolicLink(tools.resolve("javac"), jdk.resolve("bin/javac"));

        assertThat(tutti("demo")).isEqualTo(new Result(0, "<demo>\n", BUILDING));
    }

    @Test
    void aJreWithoutCompilerIsNoJdk() throws Exception {
        Files.delete(jdk.resolve("bin/javac"));
        noJdkInstalled();

        assertThat(tutti("demo").err()).startsWith(INSTALL_JDK);
    }

    @Test
    void withoutAJdkOneLineSaysHowToInstallIt() throws Exception {
        environment.put("JAVA_HOME", fakeJdk("similar", "250.1").toString());
        noJdkInstalled();

        for (String script : List.of("tutti", "mvnw")) {
            Result result = run(checkout, "./" + script, "verify");

            assertThat(result.status()).isEqualTo(1);
            assertThat(result.out()).isEmpty();
            assertThat(result.err().lines())
                    .singleElement()
                    .satisfies(line -> assertThat(line).startsWith(INSTALL_JDK).containsPattern("install|pacman|apk"));
        }
    }

    @Test
    void withoutMavenOneLineSaysHowToInstallIt() throws Exception {
        Files.delete(tools.resolve("mvn"));
        for (String tool : List.of("bash", "dirname", "find", "readlink", "uname", "apt-get")) {
            Path inUsr = Path.of("/usr/bin", tool);
            Path real = Files.exists(inUsr) ? inUsr : Path.of("/bin", tool);
            Files.writeString(tools.resolve(tool), "#!/bin/bash\nexec " + real + " \"$@\"\n");
            executable(tools.resolve(tool));
        }
        environment.put("PATH", tools.toString());

        for (String script : List.of("tutti", "mvnw")) {
            assertThat(run(checkout, "./" + script, "verify"))
                    .isEqualTo(new Result(
                            1,
                            "",
                            "tutti: Maven is not on the PATH; install it: "
                                    + (OS.MAC.isCurrentOs()
                                            ? "brew install maven"
                                            : "sudo apt install maven (or: sdk install maven)")
                                    + "\n"));
        }
    }

    @Test
    void mvnwKeepsMavensStatusAndSaysLastWhatWasSkipped() throws Exception {
        maven("echo BUILD FAILURE; exit 7");
        environment.put("TORNADOVM_HOME", "/nowhere");

        Result verify = run(checkout, "./mvnw", "verify");

        assertThat(verify.status()).isEqualTo(7);
        assertThat(verify.out().lines().toList().getLast())
                .isEqualTo("SKIPPED tornado-kernels: no TornadoVM SDK found (TORNADOVM_HOME=/nowhere is none); "
                        + INSTALL_SDK);
        assertThat(run(checkout, "./mvnw", "compile").out()).doesNotContain("SKIPPED");
    }

    @Test
    void mavenKeepsItsFilesInTheHomeOfAnAccountWithoutAName() throws Exception {
        maven("echo \"options $MAVEN_OPTS\"");
        String ours = "--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -Xmx1g";
        environment.put("MAVEN_OPTS", "-Xmx1g");
        assertThat(run(checkout, "./mvnw", "compile").out()).isEqualTo("options " + ours + "\n");

        Files.writeString(tools.resolve("id"), "#!/bin/bash\nexit 1\n");
        executable(tools.resolve("id"));
        assertThat(run(checkout, "./mvnw", "compile").out())
                .isEqualTo("options -Duser.home=" + temp + " " + ours + "\n");
        environment.put("HOME", "/nowhere");
        assertThat(run(checkout, "./mvnw", "compile").out()).isEqualTo("options " + ours + "\n");
    }

    @Test
    void anSdkIsFoundForMavenAndForTheRunAndABuildForAnotherIsOutOfDate() throws Exception {
        tutti("demo");
        Path sdk = sdk("sdk 1", "5.2.0-jdk25", "opencl");
        Path current = Files.createDirectories(temp.resolve(".sdkman/candidates/tornadovm"))
                .resolve("current");
        Files.createSymbolicLink(current, sdk);
        maven("echo sdk $TORNADOVM_HOME; mkdir -p \"$lib\"");

        assertThat(run(checkout, "./mvnw", "verify").out()).isEqualTo("sdk " + sdk + "\n");
        int before = builds();
        tutti("demo");
        tutti("demo");
        assertThat(builds()).isEqualTo(before + 1);

        Files.delete(current);
        Files.createSymbolicLink(current, sdk("sdk 2", "5.2.0-jdk25", "opencl"));
        tutti("demo");
        assertThat(builds()).isEqualTo(before + 2);
    }

    @Test
    void anSdkReplacedByAnotherVersionInTheSameFolderIsBuiltForAgain() throws Exception {
        Path api = sdk("sdk", "5.1.0-jdk25", "opencl").resolve("share/java/tornado/tornado-api-5.1.0-jdk25.jar");
        environment.put("TORNADOVM_HOME", temp.resolve("sdk").toString());
        tutti("demo");
        Files.move(api, api.resolveSibling("tornado-api-5.2.0-jdk25.jar"));

        tutti("demo");

        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void theJvmStartsWithTheOptionsForTheSdkUnlessTheHostIsEnough() throws Exception {
        environment.put("TORNADOVM_HOME", sdk("sdk", "5.2.0-jdk25", "opencl").toString());
        environment.put("SHOW_FLAGS", "yes");
        maven("mkdir -p \"$lib\"; echo >\"$options\"");

        for (String commandLine : List.of(
                "demo",
                "devices",
                "generate m --prompt host",
                "generate m --device auto",
                "generate m --device opencl:0",
                "generate m --device=opencl:0",
                "compare m --device host,opencl:0",
                "compare m --device=host,ptx:0")) {
            assertThat(tutti(commandLine.split(" ")).out())
                    .as(commandLine)
                    .contains("/tornado.options><-Dtutti.")
                    .doesNotContain("jdk.incubator.vector");
        }
        for (String commandLine : List.of(
                "--help",
                "--version",
                "-V",
                "inspect m",
                "quantize m --out d",
                "generate --help",
                "generate m -h",
                "generate m --device host",
                "generate --device=host m",
                "demo --device host --verbose")) {
            assertThat(tutti(commandLine.split(" ")).out())
                    .as(commandLine)
                    .contains("<--add-modules=jdk.incubator.vector><-Dtutti.home=")
                    .doesNotContain("tornado.options");
        }
        assertThat(tutti().out()).contains("<--add-modules=jdk.incubator.vector><-Dtutti.home=");
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "PoCL's signals are Linux's")
    void theJvmSeesItsSignalsBeforeADriverDoes() throws Exception {
        environment.put("TORNADOVM_HOME", sdk("sdk", "5.2.0-jdk25", "opencl").toString());
        environment.put("SHOW_PRELOADED", "yes");
        maven("mkdir -p \"$lib\"; echo >\"$options\"");
        String none = "preloaded: \n";
        assertThat(tutti("demo").out()).as("a JDK without the library").endsWith(none);

        Path real = Path.of(System.getProperty("java.home"), "lib", "libjsig.so");
        Path library = jdk.resolve("lib/libjsig.so");
        Files.createDirectories(library.getParent());
        Files.copy(real, library);
        assertThat(tutti("demo").out()).endsWith("preloaded: " + library + "\n");
        assertThat(tutti("demo", "--device", "host").out()).endsWith(none);

        environment.put("LD_PRELOAD", real.toString());
        assertThat(tutti("demo").out()).as("the user's own").endsWith("preloaded: " + library + ":" + real + "\n");

        Path blank = Files.move(jdk, temp.resolve("a jdk"));
        environment.put("JAVA_HOME", blank.toString());
        Result result = tutti("demo");
        assertThat(result.out()).as("a name that the linker would part").endsWith("preloaded: " + real + "\n");
        assertThat(result.err()).isEmpty();
    }

    @Test
    void anSdkThatCannotBeUsedIsSkippedWithTheReasonAndTheRunDoesWithoutIt() throws Exception {
        Path config = Path.of("tornado-config/src/main/java/io/tutti/tornado/config");
        Files.createDirectories(checkout.resolve(config));
        try (Stream<Path> sources = Files.list(HOME.resolve(config))) {
            for (Path source : sources.toList()) {
                Files.copy(source, checkout.resolve(config).resolve(source.getFileName()));
            }
        }
        Path old = sdk("old", "5.1.0-jdk25", "opencl");
        environment.put("TORNADOVM_HOME", old.toString());
        environment.put("SHOW_FLAGS", "yes");
        maven("echo \"sdk <$TORNADOVM_HOME>\"; mkdir -p \"${lib:-.}\"");

        Result verify = run(checkout, "./mvnw", "verify");
        assertThat(verify.status()).isZero();
        assertThat(verify.out().lines())
                .containsExactly(
                        "sdk <>",
                        "",
                        "SKIPPED tornado-kernels: the TornadoVM SDK in " + old
                                + " is version 5.1.0-jdk25; accepted: 5.2.0-jdk25; " + INSTALL_SDK);

        Result demo = tutti("demo");
        assertThat(demo.status()).isZero();
        assertThat(demo.err()).isEqualTo(BUILDING);
        assertThat(demo.out()).contains("<--add-modules=jdk.incubator.vector>").doesNotContain("tornado.options");
    }

    /** The class that stands for the product's works only if the Vector API's classes are there without their module. */
    @Test
    void theJvmTakesAnAotCacheOfTheJdkThatMadeItIfTheHostIsEnough() throws Exception {
        environment.put("SHOW_FLAGS", "yes");
        environment.put("TORNADOVM_HOME", sdk("sdk", "5.2.0-jdk25", "opencl").toString());
        Path release = jdk.resolve("release");
        Files.copy(Path.of(System.getProperty("java.home"), "release"), release, StandardCopyOption.REPLACE_EXISTING);
        Path jar = jar("io.tutti.cli.Training", """
                package io.tutti.cli;

                import jdk.incubator.vector.FloatVector;

                public class Training {
                    public static void main(String[] args) {
                        System.exit(FloatVector.SPECIES_PREFERRED.getClass().getModule().isNamed() ? 1 : 0);
                    }
                }
                """);
        maven("mkdir -p \"$lib\"; cp '" + jar + "' \"$lib\"; echo >\"$options\"");

        assertThat(tutti("demo", "--device", "host").out())
                .contains("/host.options><-Xbootclasspath/a:" + checkout + "/.tutti/app-")
                .contains("/vector.jar><-XX:AOTCache=" + checkout + "/.tutti/app-")
                .contains("/host.aot><-Dtutti.home=")
                .doesNotContain("--add-modules");
        assertThat(tutti("demo").out())
                .contains("/device.options><-Xbootclasspath/a:" + checkout + "/.tutti/app-")
                .contains("/vector.jar><")
                .doesNotContain("AOTCache", "host.options", "--add-modules");

        Files.writeString(release, "IMPLEMENTOR=\"X\"\n", StandardOpenOption.APPEND);
        assertThat(tutti("demo", "--device", "host").out())
                .contains("<--add-modules=jdk.incubator.vector><-Dtutti.home=")
                .doesNotContain("AOTCache", "host.options");
        assertThat(builds()).isEqualTo(1);
    }

    /** A JVM that replaces modules of its JDK takes no AOT cache; the copy has none to replace. */
    @Test
    void theJvmForDevicesRunsInACopyOfTheJdkThatTakesAnAotCache() throws Exception {
        environment.put("TORNADOVM_HOME", sdk("sdk", "5.2.0-jdk25", "opencl").toString());
        Files.copy(
                Path.of(System.getProperty("java.home"), "release"),
                jdk.resolve("release"),
                StandardCopyOption.REPLACE_EXISTING);
        Path jar = jar("io.tutti.cli.Training", """
                package io.tutti.cli;

                import java.lang.management.ManagementFactory;

                public class Training {
                    public static void main(String[] args) {}
                }

                class Main {
                    public static void main(String[] args) {
                        System.out.println(System.getProperty("java.home"));
                        System.out.println(ManagementFactory.getRuntimeMXBean().getInputArguments());
                        System.out.println(ModuleLayer.boot().findModule("jdk.graal.compiler"));
                    }
                }
                """);
        Path modules = Files.createDirectories(temp.resolve("modules"));
        maven("mkdir -p \"$lib\"; cp '" + jar + "' \"$lib\"; echo '\"--upgrade-module-path=" + modules
                + "\"' >\"$options\"");

        String build = checkout.toRealPath() + "/.tutti/app-";
        Result demo = tutti("demo", "--device", "opencl:0");
        assertThat(demo.err()).isEqualTo(BUILDING);
        assertThat(demo.out().lines().toList())
                .satisfiesExactly(
                        home -> assertThat(home).startsWith(build).endsWith("/device"),
                        flags -> assertThat(flags)
                                .contains("-XX:AOTCache=" + build)
                                .doesNotContain("upgrade-module-path"),
                        compiler -> assertThat(compiler).isEqualTo("Optional.empty"));

        environment.put("TUTTI_JAVA_OPTS", "-Xshare:off");
        assertThat(tutti("demo", "--device", "opencl:0").out())
                .as("a user who wants no cache")
                .doesNotContain("AOTCache");
        assertThat(builds()).isEqualTo(1);
    }

    /** As the program does in the JVM for the SDK, when it finds no device but processors. */
    @Test
    void autoStartsWithoutTheSdkWhereARunFoundTheHostAloneUntilTheSurroundingsChange() throws Exception {
        environment.put("TORNADOVM_HOME", sdk("sdk", "5.2.0-jdk25", "opencl").toString());
        environment.put("SHOW_FLAGS", "yes");
        Path icds = Files.createDirectories(temp.resolve("icds"));
        Path driver = Files.writeString(temp.resolve("driver.so"), "");
        Files.writeString(icds.resolve("a.icd"), driver + "\n");
        environment.put("OCL_ICD_VENDORS", icds.toString());
        maven("mkdir -p \"$lib\"; echo >\"$options\"");
        Path remembered = temp.resolve(".cache/tutti/host-alone");
        Files.createDirectories(remembered.getParent());

        foundTheHostAlone(remembered);
        assertThat(tutti("demo").out()).doesNotContain("tornado.options", "tutti.surroundings");
        assertThat(tutti("generate", "m", "--device", "auto").out()).doesNotContain("tornado.options");
        for (String commandLine : List.of("generate m --device opencl:0", "compare m --device=host,ptx:0")) {
            assertThat(tutti(commandLine.split(" ")).out()).as(commandLine).contains("/tornado.options>");
        }

        for (String variable : List.of("OCL_ICD_FILENAMES", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH")) {
            environment.put(variable, "/nowhere");
            assertThat(tutti("demo").out()).as(variable).contains("/tornado.options>");
            environment.remove(variable);
            assertThat(tutti("demo").out()).doesNotContain("tornado.options");
        }

        Files.writeString(icds.resolve("b.icd"), "another.so\n");
        assertThat(tutti("demo").out()).as("another driver").contains("/tornado.options>");
        foundTheHostAlone(remembered);
        assertThat(tutti("demo").out()).doesNotContain("tornado.options");

        touch(driver);
        assertThat(tutti("demo").out()).as("a new version of a driver").contains("/tornado.options>");
        foundTheHostAlone(remembered);
        assertThat(tutti("demo").out()).doesNotContain("tornado.options");

        assertThat(tutti("devices").out()).contains("/tornado.options>");
        assertThat(tutti("demo").out()).as("looked for again").contains("/tornado.options>");
    }

    private void foundTheHostAlone(Path file) throws IOException {
        String flags = tutti("demo").out();
        String before = "<-Dtutti.surroundings=";
        int begin = flags.indexOf(before) + before.length();
        assertThat(flags).contains("<-Dtutti.host.alone=" + file + ">" + before);
        Files.writeString(file, flags.substring(begin, flags.indexOf("><-Dtutti.home=")));
    }

    /** A jar with one class that may use the Vector API. */
    private Path jar(String name, String source) throws IOException {
        Path folder = Files.createDirectories(temp.resolve("sources"));
        Path file = Files.writeString(folder.resolve(name.substring(name.lastIndexOf('.') + 1) + ".java"), source);
        Path classes = Files.createDirectories(folder.resolve("classes"));
        Path jar = folder.resolve("product.jar");
        tool("javac", "--add-modules", "jdk.incubator.vector", "-d", classes.toString(), file.toString());
        tool("jar", "--create", "--file", jar.toString(), "-C", classes.toString(), ".");
        return jar;
    }

    private static void tool(String name, String... arguments) {
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        assertThat(ToolProvider.findFirst(name).orElseThrow().run(out, out, arguments))
                .as(() -> name + ": " + said)
                .isZero();
    }

    @Test
    void scriptsPomAndJavaNameTheSameSdk() throws IOException {
        assertThat(HOME.resolve("pom.xml")).content().contains("<tornadovm.version>5.2.0-jdk25</tornadovm.version>");
        assertThat(HOME.resolve("bin/toolchain.sh")).content().contains("tornado_version=5.2.0-jdk25\n");
        assertThat(HOME.resolve("mvnw.cmd")).content().contains("no TornadoVM SDK found%asked%; " + INSTALL_SDK);
        assertThat(HOME.resolve("tornado-config/src/main/java/io/tutti/tornado/config/TornadoSdk.java"))
                .content()
                .contains("VERSION = \"5.2.0-jdk25\"");
    }

    private Result tutti(String... arguments) throws IOException {
        return run(
                checkout,
                Stream.concat(Stream.of("./tutti"), Stream.of(arguments)).toArray(String[]::new));
    }

    private Result run(Path directory, String... command) throws IOException {
        return result(start(directory, command));
    }

    private Process start(Path directory, String... command) throws IOException {
        String[] resolved = command.clone();
        resolved[0] = directory.resolve(command[0]).toString();
        ProcessBuilder builder = new ProcessBuilder(resolved).directory(directory.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static Result result(Process process) {
        try {
            process.getOutputStream().close();
            String out = new String(process.getInputStream().readAllBytes(), UTF_8);
            String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            return new Result(process.exitValue(), out, err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A JDK whose java prints its arguments in angle brackets, from the main class on, and that really runs Build. */
    private Path fakeJdk(String name, String version) throws IOException {
        Path home = temp.resolve(name);
        Path bin = Files.createDirectories(home.resolve("bin"));
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"" + version + "\"\n");
        Files.writeString(bin.resolve("javac"), "#!/bin/bash\n");
        Files.writeString(bin.resolve("java"), """
                #!/bin/bash
                case $3 in
                  */Build.java)
                    shift 3
                    exec '%1$s/bin/java' -XX:TieredStopAtLevel=1 -cp '%2$s' Build "$@"
                    ;;
                  */JvmOptions.java) [ ! -e "$3" ] || exec '%1$s/bin/java' "$@" ;;
                esac
                [ -z "$READ_INPUT" ] || cat
                if [ -z "$SHOW_FLAGS" ]; then
                  until [ $# = 0 ] || [ "$1" = io.tutti.cli.Main ]; do shift; done
                  shift
                fi
                printf '<%%s>' "$@"
                echo
                [ -z "$SHOW_PRELOADED" ] || echo "preloaded: $LD_PRELOAD"
                """.formatted(System.getProperty("java.home"), build));
        executable(bin.resolve("javac"));
        executable(bin.resolve("java"));
        return home;
    }

    /**
     * Makes Maven a script: it counts its calls, knows the folder for the jars as {@code lib} and the file
     * for the JVM's options as {@code options}, and does {@code body}.
     */
    private void maven(String body) throws IOException {
        Path mvn = tools.resolve("mvn");
        Files.writeString(mvn, """
                #!/bin/bash
                echo >>'%s'
                for argument in "$@"; do
                  case $argument in
                    -Dlauncher.lib=*) lib=${argument#*=} ;;
                    -Dtornado.options=*) options=${argument#*=} ;;
                  esac
                done
                %s
                """.formatted(calls(), body));
        executable(mvn);
    }

    private Path calls() {
        return temp.resolve("calls");
    }

    private int builds() throws IOException {
        return Files.exists(calls()) ? Files.readAllLines(calls()).size() : 0;
    }

    /** Takes the system's own folders out of the search, which may well hold a JDK 25. */
    private void noJdkInstalled() throws IOException {
        rewrite("bin/toolchain.sh", text -> text + "use_jdk_on_path() { false; }\nuse_jdk_installed() { false; }\n");
    }

    private void rewrite(String script, UnaryOperator<String> change) throws IOException {
        Path file = checkout.resolve(script);
        Files.writeString(file, change.apply(Files.readString(file)));
    }

    /** A folder with the files by which an SDK is known. */
    private Path sdk(String name, String version, String backend) throws IOException {
        Path home = temp.toRealPath().resolve(name);
        Files.createDirectories(home.resolve("etc"));
        Files.writeString(home.resolve("etc/tornado.backend"), "tornado.backends=" + backend + "-backend\n");
        Path jars = Files.createDirectories(home.resolve("share/java/tornado"));
        Files.writeString(jars.resolve("tornado-api-" + version + ".jar"), "");
        return home;
    }

    private static void touch(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    }

    private static void executable(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
