package io.tutti.engine.backend;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * What this machine offers to run programs on.
 *
 * @param list the devices of all backends on the class path, the host's first
 * @param unavailable what cannot be used, and why
 */
public record Devices(List<Device> list, List<Unavailable> unavailable) {

    /** The name of the device that is always there: the processor that the JVM runs on. */
    public static final String HOST = "host";

    private static final int MOST_FAILURES = 16;

    public Devices {
        list = list.stream()
                .sorted(Comparator.comparing(device -> device.kind() != DeviceKind.HOST))
                .toList();
        unavailable = List.copyOf(unavailable);
    }

    /** Asks every backend on the class path. One that fails is unavailable and takes no other down. */
    public static Devices find(BackendOptions options) {
        return find(ServiceLoader.load(Backend.class), options);
    }

    /** The devices alone, the host's first. */
    public static List<Device> all(BackendOptions options) {
        return find(options).list();
    }

    static Devices find(ServiceLoader<Backend> loader, BackendOptions options) {
        List<Device> devices = new ArrayList<>();
        List<Unavailable> unavailable = new ArrayList<>();
        Iterator<ServiceLoader.Provider<Backend>> providers = loader.stream().iterator();
        boolean more = true;
        // The loader goes on after a provider that it cannot load, but does not promise to get past it.
        while (more && unavailable.size() < MOST_FAILURES) {
            String name = "unknown";
            try {
                more = providers.hasNext();
                if (more) {
                    ServiceLoader.Provider<Backend> provider = providers.next();
                    name = provider.type().getSimpleName();
                    Backend backend = provider.get();
                    devices.addAll(backend.devices(options));
                    unavailable.addAll(backend.unavailable());
                }
            } catch (RuntimeException | ServiceConfigurationError | LinkageError e) {
                unavailable.add(new Unavailable(name, Reason.of(e)));
            }
        }
        return new Devices(devices, unavailable);
    }

    /** Whether no backend but the host's is on the class path. */
    public boolean hostOnly() {
        return unavailable.isEmpty() && list.stream().allMatch(device -> device.kind() == DeviceKind.HOST);
    }

    /** The device of this name. */
    public Optional<Device> named(String name) {
        return list.stream().filter(device -> device.name().equals(name)).findFirst();
    }
}
