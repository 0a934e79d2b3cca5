package io.tutti.runtime.generate;

import io.tutti.sample.SampledToken;
import java.util.Optional;

/** The tokens of one text, each chosen when it is asked for. */
public interface ChosenTokens extends AutoCloseable {

    /** Tokens of the prompt that were in the cache already. */
    int reused();

    /**
     * The next token, with its logprob if the request wants it; empty if the text was cancelled first. The first runs the
     * prompt.
     *
     * @throws io.tutti.engine.runner.EngineException if the model's output is not numbers
     * @throws io.tutti.sample.InvalidLogitsException if no token can be chosen from it
     * @throws io.tutti.kv.KvException.Exhausted if the cache has too few blocks
     */
    Optional<SampledToken> next();

    /** Ends the text: no token is asked for any more. */
    @Override
    void close();
}
