package io.tutti.cli.chat;

import io.tutti.chat.ChatTemplate;
import io.tutti.chat.Message;
import io.tutti.cli.console.InvalidOutput;
import io.tutti.cli.console.RefusedException;
import io.tutti.engine.generate.GenerationListener;
import io.tutti.engine.generate.GenerationRequest;
import io.tutti.engine.generate.GenerationResult;
import io.tutti.engine.generate.GenerationResult.Finish;
import io.tutti.engine.generate.Generator;
import io.tutti.engine.generate.TokenSource;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.sample.InvalidLogitsException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A model that answers conversations, as its chat template writes them. What two conversations in a row begin with
 * alike is in the cache, and not computed again.
 */
public final class ChatSession {

    private final Path model;
    private final ChatTemplate template;
    private final Tokenizer tokenizer;
    private final EngineConfig engine;
    private final Generator generator;
    private final int room;

    /**
     * @param model the model's directory, for messages
     * @param source the model, with a cache that stays from one text to the next
     * @param engine how it runs
     */
    public ChatSession(
            Path model, TokenSource source, EngineConfig engine, Tokenizer tokenizer, ChatTemplate template) {
        this.model = model;
        this.engine = engine;
        this.template = template;
        this.tokenizer = tokenizer;
        generator = new Generator(source, Optional.of(tokenizer));
        room = engine.positions(source.context());
    }

    ChatTemplate template() {
        return template;
    }

    /** An answer. */
    record Answer(GenerationRequest request, GenerationResult result) {

        /** Tokens of the conversation with the answer. */
        int length() {
            return request.prompt().length + result.tokens().length;
        }
    }

    /** Tokens that a conversation may have: the context's, or fewer if the cache has no room for them. */
    public int room() {
        return room;
    }

    /**
     * Answers.
     *
     * @param cancelled asked before every step
     * @throws io.tutti.chat.ChatTemplateException if the template refuses the conversation
     * @throws RefusedException if the conversation has become too long, or no token can be chosen from the model's
     *     output
     */
    Answer answer(
            Conversation conversation, Settings settings, GenerationListener listener, BooleanSupplier cancelled) {
        int[] prompt = encode(render(conversation.messages(), settings, true));
        GenerationRequest request = settings.request(prompt, room - prompt.length);
        try {
            return new Answer(request, generator.generate(request, listener, cancelled));
        } catch (InvalidLogitsException e) {
            throw InvalidOutput.refusal(model, engine.kvDtype(), e);
        }
    }

    private String render(List<Message> messages, Settings settings, boolean forAnswer) {
        return template.render(messages, List.of(), forAnswer, settings.variables());
    }

    /**
     * How many of the oldest turns have to go so that the last message can be answered: none while there is room for an answer of
     * {@code --max-tokens}, or of a quarter of the room if that is less; else as many as leave half of the room free.
     *
     * @throws io.tutti.chat.ChatTemplateException if the template refuses what would be left
     */
    int turnsToForget(Conversation conversation, Settings settings) {
        int answer = Math.clamp(room / 4, 1, settings.maxTokens().orElse(room));
        return fits(conversation.messages(), settings, true, room - answer)
                ? 0
                : turnsToHalve(conversation, settings, true);
    }

    /**
     * How many of the oldest turns have to go so that half of the room is free. The last turn always stays.
     *
     * @param forAnswer whether an answer is to follow; if so, and the last turn alone is too long for that, no turn goes
     */
    int turnsToHalve(Conversation conversation, Settings settings, boolean forAnswer) {
        int last = Math.max(0, conversation.turns() - 1);
        if (forAnswer && !fits(conversation.without(last), settings, true, room - 1)) {
            return 0;
        }
        int forgotten = 0;
        while (forgotten < last && !fits(conversation.without(forgotten), settings, forAnswer, room / 2)) {
            forgotten++;
        }
        return forgotten;
    }

    private boolean fits(List<Message> messages, Settings settings, boolean forAnswer, int most) {
        String text = render(messages, settings, forAnswer);
        return tokenizer.leastTokens(text) <= most && tokenizer.encode(text, false).length <= most;
    }

    private int[] encode(String text) {
        // What is too long in any case is not encoded, which would take long too.
        long least = tokenizer.leastTokens(text);
        if (least >= room) {
            throw tooLong("at least " + least);
        }
        int[] prompt = tokenizer.encode(text, false);
        if (prompt.length == 0) {
            throw ChatTemplates.writesNothing(template.place());
        }
        if (prompt.length >= room) {
            throw tooLong(String.valueOf(prompt.length));
        }
        return prompt;
    }

    private RefusedException tooLong(String tokens) {
        return new RefusedException(
                "the conversation has " + tokens + " tokens; accepted: fewer than " + room
                        + ", to leave room for an answer (/reset begins a new conversation, /compact forgets the oldest turns)");
    }

    /** Whether {@code answer} ends since there is no more room. */
    boolean isFull(Answer answer) {
        return answer.result().finish() == Finish.LENGTH && answer.length() >= room;
    }
}
