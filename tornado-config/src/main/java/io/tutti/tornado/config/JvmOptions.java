package io.tutti.tornado.config;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a JVM has to be told in order to run TornadoVM, from the SDK's own folder; and to have the Vector API, which the host
 * runs on and the launcher gives to other JVMs in its own way.
 */
public final class JvmOptions {
    private static final List<String> COMPILER = List.of("-XX:+UnlockExperimentalVMOptions", "-XX:+EnableJVMCI");

    /** The API finds its implementation by these names. */
    private static final List<String> IMPLEMENTATIONS = List.of(
            "-Dtornado.load.api.implementation=uk.ac.manchester.tornado.runtime.tasks.TornadoTaskGraph",
            "-Dtornado.load.runtime.implementation=uk.ac.manchester.tornado.runtime.TornadoCoreRuntime",
            "-Dtornado.load.tornado.implementation=uk.ac.manchester.tornado.runtime.common.Tornado",
            "-Dtornado.load.annotation.implementation=uk.ac.manchester.tornado.annotation.ASMClassVisitor",
            "-Dtornado.load.annotation.parallel=uk.ac.manchester.tornado.api.annotations.Parallel");

    private static final String MODULES =
            "jdk.incubator.vector,tornado.runtime,tornado.annotation,tornado.drivers.common";
    private static final String RUNTIME_MODULE = "tornado.runtime";
    private static final String COMMENT = "#";
    private static final String DRIVER_MODULES = "tornado.drivers.";
    private static final String LEVEL_ZERO_MODULE = "beehive.levelzero.jni";

    private JvmOptions() {}

    /**
     * The arguments, one an element, {@link TornadoProperty} and all.
     *
     * @throws TornadoSdkException if one of the SDK's lists of exports cannot be read
     */
    public static List<String> of(TornadoSdk sdk) {
        List<String> options = new ArrayList<>(COMPILER);
        options.addAll(IMPLEMENTATIONS);
        options.add("--module-path=" + sdk.jars() + File.pathSeparator + sdk.compilerJars());
        // A JDK has an empty module in the compiler's place, which this replaces; the launcher's build makes one
        // without it.
        options.add("--upgrade-module-path=" + sdk.compilerJars());
        options.add("--add-modules=" + MODULES + "," + driverModules(sdk));
        options.add("--enable-native-access=" + nativeModules(sdk));
        options.add("-Djava.library.path=" + sdk.libraries());
        sdk.exportLists().forEach(list -> options.addAll(exports(list)));
        TornadoProperty.of(sdk).forEach(property -> options.add(property.argument()));
        return List.copyOf(options);
    }

    /** Whether this JVM was told so: TornadoVM's classes are there. */
    public static boolean inForce() {
        return ModuleLayer.boot().findModule(RUNTIME_MODULE).isPresent();
    }

    /**
     * For the build: writes them as a file for {@code java @FILE}. An SDK that cannot be used ends the JVM with status 1
     * and one line.
     *
     * @param args the SDK's folder, and the file to write; without a file, whether the SDK can be used is all that is asked
     */
    public static void main(String[] args) throws IOException {
        try {
            TornadoSdk sdk = sdk(Path.of(args[0]));
            if (args.length > 1) {
                write(sdk, Path.of(args[1]));
            }
        } catch (TornadoSdkException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private static TornadoSdk sdk(Path home) {
        return TornadoSdk.read(home)
                .orElseThrow(() -> new TornadoSdkException(home + ": no TornadoVM SDK; " + TornadoSdk.INSTALL));
    }

    static void write(TornadoSdk sdk, Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, of(sdk).stream().map(JvmOptions::quoted).toList());
    }

    /** In such a file blanks end an argument, and a backslash takes the next character as it is. */
    private static String quoted(String argument) {
        return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String driverModules(TornadoSdk sdk) {
        return sdk.drivers().stream().map(driver -> DRIVER_MODULES + driver).collect(Collectors.joining(","));
    }

    private static String nativeModules(TornadoSdk sdk) {
        return sdk.drivers().contains(BackendKind.SPIRV.toString())
                ? driverModules(sdk) + "," + LEVEL_ZERO_MODULE
                : driverModules(sdk);
    }

    private static List<String> exports(Path list) {
        try (Stream<String> lines = Files.lines(list)) {
            return lines.map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith(COMMENT))
                    .toList();
        } catch (IOException e) {
            throw new TornadoSdkException(list + ": cannot be read: " + e.getMessage(), e);
        }
    }
}
