package io.tutti.runtime;

import io.tutti.base.TuttiException;

/** A conversation leaves no room for an answer. */
public final class ConversationTooLongException extends TuttiException {
    private static final long serialVersionUID = 1;

    ConversationTooLongException(String tokens, int room) {
        super("the conversation has " + tokens + " tokens; accepted: fewer than " + room
                + ", to leave room for an answer");
    }
}
