package io.tutti.engine.generate;

import io.tutti.engine.generate.GenerationResult.Finish;
import io.tutti.engine.generate.WrittenText.Part;
import io.tutti.engine.runner.EngineException;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.modelio.tokenizer.TextStream;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.sample.ParallelFor;
import io.tutti.sample.SampledToken;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Generates one text at a time: the prompt in chunks, then token after token. */
public final class Generator {

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
    public GenerationResult generate(
            GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled) {
        if (!request.stopTexts().isEmpty() && tokenizer.isEmpty()) {
            throw new EngineException("a stop text needs a tokenizer, and the model has none; use stop tokens");
        }
        try (ChosenTokens chosen = source.begin(request, listener, cancelled)) {
            return new Run(request, chosen, listener).generate();
        }
    }

    /** The request's, and the ids of stop texts that are special tokens: they stop by id, however they are decoded. */
    private Set<Integer> stopTokens(GenerationRequest request) {
        Set<Integer> ids = new HashSet<>(request.stopTokens());
        for (String text : request.stopTexts()) {
            tokenizer.get().specialToken(text).ifPresent(ids::add);
        }
        return ids;
    }

    /** One text. */
    private final class Run {
        private final GenerationRequest request;
        private final ChosenTokens chosen;
        private final GenerationListener listener;
        private final Set<Integer> stopTokens;
        private final Optional<TextStream> stream;
        /** Empty where no stop text is looked for. */
        private final Optional<WrittenText> written;

        private final StopTexts stops;
        private final StringBuilder text = new StringBuilder();
        private int[] tokens = new int[64];
        private double[] logprobs = new double[64];
        private int count;

        Run(GenerationRequest request, ChosenTokens chosen, GenerationListener listener) {
            this.request = request;
            this.chosen = chosen;
            this.listener = listener;
            stopTokens = stopTokens(request);
            stream = tokenizer.map(t -> t.stream(continued(t), true));
            written = request.stopTexts().isEmpty()
                    ? Optional.empty()
                    : tokenizer.map(t -> new WrittenText(t, continued(t)));
            stops = new StopTexts(request.stopTexts());
        }

        /** The tokens whose text this one continues: the prompt's, or none if a new text begins or the prompt has no text. */
        private int[] continued(Tokenizer tokenizer) {
            int[] prompt = request.prompt();
            return request.ownText() || tokenizer.decode(prompt, true).isEmpty() ? new int[0] : prompt;
        }

        GenerationResult generate() {
            long begin = System.nanoTime();
            Finish finish = next();
            long first = System.nanoTime();
            while (finish == null) {
                finish = next();
            }
            long end = System.nanoTime();
            return result(finish, first - begin, end - first);
        }

        private Finish next() {
            Optional<SampledToken> next = chosen.next();
            return next.isPresent() ? accept(next.get()) : Finish.CANCELLED;
        }

        /** Takes the next token; says why the text ends here, or null if it goes on. */
        private Finish accept(SampledToken next) {
            if (stopTokens.contains(next.id())) {
                return Finish.STOP;
            }
            add(next);
            String fresh = push(stream.map(s -> s.push(next.id())).orElse(""), w -> w.push(next.id()));
            text.append(fresh);
            listener.token(next.id(), fresh);
            if (stops.found()) {
                return Finish.STOP;
            }
            boolean full = request.prompt().length + count >= source.context();
            return count == request.maxTokens() || full ? Finish.LENGTH : null;
        }

        /**
         * Gives the stop texts more of the text; returns what may be handed out.
         *
         * @param shown more of what is shown
         * @param more asks for more of what is written; not called where no stop text is looked for
         */
        private String push(String shown, Function<WrittenText, Part> more) {
            return written.map(text -> stops.push(shown, more.apply(text))).orElseGet(() -> stops.push(shown));
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
            String rest = push(stream.map(TextStream::finish).orElse(""), WrittenText::finish) + stops.finish();
            Finish reason = stops.found() ? Finish.STOP : finish;
            text.append(rest);
            listener.end(rest);
            return new GenerationResult(
                    Arrays.copyOf(tokens, count),
                    request.logprobs() ? Arrays.copyOf(logprobs, count) : new double[0],
                    text.toString(),
                    reason,
                    chosen.reused(),
                    prefillNanos,
                    decodeNanos);
        }
    }
}
