package io.tutti.runtime;

import io.tutti.base.TuttiException;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.Unavailable;
import io.tutti.modelio.ModelException;
import java.util.List;
import java.util.stream.Collectors;

/** There is no such device, or it cannot be used. */
public abstract sealed class DeviceChoiceException extends TuttiException {
    private static final long serialVersionUID = 1;

    private DeviceChoiceException(String message) {
        super(message);
    }

    /** No device has the name that was asked for. */
    public static final class Unknown extends DeviceChoiceException {
        private static final long serialVersionUID = 1;
        private final String name;
        private final transient Devices devices;

        /**
         * @param name what was asked for
         * @param devices what there is
         */
        public Unknown(String name, Devices devices) {
            super("device is " + ModelException.quote(name) + ", which is not there" + reasons(name, devices)
                    + "; accepted: auto, " + names(devices));
            this.name = name;
            this.devices = devices;
        }

        /** What was asked for. */
        public String name() {
            return name;
        }

        /** What there is. */
        public Devices devices() {
            return devices;
        }

        private static String reasons(String name, Devices devices) {
            String reasons =
                    relevant(name, devices).stream().map(Unavailable::text).collect(Collectors.joining("; "));
            return reasons.isEmpty() ? "" : " (" + reasons + ")";
        }

        /** The named backend's reason; all reasons if no backend has that name, since one that fails early has no name yet. */
        private static List<Unavailable> relevant(String name, Devices devices) {
            List<Unavailable> named = devices.unavailable().stream()
                    .filter(backend -> name.startsWith(backend.backend() + ":"))
                    .toList();
            return named.isEmpty() ? devices.unavailable() : named;
        }

        /** Why it is not there, in parentheses after a space; empty if nothing is known. */
        public String reasons() {
            return reasons(name, devices);
        }
    }

    /** The device's self-test finds it broken. */
    public static final class Broken extends DeviceChoiceException {
        private static final long serialVersionUID = 1;

        Broken(String name, String reason, Devices devices) {
            super("device is " + ModelException.quote(name) + ", whose self-test fails: " + reason
                    + "; accepted: auto, or another of " + names(devices));
        }
    }

    /** No device is exact, not even the host. */
    public static final class NoneExact extends DeviceChoiceException {
        private static final long serialVersionUID = 1;

        NoneExact(String passedOver) {
            super("device is auto, and no device is exact" + passedOver);
        }
    }

    /** The names of {@code devices}, for a message. */
    public static String names(Devices devices) {
        return devices.list().stream().map(Device::name).collect(Collectors.joining(", "));
    }
}
