package io.tutti.engine.runner;

import io.tutti.base.TuttiException;

/** The engine refuses a step or an option: one line that names what it refuses, its value, and what it accepts. */
public final class EngineException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public EngineException(String message) {
        super(message);
    }
}
