package io.tutti.tornado.config;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a device, for example {@code opencl:0}.
 *
 * @param backend what reaches it
 * @param index its place in the backend's own order, from 0
 */
public record DeviceName(BackendKind backend, int index) {
    /** No leading zeros, so that a device has one name only; and no more digits than an int is sure to hold. */
    private static final Pattern FORM = Pattern.compile("([a-z]+):(0|[1-9][0-9]{0,8})");

    public DeviceName {
        if (index < 0) {
            throw new IllegalArgumentException("device index is " + index + "; expected at least 0");
        }
    }

    /** Reads a name as {@link #toString} prints it; empty if it is no such name. */
    public static Optional<DeviceName> parse(String name) {
        Matcher matcher = FORM.matcher(name);
        return matcher.matches()
                ? BackendKind.of(matcher.group(1))
                        .map(backend -> new DeviceName(backend, Integer.parseInt(matcher.group(2))))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return backend + ":" + index;
    }
}
