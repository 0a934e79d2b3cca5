package io.tutti.cli.keep;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;

/** Detaches this process from its terminal, so that neither the terminal's signals nor its closing reach it. */
public final class OwnSession {

    private OwnSession() {}

    /** Starts a session for this process alone. If the process leads its group, which a launched one does not, nothing changes. */
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
