package io.tutti.runtime;

/** Receives an answer as it grows. */
public interface ChatListener extends GenerationListener {

    /** Ignores everything. */
    ChatListener NONE = new ChatListener() {};

    /** The oldest turns were forgotten to make room for the answer. */
    default void forgot(int turns) {}
}
