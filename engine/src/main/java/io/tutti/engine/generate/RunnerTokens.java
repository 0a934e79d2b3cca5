package io.tutti.engine.generate;

import io.tutti.engine.runner.EngineException;
import io.tutti.engine.runner.Logits;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.sample.InvalidLogitsException;
import io.tutti.sample.ParallelFor;
import io.tutti.sample.SampledToken;
import io.tutti.sample.Sampler;
import io.tutti.sample.SamplerWorkspace;
import io.tutti.sample.Streams;
import java.util.Arrays;
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

    /** One text. */
    private final class Run implements ChosenTokens {
        private final GenerationRequest request;
        private final GenerationListener listener;
        private final BooleanSupplier cancelled;
        private final CachedSequence sequence;
        private final Sampler sampler;
        private final int reused;
        private int last = -1;

        Run(GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled) {
            this.request = request;
            this.listener = listener;
            this.cancelled = cancelled;
            sequence = kept == null ? new CachedSequence(runner) : kept;
            sampler = new Sampler(
                    workspace, request.sampling(), request.prompt(), Streams.stream(request.seed(), Streams.SAMPLE));
            reused = sequence.keepPrefixOf(request.prompt());
        }

        @Override
        public int reused() {
            return reused;
        }

        @Override
        public Optional<SampledToken> next() {
            Logits logits = last < 0 ? prefill() : decode();
            if (logits == null) {
                return Optional.empty();
            }
            SampledToken next = sample(logits);
            last = next.id();
            return Optional.of(next);
        }

        private SampledToken sample(Logits logits) {
            float[] row = logits.unchecked();
            try {
                return request.logprobs()
                        ? sampler.nextWithLogprob(row, 0)
                        : new SampledToken(sampler.next(row, 0), Double.NaN);
            } catch (InvalidLogitsException e) {
                logits.data(); // says more of a row that the model spoilt
                throw e;
            }
        }

        /** The logits after the prompt, or null if cancelled on the way. */
        private Logits prefill() {
            int[] prompt = request.prompt();
            int chunk = Math.min(request.chunk(), runner.engineConfig().maxBatchTokens());
            Logits logits = null;
            for (int start = reused; start < prompt.length; start += chunk) {
                if (cancelled.getAsBoolean()) {
                    return null;
                }
                int end = Math.min(prompt.length, start + chunk);
                logits = sequence.extend(Arrays.copyOfRange(prompt, start, end), end == prompt.length ? 1 : 0);
                listener.prefilled(end, prompt.length);
            }
            return logits;
        }

        private Logits decode() {
            return cancelled.getAsBoolean() ? null : sequence.extend(new int[] {last}, 1);
        }

        @Override
        public void close() {
            if (kept == null) {
                sequence.close();
            }
        }
    }
}
