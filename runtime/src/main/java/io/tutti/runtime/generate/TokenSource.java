package io.tutti.runtime.generate;

import java.util.function.BooleanSupplier;

/** What chooses the tokens of texts: a model in this process, or one elsewhere. One thread at a time uses it. */
public interface TokenSource {

    /** Tokens that a sequence may have: the model's context. */
    int context();

    /**
     * Begins a text. The caller ends it, by asking for no more tokens. What the request says of its end is only a hint of how
     * far a source may compute ahead.
     *
     * @param listener is told of the prompt's progress
     * @param cancelled asked before every step
     * @throws io.tutti.engine.runner.EngineException if the prompt is refused
     */
    ChosenTokens begin(GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled);
}
