package io.tutti.runtime.generate;

import java.util.function.BooleanSupplier;

/** Generates texts. */
@FunctionalInterface
public interface TextGenerator {

    /**
     * Generates until a stop token or text, the tokens asked for, the end of the context, or {@code cancelled}.
     *
     * @param listener receives the text as it grows, in this thread
     * @param cancelled asked before every step; the text so far is returned
     * @throws io.tutti.base.TuttiException if the request is refused, or no token can be chosen
     */
    GenerationResult generate(GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled);
}
