package io.tutti.runtime;

import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.GenerationResult;
import io.tutti.runtime.generate.GenerationResult.Finish;

/**
 * A chat's answer.
 *
 * @param request the conversation, as the chat template writes it
 * @param result the answer
 * @param room tokens that the conversation may have
 */
public record Answer(GenerationRequest request, GenerationResult result, int room) {

    /** What was said. */
    public String text() {
        return result.text();
    }

    /** Tokens of the conversation with the answer. */
    public int length() {
        return request.prompt().length + result.tokens().length;
    }

    /** Whether it ends because there is no more room. */
    public boolean isFull() {
        return result.finish() == Finish.LENGTH && length() >= room;
    }

    /** Whether it was cancelled before its first token; then the conversation is as it was before the message. */
    public boolean isTakenBack() {
        return result.finish() == Finish.CANCELLED && result.tokens().length == 0;
    }
}
