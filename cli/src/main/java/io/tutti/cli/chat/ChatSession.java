package io.tutti.cli.chat;

import io.tutti.chat.ChatTemplate;
import io.tutti.cli.console.RefusedException;
import io.tutti.engine.generate.CachedSequence;
import io.tutti.engine.generate.GenerationListener;
import io.tutti.engine.generate.GenerationRequest;
import io.tutti.engine.generate.GenerationResult;
import io.tutti.engine.generate.GenerationResult.Finish;
import io.tutti.engine.generate.Generator;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.sample.ParallelFor;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A model that answers conversations, as its chat template writes them. What two conversations in a row begin with alike is
 * in the cache, and not computed again.
 */
public final class ChatSession implements AutoCloseable {

    private final ChatTemplate template;
    private final Tokenizer tokenizer;
    private final Generator generator;
    private final CachedSequence sequence;
    private final int room;

    /** @param parallel runs the sampler's exponentials */
    public ChatSession(ModelRunner runner, Tokenizer tokenizer, ChatTemplate template, ParallelFor parallel) {
        this.template = template;
        this.tokenizer = tokenizer;
        generator = new Generator(runner, Optional.of(tokenizer), parallel);
        sequence = new CachedSequence(runner);
        room = (int) Math.min(
                runner.config().maxPositionEmbeddings(),
                (long) runner.pool().config().blocks() * runner.blockTokens());
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
     * @throws RefusedException if the conversation has become too long
     */
    Answer answer(
            Conversation conversation, Settings settings, GenerationListener listener, BooleanSupplier cancelled) {
        int[] prompt = tokenizer.encode(template.render(conversation.messages(), true), false);
        if (prompt.length == 0) {
            throw new RefusedException("the chat template makes no tokens of the conversation; accepted: at least one");
        }
        if (prompt.length >= room) {
            throw new RefusedException("the conversation has " + prompt.length + " tokens; accepted: fewer than " + room
                    + ", to leave room for an answer (/reset begins a new conversation)");
        }
        GenerationRequest request = settings.request(prompt, room - prompt.length);
        return new Answer(request, generator.generate(request, sequence, listener, cancelled));
    }

    /** Whether {@code answer} ends since there is no more room. */
    boolean isFull(Answer answer) {
        return answer.result().finish() == Finish.LENGTH && answer.length() >= room;
    }

    @Override
    public void close() {
        sequence.close();
    }
}
