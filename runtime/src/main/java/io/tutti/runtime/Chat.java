package io.tutti.runtime;

import io.tutti.base.TuttiException;
import io.tutti.chat.ChatTemplate;
import io.tutti.chat.ChatTemplateException;
import io.tutti.chat.Message;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.TextGenerator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A conversation with a model, as its chat template writes it. What two prompts in a row begin with alike is in the cache, and
 * not computed again. One thread at a time uses it.
 */
public final class Chat {

    private final ChatTemplate template;
    private final Tokenizer tokenizer;
    private final TextGenerator generator;
    private final int room;
    private final Conversation conversation;
    private AnswerSettings settings;

    /**
     * @param files the model's
     * @param generator the model, with a cache that stays from one text to the next
     * @param room tokens that the conversation may have
     * @throws io.tutti.modelio.ModelException if the model has no chat template, or no tokenizer
     */
    public Chat(
            ModelFiles files, TextGenerator generator, int room, Conversation conversation, AnswerSettings settings) {
        template = files.requireChatTemplate();
        tokenizer = files.tokenizer();
        this.generator = generator;
        this.room = room;
        this.conversation = conversation;
        this.settings = settings;
    }

    /** What was said so far. */
    public Conversation conversation() {
        return conversation;
    }

    /** How answers are made from here on. */
    public AnswerSettings settings() {
        return settings;
    }

    /** Makes answers like this from here on. */
    public void set(AnswerSettings value) {
        settings = value;
    }

    /** What writes the prompts. */
    public ChatTemplate template() {
        return template;
    }

    /** Tokens that the conversation may have: the context's, or fewer if the cache has no room for them. */
    public int room() {
        return room;
    }

    /** Sets the system prompt from here on; an empty one is none. */
    public Chat system(String prompt) {
        conversation.setSystem(Optional.of(prompt).filter(text -> !text.isEmpty()));
        return this;
    }

    /** {@link #say(String, ChatListener, BooleanSupplier)} for a whole answer. */
    public Answer say(String message) {
        return say(message, ChatListener.NONE, () -> false);
    }

    /**
     * Says {@code message} and returns the answer, both of which the conversation keeps. If it is refused, the message is taken
     * back.
     *
     * @param listener receives the answer as it grows, in this thread
     * @param cancelled asked before every step; the answer so far is kept
     * @throws ConversationTooLongException if there is no room for an answer
     * @throws ChatTemplateException if the template refuses the conversation
     * @throws io.tutti.base.TuttiException as {@link TextGenerator#generate}
     */
    public Answer say(String message, ChatListener listener, BooleanSupplier cancelled) {
        conversation.ask(message);
        return answer(listener, cancelled);
    }

    /** Answers the last message of the conversation, as {@link #say(String, ChatListener, BooleanSupplier)} does. */
    public Answer answer(ChatListener listener, BooleanSupplier cancelled) {
        Answer answer;
        try {
            makeRoom(listener);
            int[] prompt = encode(render(conversation.messages(), true));
            GenerationRequest request = settings.request(prompt, room - prompt.length);
            answer = new Answer(request, generator.generate(request, listener, cancelled), room);
        } catch (TuttiException e) {
            conversation.takeBack();
            throw e;
        }
        if (answer.isTakenBack()) {
            conversation.takeBack();
        } else {
            conversation.answer(answer.text());
        }
        return answer;
    }

    private void makeRoom(ChatListener listener) {
        if (settings.whenFull() == WhenFull.ROLL) {
            int oldest = turnsToForget();
            conversation.forget(oldest);
            if (oldest > 0) {
                listener.forgot(oldest);
            }
        }
    }

    /**
     * Forgets the oldest turns so that half of the room is free. The last turn always stays.
     *
     * @return how many are forgotten
     * @throws ChatTemplateException if the template refuses what would be left
     */
    public int compact() {
        int oldest = conversation.turns() < 2 ? 0 : turnsToHalve(false);
        conversation.forget(oldest);
        return oldest;
    }

    private String render(List<Message> messages, boolean forAnswer) {
        return template.render(messages, List.of(), forAnswer, settings.variables());
    }

    /**
     * How many of the oldest turns have to go so that the last message can be answered: none while there is room for an answer of
     * the tokens allowed, or of a quarter of the room if that is less; else as many as leave half of the room free.
     */
    private int turnsToForget() {
        int answer = Math.clamp(room / 4, 1, settings.maxTokens().orElse(room));
        return fits(conversation.messages(), true, room - answer) ? 0 : turnsToHalve(true);
    }

    /**
     * How many of the oldest turns have to go so that half of the room is free. The last turn always stays.
     *
     * @param forAnswer whether an answer is to follow; if so, and the last turn alone is too long for that, no turn goes
     */
    private int turnsToHalve(boolean forAnswer) {
        int last = Math.max(0, conversation.turns() - 1);
        if (forAnswer && !fits(conversation.without(last), true, room - 1)) {
            return 0;
        }
        int forgotten = 0;
        while (forgotten < last && !fits(conversation.without(forgotten), forAnswer, room / 2)) {
            forgotten++;
        }
        return forgotten;
    }

    private boolean fits(List<Message> messages, boolean forAnswer, int limit) {
        String text = render(messages, forAnswer);
        return tokenizer.leastTokens(text) <= limit && tokenizer.encode(text, false).length <= limit;
    }

    private int[] encode(String text) {
        // Encoding what is certainly too long would take long too.
        long least = tokenizer.leastTokens(text);
        if (least >= room) {
            throw new ConversationTooLongException("at least " + least, room);
        }
        int[] prompt = tokenizer.encode(text, false);
        if (prompt.length == 0) {
            throw writesNothing(template);
        }
        if (prompt.length >= room) {
            throw new ConversationTooLongException(String.valueOf(prompt.length), room);
        }
        return prompt;
    }

    /** The refusal of a template that makes no tokens of a conversation. */
    static ChatTemplateException writesNothing(ChatTemplate template) {
        return new ChatTemplateException(template.place()
                + ": makes no tokens of this conversation; accepted: a template that writes its messages");
    }
}
