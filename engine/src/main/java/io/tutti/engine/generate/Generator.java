package io.tutti.engine.generate;

import io.tutti.engine.generate.GenerationResult.Finish;
import io.tutti.engine.runner.EngineException;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.modelio.tokenizer.TextStream;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.sample.ParallelFor;
import io.tutti.sample.Pcg32;
import io.tutti.sample.SampledToken;
import io.tutti.sample.Sampler;
import io.tutti.sample.SamplerWorkspace;
import io.tutti.sample.Streams;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Generates one text at a time: the prompt in chunks, then token after token. */
public final class Generator {

    private final ModelRunner runner;
    private final Optional<Tokenizer> tokenizer;
    private final SamplerWorkspace workspace;

    /**
     * @param runner the model
     * @param tokenizer turns tokens into text; without one there is no text, and no stop text can be found
     * @param parallel runs the sampler's exponentials
     */
    public Generator(ModelRunner runner, Optional<Tokenizer> tokenizer, ParallelFor parallel) {
        this.runner = runner;
        this.tokenizer = tokenizer;
        workspace = new SamplerWorkspace(runner.config().vocabSize(), parallel);
    }

    /**
     * Generates until a stop token or text, the tokens asked for, the end of the context, or {@code cancelled}. The cache
     * blocks are taken as they are needed, and all given back.
     *
     * @param cancelled asked before every step
     * @throws EngineException if the prompt is refused, or logits are not numbers
     * @throws io.tutti.kv.KvException.Exhausted if the pool has too few blocks
     */
    public GenerationResult generate(
            GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled) {
        try (CachedSequence sequence = new CachedSequence(runner)) {
            return generate(request, sequence, listener, cancelled);
        }
    }

    /**
     * Generates as above, but computes only what of the prompt is not in {@code sequence}, which is the prompt and what was
     * generated afterwards. The last token chosen is never run.
     *
     * @param sequence of the same runner
     */
    public GenerationResult generate(
            GenerationRequest request,
            CachedSequence sequence,
            GenerationListener listener,
            BooleanSupplier cancelled) {
        requireRoom(request);
        runner.checkTokens(request.prompt());
        if (!request.stopTexts().isEmpty() && tokenizer.isEmpty()) {
            throw new EngineException("a stop text needs a tokenizer, and the model has none; use stop tokens");
        }
        return new Run(request, sequence, listener, cancelled).generate();
    }

    private void requireRoom(GenerationRequest request) {
        int context = runner.config().context();
        if (request.prompt().length > context) {
            throw new EngineException("the prompt has " + request.prompt().length
                    + " tokens; accepted: at most the model's context, " + context + " ("
                    + runner.config().contextSource() + ")");
        }
    }

    /** One text. */
    private final class Run {
        private final GenerationRequest request;
        private final CachedSequence sequence;
        private final GenerationListener listener;
        private final BooleanSupplier cancelled;
        private final Sampler sampler;
        private final Optional<TextStream> stream;
        private final StopTexts stops;
        private final StringBuilder text = new StringBuilder();
        private int[] tokens = new int[64];
        private double[] logprobs = new double[64];
        private int count;
        private int reused;

        Run(
                GenerationRequest request,
                CachedSequence sequence,
                GenerationListener listener,
                BooleanSupplier cancelled) {
            this.request = request;
            this.sequence = sequence;
            this.listener = listener;
            this.cancelled = cancelled;
            Pcg32 rng = Streams.stream(request.seed(), Streams.SAMPLE);
            sampler = new Sampler(workspace, request.sampling(), request.prompt(), rng);
            stream = tokenizer.map(Tokenizer::stream);
            stops = new StopTexts(request.stopTexts());
        }

        GenerationResult generate() {
            long begin = System.nanoTime();
            float[] logits = prefill();
            if (logits == null) {
                return result(Finish.CANCELLED, System.nanoTime() - begin, 0);
            }
            Finish finish = accept(logits);
            long first = System.nanoTime();
            while (finish == null) {
                finish = cancelled.getAsBoolean() ? Finish.CANCELLED : accept(decode());
            }
            long end = System.nanoTime();
            return result(finish, first - begin, end - first);
        }

        /** The logits after the prompt, or null if cancelled on the way. */
        private float[] prefill() {
            int[] prompt = request.prompt();
            int chunk = Math.min(request.chunk(), runner.engineConfig().maxBatchTokens());
            reused = sequence.keepPrefixOf(prompt);
            float[] logits = null;
            for (int start = reused; start < prompt.length; start += chunk) {
                if (cancelled.getAsBoolean()) {
                    return null;
                }
                int end = Math.min(prompt.length, start + chunk);
                logits = sequence.extend(Arrays.copyOfRange(prompt, start, end));
                listener.prefilled(end, prompt.length);
            }
            return logits;
        }

        private float[] decode() {
            return sequence.extend(new int[] {tokens[count - 1]});
        }

        /** Chooses the next token; says why the text ends here, or null if it goes on. */
        private Finish accept(float[] logits) {
            SampledToken next = request.logprobs()
                    ? sampler.nextWithLogprob(logits, 0)
                    : new SampledToken(sampler.next(logits, 0), Double.NaN);
            if (request.stopTokens().contains(next.id())) {
                return Finish.STOP;
            }
            add(next);
            String fresh = stops.push(stream.map(s -> s.push(next.id())).orElse(""));
            text.append(fresh);
            listener.token(next.id(), fresh);
            if (stops.found()) {
                return Finish.STOP;
            }
            boolean full = request.prompt().length + count >= runner.config().context();
            return count == request.maxTokens() || full ? Finish.LENGTH : null;
        }

        private void add(SampledToken token) {
            if (count == tokens.length) {
                tokens = Arrays.copyOf(tokens, 2 * count);
                logprobs = Arrays.copyOf(logprobs, 2 * count);
            }
            tokens[count] = token.id();
            logprobs[count++] = token.logprob();
        }

        private GenerationResult result(Finish finish, long prefillNanos, long decodeNanos) {
            String rest = stops.push(stream.map(TextStream::finish).orElse("")) + stops.finish();
            Finish reason = stops.found() ? Finish.STOP : finish;
            text.append(rest);
            listener.end(rest);
            return new GenerationResult(
                    Arrays.copyOf(tokens, count),
                    request.logprobs() ? Arrays.copyOf(logprobs, count) : new double[0],
                    text.toString(),
                    reason,
                    reused,
                    prefillNanos,
                    decodeNanos);
        }
    }
}
