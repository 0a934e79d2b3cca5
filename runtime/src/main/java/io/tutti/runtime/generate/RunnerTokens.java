package io.tutti.runtime.generate;

import io.tutti.engine.runner.EngineException;
import io.tutti.engine.runner.Logits;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.sample.ParallelFor;
import io.tutti.sample.SampledToken;
import io.tutti.sample.SamplerWorkspace;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Tokens of a model in this process: the prompt in chunks, then one token after another. */
public final class RunnerTokens implements TokenSource {

    private final ModelRunner runner;
    private final SamplerWorkspace workspace;
    /** Null: each text has its own, and gives its blocks back at its end. */
    private final CachedSequence kept;

    /** @param parallel runs the sampler's exponentials */
    public RunnerTokens(ModelRunner runner, ParallelFor parallel) {
        this(runner, null, parallel);
    }

    /**
     * Keeps the cache from one text to the next: of a prompt, only the tokens that {@code sequence} does not begin with are run.
     * Afterwards {@code sequence} holds the prompt and the tokens chosen after it but for the last one, which is never run.
     *
     * @param sequence of the same runner; closed by its owner
     * @param parallel runs the sampler's exponentials
     */
    public RunnerTokens(ModelRunner runner, CachedSequence sequence, ParallelFor parallel) {
        this.runner = runner;
        kept = sequence;
        workspace = new SamplerWorkspace(runner.config().vocabSize(), parallel);
    }

    @Override
    public int context() {
        return runner.config().context();
    }

    @Override
    public ChosenTokens begin(GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled) {
        if (request.prompt().length > context()) {
            throw new EngineException("the prompt has " + request.prompt().length
                    + " tokens; accepted: at most the model's context, " + context() + " ("
                    + runner.config().contextSource() + ")");
        }
        runner.checkTokens(request.prompt());
        return new Run(request, listener, cancelled);
    }

    /** One text, whose tokens run alone. */
    private final class Run implements ChosenTokens {
        private final GenerationListener listener;
        private final BooleanSupplier cancelled;
        private final CachedSequence cache;
        private final TokenSequence tokens;
        private final int promptLength;
        private final int chunk;
        private final int reused;

        Run(GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled) {
            this.listener = listener;
            this.cancelled = cancelled;
            cache = kept == null ? new CachedSequence(runner) : kept;
            reused = cache.keepPrefixOf(request.prompt());
            tokens = new TokenSequence(request, workspace, reused);
            promptLength = request.prompt().length;
            chunk = Math.min(request.chunk(), runner.engineConfig().maxBatchTokens());
        }

        @Override
        public int reused() {
            return reused;
        }

        @Override
        public Optional<SampledToken> next() {
            Optional<SampledToken> chosen = Optional.empty();
            while (chosen.isEmpty() && !cancelled.getAsBoolean()) {
                int[] next = tokens.next(chunk);
                Logits logits = cache.extend(next, tokens.outputs(next.length));
                if (tokens.isInPrompt()) {
                    listener.prefilled(tokens.position() + next.length, promptLength);
                }
                chosen = tokens.ran(next.length, logits, 0);
            }
            return chosen;
        }

        @Override
        public void close() {
            if (kept == null) {
                cache.close();
            }
        }
    }
}
