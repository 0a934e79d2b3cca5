package io.tutti.engine.backend;

import java.util.ServiceConfigurationError;

/** Why something failed, in one line for people. */
public final class Reason {

    private Reason() {}

    /** The first message down the chain of causes that is one, with its kind. */
    public static String of(Throwable thrown) {
        Throwable told = thrown;
        while (told.getCause() != null && (saysNothing(told) || told instanceof ServiceConfigurationError)) {
            told = told.getCause();
        }
        String kind = told.getClass().getSimpleName();
        return saysNothing(told)
                ? kind
                : told.getMessage().strip().lines().findFirst().orElseThrow() + " (" + kind + ")";
    }

    /** An initializer's error, say, has no message of its own. */
    private static boolean saysNothing(Throwable thrown) {
        return thrown.getMessage() == null || thrown.getMessage().isBlank();
    }
}
