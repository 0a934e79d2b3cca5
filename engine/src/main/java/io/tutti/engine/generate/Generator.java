package io.tutti.engine.generate;

import io.tutti.engine.generate.GenerationResult.Finish;
import io.tutti.engine.runner.EngineException;
import io.tutti.engine.runner.ForwardBatch;
import io.tutti.engine.runner.ForwardSeq;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvBlock;
import io.tutti.modelio.tokenizer.TextStream;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.sample.ParallelFor;
import io.tutti.sample.Pcg32;
import io.tutti.sample.SampledToken;
import io.tutti.sample.Sampler;
import io.tutti.sample.SamplerWorkspace;
import io.tutti.sample.Streams;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
        requireRoom(request);
        if (!request.stopTexts().isEmpty() && tokenizer.isEmpty()) {
            throw new EngineException("a stop text needs a tokenizer, and the model has none; use stop tokens");
        }
        List<KvBlock> blocks = new ArrayList<>();
        try {
            return new Run(request, listener, cancelled, blocks).generate();
        } finally {
            runner.pool().release(blocks);
        }
    }

    private void requireRoom(GenerationRequest request) {
        int context = runner.config().maxPositionEmbeddings();
        if (request.prompt().length > context) {
            throw new EngineException("the prompt has " + request.prompt().length
                    + " tokens; accepted: at most the model's context, " + context + " (max_position_embeddings)");
        }
    }

    /** One text. */
    private final class Run {
        private final GenerationRequest request;
        private final GenerationListener listener;
        private final BooleanSupplier cancelled;
        private final List<KvBlock> blocks;
        private final Sampler sampler;
        private final Optional<TextStream> stream;
        private final StopTexts stops;
        private final StringBuilder text = new StringBuilder();
        private int[] tokens = new int[64];
        private double[] logprobs = new double[64];
        private int count;

        Run(GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled, List<KvBlock> blocks) {
            this.request = request;
            this.listener = listener;
            this.cancelled = cancelled;
            this.blocks = blocks;
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
            float[] logits = null;
            for (int start = 0; start < prompt.length; start += chunk) {
                if (cancelled.getAsBoolean()) {
                    return null;
                }
                int end = Math.min(prompt.length, start + chunk);
                logits = step(Arrays.copyOfRange(prompt, start, end), start);
                listener.prefilled(end, prompt.length);
            }
            return logits;
        }

        private float[] decode() {
            return step(new int[] {tokens[count - 1]}, request.prompt().length + count - 1);
        }

        private float[] step(int[] newTokens, int start) {
            int needed = ModelRunner.blocksFor(start + newTokens.length, runner.blockTokens());
            blocks.addAll(runner.pool().alloc(needed - blocks.size()));
            return runner.forward(ForwardBatch.of(new ForwardSeq(newTokens, start, blocks)))
                    .data();
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
            boolean full = request.prompt().length + count >= runner.config().maxPositionEmbeddings();
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
                    prefillNanos,
                    decodeNanos);
        }
    }
}
