package io.tutti.hub;

import java.time.Duration;

/**
 * How long a download bears with a hub.
 *
 * @param connect how long a connection may take
 * @param answer how long an answer may take to begin, and to go on once it has
 * @param attempts how often in a row nothing comes of a request before it is given up
 * @param firstPause before the second attempt; each further one is twice as long
 * @param longestPause that the hub may ask for
 * @param sleep how to wait
 */
record Patience(
        Duration connect, Duration answer, int attempts, Duration firstPause, Duration longestPause, Sleep sleep) {

    /** Waits. */
    interface Sleep {
        void pause(Duration duration) throws InterruptedException;
    }

    static final Patience USUAL = new Patience(
            Duration.ofSeconds(20),
            Duration.ofSeconds(60),
            6,
            Duration.ofSeconds(1),
            Duration.ofMinutes(5),
            Thread::sleep);
}
