package io.tutti.runtime;

/** What a chat does with a message for which there is no room. */
public enum WhenFull {
    /** Refuses it. */
    STOP,
    /** Forgets the oldest turns. */
    ROLL
}
