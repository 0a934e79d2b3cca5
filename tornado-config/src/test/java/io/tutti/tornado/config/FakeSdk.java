package io.tutti.tornado.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A folder that has the files of an SDK, as far as we look at them. */
final class FakeSdk {
    private FakeSdk() {}

    /** An SDK of our version. */
    static Path create(Path home, String... backends) throws IOException {
        return create(home, TornadoSdk.VERSION, List.of(backends));
    }

    static Path create(Path home, String version, List<String> backends) throws IOException {
        Path jars = Files.createDirectories(home.resolve("share/java/tornado"));
        Files.createDirectories(home.resolve("share/java/graalJars"));
        Files.createDirectories(home.resolve("lib"));
        Path lists = Files.createDirectories(home.resolve("etc/exportLists"));
        for (String name : List.of("api", "runtime", "annotation", "drivers-common")) {
            Files.createFile(jars.resolve("tornado-" + name + "-" + version + ".jar"));
        }
        Files.writeString(lists.resolve("common-exports"), "# common\n\n--add-reads=tornado.runtime=compiler\n");
        for (String backend : backends) {
            Files.createFile(jars.resolve("tornado-drivers-" + backend + "-" + version + ".jar"));
            Files.writeString(lists.resolve(backend + "-exports"), "  --add-reads=tornado." + backend + "=compiler\n");
        }
        backends(
                home,
                String.join(
                        ",", backends.stream().map(name -> name + "-backend").toList()));
        return home;
    }

    /** Writes the file that names the backends. */
    static Path backends(Path home, String value) throws IOException {
        return Files.writeString(home.resolve("etc/tornado.backend"), "tornado.backends=" + value + "\n");
    }
}
