package io.tutti.runtime;

import io.tutti.chat.Message;
import io.tutti.engine.runner.EngineException;
import io.tutti.modelio.tokenizer.Ends;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.Sampling;
import io.tutti.runtime.generate.SamplingParameter;
import io.tutti.runtime.generate.Stops;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds a {@link GenerationRequest} with the defaults of a model: it chooses tokens as generation_config.json says, and ends at
 * the model's end tokens. Without a temperature, there or here, the likeliest token is taken.
 */
public final class RequestBuilder {

    /** New tokens at most, unless {@link #maxTokens} says otherwise. */
    public static final int DEFAULT_MAX_TOKENS = 128;

    private final ModelFiles files;
    private final Map<String, Object> variables = new LinkedHashMap<>();
    private final List<String> stopTexts = new ArrayList<>();
    private int[] tokens = {};
    private List<Message> messages = List.of();
    private int maxTokens = DEFAULT_MAX_TOKENS;
    private Sampling sampling = Sampling.DEFAULTS;
    private long seed;
    private boolean ignoreEnds;
    private boolean logprobs;

    RequestBuilder(ModelFiles files) {
        this.files = files;
    }

    /**
     * Continues {@code text}.
     *
     * @throws PromptException if it has no tokens, or more than the context
     */
    public RequestBuilder prompt(String text) {
        messages = List.of();
        tokens = files.encode(text, true);
        return this;
    }

    /**
     * Continues these token ids.
     *
     * @throws PromptException if there are none, or more than the context, or one is not in the vocabulary
     */
    public RequestBuilder tokens(int... ids) {
        messages = List.of();
        tokens = files.checked(ids.clone());
        return this;
    }

    /** Answers a conversation, as the model's chat template writes it. */
    public RequestBuilder messages(List<Message> conversation) {
        messages = List.copyOf(conversation);
        return this;
    }

    /** A further variable of the chat template, such as {@code enable_thinking}; a plain value, or null. */
    public RequestBuilder templateVariable(String name, Object value) {
        variables.put(name, value);
        return this;
    }

    /** New tokens at most. */
    public RequestBuilder maxTokens(int count) {
        maxTokens = count;
        return this;
    }

    /** 0 takes the likeliest token every time; higher is more varied. */
    public RequestBuilder temperature(double value) {
        return with(SamplingParameter.TEMPERATURE, value);
    }

    /** Chooses among so many likeliest tokens; 0: all. */
    public RequestBuilder topK(int count) {
        return with(SamplingParameter.TOP_K, count);
    }

    /** Chooses among the likeliest tokens that together reach this probability. */
    public RequestBuilder topP(double probability) {
        return with(SamplingParameter.TOP_P, probability);
    }

    /** Chooses among tokens at least this many times as probable as the likeliest. */
    public RequestBuilder minP(double share) {
        return with(SamplingParameter.MIN_P, share);
    }

    /**
     * Any parameter of how tokens are chosen.
     *
     * @throws io.tutti.sample.InvalidSamplingParamException if the value is not accepted
     */
    public RequestBuilder with(SamplingParameter parameter, double value) {
        sampling = sampling.with(parameter, value);
        return this;
    }

    /** The same seed draws the same tokens (default: 0); all 64 bits count. */
    public RequestBuilder seed(long value) {
        seed = value;
        return this;
    }

    /** Ends the text before {@code text}; may be called several times. */
    public RequestBuilder stop(String text) {
        stopTexts.add(text);
        return this;
    }

    /** Goes on after the end tokens of the model, its tokenizer and its chat template. */
    public RequestBuilder ignoreEnds() {
        ignoreEnds = true;
        return this;
    }

    /** Asks for the logprob of each new token. */
    public RequestBuilder logprobs() {
        logprobs = true;
        return this;
    }

    /**
     * The request.
     *
     * @throws PromptException if the prompt has no tokens, or more than the context
     * @throws EngineException if a number is not accepted
     * @throws io.tutti.chat.ChatTemplateException if the template refuses the conversation
     * @throws io.tutti.modelio.ModelException if a file is refused
     */
    public GenerationRequest build() {
        boolean chat = !messages.isEmpty();
        int[] prompt = chat ? files.encode(render(), false) : files.checked(tokens);
        Stops stops = Stops.at(stopTexts);
        if (!ignoreEnds) {
            Ends ends = chat ? files.answerEnds(variables) : files.ends();
            stops = stops.and(Stops.of(ends));
        }
        return new GenerationRequest(
                prompt,
                maxTokens,
                sampling.over(files.generationConfig()).params(),
                seed,
                stops,
                logprobs,
                Integer.MAX_VALUE,
                chat);
    }

    private String render() {
        return files.requireChatTemplate().render(messages, List.of(), true, variables);
    }
}
