package io.tutti.runtime;

import io.tutti.runtime.generate.GenerationListener;

/** Receives an answer as it grows. */
public interface ChatListener extends GenerationListener {

    /** Ignores everything. */
    ChatListener NONE = new ChatListener() {};

    /** The oldest turns were forgotten to make room for the answer. */
    default void forgot(int turns) {}
}
