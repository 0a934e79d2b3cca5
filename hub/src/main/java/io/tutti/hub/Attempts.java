package io.tutti.hub;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Counts the attempts at one request in a row that brought nothing, and waits between them. */
final class Attempts {

    /** An answer that may be another the next time. */
    static final class TryAgainException extends IOException {
        private static final long serialVersionUID = 1L;
        private final transient Optional<Duration> after;

        /** @param after how long the hub asked to wait */
        TryAgainException(String problem, Optional<Duration> after) {
            super(problem);
            this.after = after;
        }
    }

    private final String what;
    private final Patience patience;
    private final Consumer<String> waits;
    private int failures;

    /**
     * @param what is requested, for messages
     * @param waits told, before each pause, what is waited for
     */
    Attempts(String what, Patience patience, Consumer<String> waits) {
        this.what = what;
        this.patience = patience;
        this.waits = waits;
    }

    /** Says that something came, so that the count begins anew. */
    void succeeded() {
        failures = 0;
    }

    /**
     * Waits before the next attempt.
     *
     * @throws HubException if there have been enough, another would fail too, or the hub asks for more patience than there
     *     is
     */
    void failed(IOException why) throws InterruptedException {
        String problem = NetworkProblem.of(why);
        Optional<String> remedy = NetworkProblem.remedy(why);
        if (remedy.isPresent()) {
            throw new HubException(what + ": " + problem + "; " + remedy.get(), why);
        }
        failures++;
        if (failures >= patience.attempts()) {
            throw new HubException(
                    what + ": " + problem + ", " + failures + " times; the same command goes on where this one ended",
                    why);
        }
        Duration asked = why instanceof TryAgainException again ? again.after.orElse(Duration.ZERO) : Duration.ZERO;
        if (asked.compareTo(patience.longestPause()) > 0) {
            throw new HubException(
                    what + ": " + problem + ", and is to be asked again in " + asked.toSeconds()
                            + " seconds; the same command goes on then",
                    why);
        }
        Duration own = patience.firstPause().multipliedBy(1L << (failures - 1));
        boolean longer = asked.compareTo(own) > 0;
        waits.accept(what + ": " + problem + "; trying again"
                + (longer ? " in " + asked.toSeconds() + " seconds, as asked" : ""));
        patience.sleep().pause(longer ? asked : own);
    }
}
