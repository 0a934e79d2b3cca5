package io.tutti.cli.keep;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;

/** Leaves the terminal: a process in a session of its own gets neither its signals nor its hang-up. */
public final class OwnSession {

    private OwnSession() {}

    /** Does so; a process that leads its group, which the launcher's shell does not make it, stays where it is. */
    @SuppressWarnings("restricted") // as the launcher allows
    public static void begin() {
        Linker linker = Linker.nativeLinker();
        try {
            int _ = (int) linker.downcallHandle(
                            linker.defaultLookup().findOrThrow("setsid"), FunctionDescriptor.of(ValueLayout.JAVA_INT))
                    .invokeExact();
        } catch (Throwable e) {
            throw new AssertionError("setsid", e);
        }
    }
}
