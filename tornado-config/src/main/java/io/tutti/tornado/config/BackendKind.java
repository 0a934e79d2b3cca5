package io.tutti.tornado.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** A backend of TornadoVM that the kernels are written for. Its CUDA and Metal backends are not among them. */
public enum BackendKind {
    OPENCL,
    PTX,
    SPIRV;

    /** The backend of this name, as {@link #toString} prints it; empty if it is none of ours. */
    public static Optional<BackendKind> of(String name) {
        return Arrays.stream(values())
                .filter(kind -> kind.toString().equals(name))
                .findFirst();
    }

    /** {@code opencl, ptx, spirv}. */
    static String names() {
        return Arrays.stream(values()).map(BackendKind::toString).collect(Collectors.joining(", "));
    }

    /** TornadoVM's name for it, in files, modules and device names: {@code opencl}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
