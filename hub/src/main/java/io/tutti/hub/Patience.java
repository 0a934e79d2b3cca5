package io.tutti.hub;

import java.time.Duration;

/**
 * How long a download bears with a hub.
 *
 * @param connect how long a connection may take
 * @param answer how long an answer may take to begin, and to go on once it has
 * @param contacts how often in a row a hub that has not answered yet cannot be reached before it is given up
 * @param attempts how often in a row nothing comes of any other request before it is given up
 * @param firstPause before the second attempt; each further one is twice as long
 * @param longestPause that the hub may ask for
 * @param sleep how to wait
 */
record Patience(
        Duration connect,
        Duration answer,
        int contacts,
        int attempts,
        Duration firstPause,
        Duration longestPause,
        Sleep sleep) {

    /** Waits. */
    interface Sleep {
        void pause(Duration duration) throws InterruptedException;
    }

    static final Patience USUAL = new Patience(
            Duration.ofSeconds(10),
            Duration.ofSeconds(60),
            3,
            6,
            Duration.ofSeconds(1),
            Duration.ofMinutes(5),
            Thread::sleep);
}
