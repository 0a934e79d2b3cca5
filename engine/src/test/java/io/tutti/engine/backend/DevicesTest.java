package io.tutti.engine.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.reference.ReferenceDevice;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevicesTest {
    private static final BackendOptions OPTIONS = new BackendOptions(1);

    @Test
    void theHostIsAlwaysThereAndFirst(@TempDir Path folder) throws IOException {
        Devices devices = find(folder, Working.class);
        assertThat(devices.list()).extracting(Device::name).containsExactly("host", "reference");
        assertThat(devices.unavailable()).isEmpty();
        assertThat(devices.named("reference")).isPresent();
        assertThat(devices.named("opencl:0")).isEmpty();
    }

    @Test
    void aBackendThatFailsIsReportedOnceAndTakesNoOtherDown(@TempDir Path folder) throws IOException {
        Devices devices = find(
                folder,
                "io.tutti.NoSuchBackend",
                names(Unmade.class, Unlinked.class, Uninitialized.class, Throwing.class, Working.class));
        assertThat(devices.list()).extracting(Device::name).containsExactly("host", "reference");
        assertThat(devices.unavailable())
                .extracting(Unavailable::text)
                .containsExactly(
                        "unknown backend: io.tutti.engine.backend.Backend: Provider io.tutti.NoSuchBackend not found"
                                + " (ServiceConfigurationError)",
                        "Unmade backend: no SDK in /nowhere (IllegalStateException)",
                        "Unlinked backend: uk/ac/NoSuchClass (NoClassDefFoundError)",
                        "Uninitialized backend: the driver is too old (UnsupportedOperationException)",
                        "Throwing backend: IllegalArgumentException");
        assertThat(devices.hostOnly()).isFalse();
    }

    @Test
    void aBackendSaysWhatOfItCannotBeUsed(@TempDir Path folder) throws IOException {
        assertThat(find(folder, HalfThere.class).unavailable())
                .extracting(Unavailable::text)
                .containsExactly("ptx backend: no driver");
    }

    @Test
    void withNoOtherBackendThereIsTheHostOnly(@TempDir Path folder) throws IOException {
        assertThat(find(folder).hostOnly()).isTrue();
        assertThat(find(folder, HalfThere.class).hostOnly()).isFalse();
    }

    private static Devices find(Path folder, Class<?>... backends) throws IOException {
        return find(folder, "", names(backends));
    }

    /** Backends named in a services file of their own, beside the host's. */
    private static Devices find(Path folder, String first, String backends) throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(Backend.class.getName()), first + "\n" + backends + "\n");
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, Thread.currentThread().getContextClassLoader())) {
            return Devices.find(ServiceLoader.load(Backend.class, loader), OPTIONS);
        }
    }

    private static String names(Class<?>... backends) {
        return Stream.of(backends).map(Class::getName).collect(Collectors.joining("\n"));
    }

    public static final class Working implements Backend {
        @Override
        public List<Device> devices(BackendOptions options) {
            return List.of(new ReferenceDevice());
        }
    }

    public static final class HalfThere implements Backend {
        @Override
        public List<Device> devices(BackendOptions options) {
            return List.of();
        }

        @Override
        public List<Unavailable> unavailable() {
            return List.of(new Unavailable("ptx", "no driver"));
        }
    }

    public static final class Unmade extends Absent {
        public Unmade() {
            throw new IllegalStateException("no SDK in /nowhere\nreinstall it");
        }
    }

    public static final class Unlinked extends Absent {
        @Override
        public List<Device> devices(BackendOptions options) {
            throw new NoClassDefFoundError("uk/ac/NoSuchClass");
        }
    }

    public static final class Uninitialized extends Absent {
        @Override
        public List<Device> devices(BackendOptions options) {
            throw new ExceptionInInitializerError(new UnsupportedOperationException("the driver is too old"));
        }
    }

    public static final class Throwing extends Absent {
        @Override
        public List<Device> devices(BackendOptions options) {
            throw new IllegalArgumentException();
        }
    }

    abstract static class Absent implements Backend {
        @Override
        public List<Device> devices(BackendOptions options) {
            return List.of();
        }
    }
}
