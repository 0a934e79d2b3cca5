package io.tutti.runtime.generate;

import io.tutti.modelio.tokenizer.TextStream;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.runtime.generate.GenerationResult.Finish;
import io.tutti.runtime.generate.WrittenText.Part;
import io.tutti.sample.SampledToken;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** One text while it grows: takes the tokens that are chosen, hands out what is certain of it, and knows where it ends. */
final class GeneratedText {

    private final GenerationRequest request;
    private final GenerationListener listener;
    private final int context;
    private final Set<Integer> stopTokens;
    private final Optional<TextStream> stream;
    /** Empty where no stop text is looked for. */
    private final Optional<WrittenText> written;

    private final StopTexts stops;
    private final StringBuilder text = new StringBuilder();
    private int[] tokens = new int[64];
    private double[] logprobs = new double[64];
    private int count;

    /**
     * @param tokenizer turns tokens into text; needed for stop texts
     * @param context tokens that prompt and text may have together
     * @param listener receives the text
     */
    GeneratedText(GenerationRequest request, Optional<Tokenizer> tokenizer, int context, GenerationListener listener) {
        this.request = request;
        this.listener = listener;
        this.context = context;
        stopTokens = new HashSet<>(request.stops().tokens());
        // A stop text that is a special token stops by id, however it is decoded.
        request.stops()
                .texts()
                .forEach(stop -> tokenizer.orElseThrow().specialToken(stop).ifPresent(stopTokens::add));
        stream = tokenizer.map(t -> t.stream(continued(t), true));
        written = request.stops().texts().isEmpty()
                ? Optional.empty()
                : tokenizer.map(t -> new WrittenText(t, continued(t)));
        stops = new StopTexts(request.stops().texts());
    }

    /** The tokens whose text this one continues: the prompt's, or none if a new text begins or the prompt has no text. */
    private int[] continued(Tokenizer tokenizer) {
        int[] prompt = request.prompt();
        return request.ownText() || tokenizer.decode(prompt, true).isEmpty() ? new int[0] : prompt;
    }

    /** Takes the next token; returns why the text ends here, or nothing if it goes on. */
    Optional<Finish> accept(SampledToken next) {
        if (stopTokens.contains(next.id())) {
            return Optional.of(Finish.STOP);
        }
        add(next);
        String fresh = push(stream.map(s -> s.push(next.id())).orElse(""), w -> w.push(next.id()));
        text.append(fresh);
        listener.token(next.id(), fresh);
        if (stops.found()) {
            return Optional.of(Finish.STOP);
        }
        boolean full = request.prompt().length + count >= context;
        return count == request.maxTokens() || full ? Optional.of(Finish.LENGTH) : Optional.empty();
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

    /**
     * Ends the text and hands out its rest, which may hold a stop text.
     *
     * @param finish why it ends
     * @param reused tokens of the prompt that were in the cache
     */
    GenerationResult end(Finish finish, int reused, long prefillNanos, long decodeNanos) {
        String rest = push(stream.map(TextStream::finish).orElse(""), WrittenText::finish) + stops.finish();
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
