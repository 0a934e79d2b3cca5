package io.tutti.engine.backend;

/** What a device is, as far as it matters for the choice between devices. */
public enum DeviceKind {
    /** The processor that the JVM runs on, without a runtime in between. */
    HOST,
    /** A graphics processor. */
    GPU,
    /** A board of another kind, made for computing. */
    ACCELERATOR,
    /** A processor reached through a device runtime; the host's own kernels are faster on it. */
    CPU
}
