package io.tutti.hub;

import java.util.concurrent.CancellationException;

/** How the end of a thread's work becomes the end of a download. */
final class Interruption {
    private Interruption() {}

    /** What a download that was interrupted throws. */
    static CancellationException cancelled(Exception cause) {
        return (CancellationException) new CancellationException("the download was interrupted").initCause(cause);
    }
}
