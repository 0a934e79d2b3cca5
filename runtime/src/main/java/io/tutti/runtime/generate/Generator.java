package io.tutti.runtime.generate;

import io.tutti.engine.runner.EngineException;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.runtime.generate.GenerationResult.Finish;
import io.tutti.sample.ParallelFor;
import io.tutti.sample.SampledToken;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Generates one text at a time: the prompt in chunks, then token after token. */
public final class Generator implements TextGenerator {

    private final TokenSource source;
    private final Optional<Tokenizer> tokenizer;

    /**
     * @param runner the model
     * @param tokenizer turns tokens into text; without one there is no text, and no stop text can be found
     * @param parallel runs the sampler's exponentials
     */
    public Generator(ModelRunner runner, Optional<Tokenizer> tokenizer, ParallelFor parallel) {
        this(new RunnerTokens(runner, parallel), tokenizer);
    }

    /**
     * @param source chooses the tokens
     * @param tokenizer turns them into text; without one there is no text, and no stop text can be found
     */
    public Generator(TokenSource source, Optional<Tokenizer> tokenizer) {
        this.source = source;
        this.tokenizer = tokenizer;
    }

    /**
     * Generates until a stop token or text, the tokens asked for, the end of the context, or {@code cancelled}. The cache
     * blocks are taken as they are needed, and all given back unless the source keeps them.
     *
     * @param cancelled asked before every step
     * @throws EngineException if the prompt is refused, or logits are not numbers
     * @throws io.tutti.kv.KvException.Exhausted if the pool has too few blocks
     */
    @Override
    public GenerationResult generate(
            GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled) {
        if (!request.stops().texts().isEmpty() && tokenizer.isEmpty()) {
            throw new EngineException("a stop text needs a tokenizer, and the model has none; use stop tokens");
        }
        try (ChosenTokens chosen = source.begin(request, listener, cancelled)) {
            GeneratedText text = new GeneratedText(request, tokenizer, source.context(), listener);
            long begin = System.nanoTime();
            Optional<Finish> finish = next(chosen, text);
            long first = System.nanoTime();
            while (finish.isEmpty()) {
                finish = next(chosen, text);
            }
            return text.end(finish.get(), chosen.reused(), first - begin, System.nanoTime() - first);
        }
    }

    private static Optional<Finish> next(ChosenTokens chosen, GeneratedText text) {
        Optional<SampledToken> next = chosen.next();
        return next.isPresent() ? text.accept(next.get()) : Optional.of(Finish.CANCELLED);
    }
}
