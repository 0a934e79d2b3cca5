package io.tutti.tornado.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;

/**
 * An installed TornadoVM SDK that the kernels were written for, as its own files describe it.
 *
 * @param home the SDK's folder, what TornadoVM calls {@code TORNADOVM_HOME}
 * @param backends the names of all its backends, in its order; at least one is a {@link BackendKind}
 */
public record TornadoSdk(Path home, List<String> backends) {
    /** The one version that the kernels were written for: what it compiles, and how, differs from version to version. */
    public static final String VERSION = "5.2.0-jdk25";

    /** How to get an SDK, for messages. */
    public static final String INSTALL =
            "get one with 'sdk install tornadovm " + VERSION + "-opencl', or set TORNADOVM_HOME to one";

    private static final String BACKENDS_FILE = "etc/tornado.backend";
    private static final String BACKENDS_KEY = "tornado.backends";
    private static final String BACKEND_SUFFIX = "-backend";
    private static final String API_PREFIX = "tornado-api-";
    private static final String JAR_SUFFIX = ".jar";

    public TornadoSdk {
        backends = List.copyOf(backends);
    }

    /**
     * Finds the SDK that the launcher finds: the folder named by {@code TORNADOVM_HOME}, SDKMAN's current one, or
     * {@code /opt/tornadovm}, whichever is one first. A folder that is none is passed over.
     *
     * @throws TornadoSdkException if the first one found cannot be used
     */
    public static Optional<TornadoSdk> find() {
        return find(candidates(System.getenv(), Path.of(System.getProperty("user.home"))));
    }

    /** The launcher's home is {@code $HOME}, where there is one. */
    private static Path home(Map<String, String> environment, Path userHome) {
        String home = environment.getOrDefault("HOME", "");
        return home.isEmpty() || System.getProperty("os.name").startsWith("Windows") ? userHome : Path.of(home);
    }

    /** @param userHome what Java takes for the home */
    static List<Path> candidates(Map<String, String> environment, Path userHome) {
        String named = environment.getOrDefault("TORNADOVM_HOME", "");
        String sdkman = environment.getOrDefault("SDKMAN_DIR", "");
        Path sdkmanDir = sdkman.isEmpty() ? home(environment, userHome).resolve(".sdkman") : Path.of(sdkman);
        return Stream.concat(
                        named.isEmpty() ? Stream.empty() : Stream.of(Path.of(named)),
                        Stream.of(sdkmanDir.resolve("candidates/tornadovm/current"), Path.of("/opt/tornadovm")))
                .toList();
    }

    static Optional<TornadoSdk> find(List<Path> candidates) {
        return candidates.stream().flatMap(home -> read(home).stream()).findFirst();
    }

    /**
     * Reads the SDK in a folder.
     *
     * @return empty if the folder holds no SDK: no {@code etc/tornado.backend}, or no {@code tornado-api-*.jar}
     * @throws TornadoSdkException if it is of another version than {@link #VERSION}, has none of our backends, or lacks a
     *     file that the JVM needs
     */
    public static Optional<TornadoSdk> read(Path home) {
        Path backendsFile = home.resolve(BACKENDS_FILE);
        Path jars = jars(home);
        if (!Files.isReadable(backendsFile) || !Files.isDirectory(jars)) {
            return Optional.empty();
        }
        List<String> versions = versions(jars);
        if (versions.isEmpty()) {
            return Optional.empty();
        }
        if (!versions.equals(List.of(VERSION))) {
            throw new TornadoSdkException("the TornadoVM SDK in " + home + " is version "
                    + String.join(" and ", versions) + "; accepted: " + VERSION + "; " + INSTALL);
        }
        TornadoSdk sdk = new TornadoSdk(home, backends(backendsFile));
        sdk.requireWhole();
        return Optional.of(sdk);
    }

    /** Those of its backends that the kernels are written for, in its order; never empty. */
    public List<BackendKind> kernelBackends() {
        return kernelBackends(backends);
    }

    private static List<BackendKind> kernelBackends(List<String> names) {
        return names.stream().flatMap(name -> BackendKind.of(name).stream()).toList();
    }

    /** The folder of its jars, TornadoVM's module path. */
    public Path jars() {
        return jars(home);
    }

    /** The compiler that TornadoVM was built with, in place of the JDK's. */
    Path compilerJars() {
        return home.resolve("share/java/graalJars");
    }

    /** The native libraries of its backends. */
    Path libraries() {
        return home.resolve("lib");
    }

    /** Its backends, and those that they are made of: the SPIR-V backend reaches its devices through OpenCL's. */
    Set<String> drivers() {
        Set<String> drivers = new LinkedHashSet<>(backends);
        if (drivers.contains(BackendKind.SPIRV.toString())) {
            drivers.add(BackendKind.OPENCL.toString());
        }
        return drivers;
    }

    /** Files of JVM flags that open the compiler's packages: to TornadoVM's runtime, and to each of its drivers. */
    List<Path> exportLists() {
        Path folder = home.resolve("etc/exportLists");
        return Stream.concat(Stream.of("common"), drivers().stream())
                .map(name -> folder.resolve(name + "-exports"))
                .toList();
    }

    private static Path jars(Path home) {
        return home.resolve("share/java/tornado");
    }

    private Path jar(String name) {
        return jars().resolve("tornado-" + name + "-" + VERSION + JAR_SUFFIX);
    }

    private void requireWhole() {
        Stream<Path> needed = Stream.of(
                        Stream.of(jar("runtime"), jar("annotation"), jar("drivers-common")),
                        drivers().stream().map(driver -> jar("drivers-" + driver)),
                        exportLists().stream(),
                        Stream.of(compilerJars(), libraries()))
                .flatMap(files -> files);
        needed.filter(file -> !Files.isReadable(file)).findFirst().ifPresent(missing -> {
            throw new TornadoSdkException("the TornadoVM SDK in " + home + " is not whole: " + home.relativize(missing)
                    + " is missing; " + INSTALL);
        });
    }

    private static List<String> versions(Path jars) {
        try (Stream<Path> files = Files.list(jars)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(API_PREFIX) && name.endsWith(JAR_SUFFIX))
                    .map(name -> name.substring(API_PREFIX.length(), name.length() - JAR_SUFFIX.length()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new TornadoSdkException(jars + ": cannot be listed: " + e.getMessage(), e);
        }
    }

    private static List<String> backends(Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new TornadoSdkException(file + ": cannot be read: " + e.getMessage(), e);
        }
        String value = properties.getProperty(BACKENDS_KEY, "");
        List<String> backends = Arrays.stream(value.split(","))
                .map(String::strip)
                .filter(backend -> !backend.isEmpty())
                .map(TornadoSdk::withoutSuffix)
                .toList();
        if (kernelBackends(backends).isEmpty()) {
            throw new TornadoSdkException(file + ": " + BACKENDS_KEY + " is '" + value + "'; accepted: any of "
                    + BackendKind.names() + "; " + INSTALL);
        }
        return backends;
    }

    private static String withoutSuffix(String backend) {
        return backend.endsWith(BACKEND_SUFFIX)
                ? backend.substring(0, backend.length() - BACKEND_SUFFIX.length())
                : backend;
    }
}
