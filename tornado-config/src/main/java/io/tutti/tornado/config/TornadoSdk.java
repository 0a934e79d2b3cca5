package io.tutti.tornado.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * An installed TornadoVM SDK, as its own files describe it.
 *
 * @param home the SDK's folder, what TornadoVM calls {@code TORNADOVM_HOME}
 * @param version the version in the API's jar name, for example {@code 5.2.0-jdk25}
 * @param backends the backends it was built with, in its order, for example {@code [opencl, ptx]}; never empty
 */
public record TornadoSdk(Path home, String version, List<String> backends) {
    private static final String BACKENDS_FILE = "etc/tornado.backend";
    private static final String BACKENDS_KEY = "tornado.backends";
    private static final String BACKEND_SUFFIX = "-backend";
    private static final String JARS = "share/java/tornado";
    private static final String API_PREFIX = "tornado-api-";
    private static final String JAR_SUFFIX = ".jar";

    public TornadoSdk {
        backends = List.copyOf(backends);
    }

    /**
     * Finds the SDK that the launcher finds: the folder named by {@code TORNADOVM_HOME}, SDKMAN's current one, or
     * {@code /opt/tornadovm}, whichever is one first. A folder that is none is passed over.
     *
     * @throws TornadoSdkException if the first one found cannot be read
     */
    public static Optional<TornadoSdk> find() {
        return find(candidates(System.getenv(), Path.of(System.getProperty("user.home"))));
    }

    static List<Path> candidates(Map<String, String> environment, Path userHome) {
        String named = environment.getOrDefault("TORNADOVM_HOME", "");
        String sdkman = environment.getOrDefault("SDKMAN_DIR", "");
        Path sdkmanDir = sdkman.isEmpty() ? userHome.resolve(".sdkman") : Path.of(sdkman);
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
     * @throws TornadoSdkException if it holds more than one version, or does not say which backends it has
     */
    public static Optional<TornadoSdk> read(Path home) {
        Path backendsFile = home.resolve(BACKENDS_FILE);
        Path jars = home.resolve(JARS);
        if (!Files.isReadable(backendsFile) || !Files.isDirectory(jars)) {
            return Optional.empty();
        }
        List<String> versions = versions(jars);
        if (versions.isEmpty()) {
            return Optional.empty();
        }
        if (versions.size() > 1) {
            throw new TornadoSdkException(
                    jars + ": tornado-api in versions " + versions + "; expected exactly one, so reinstall the SDK");
        }
        return Optional.of(new TornadoSdk(home, versions.getFirst(), backends(backendsFile)));
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
        if (backends.isEmpty()) {
            throw new TornadoSdkException(file + ": " + BACKENDS_KEY + " is '" + value
                    + "'; expected a list such as 'opencl-backend,ptx-backend'");
        }
        return backends;
    }

    private static String withoutSuffix(String backend) {
        return backend.endsWith(BACKEND_SUFFIX)
                ? backend.substring(0, backend.length() - BACKEND_SUFFIX.length())
                : backend;
    }
}
