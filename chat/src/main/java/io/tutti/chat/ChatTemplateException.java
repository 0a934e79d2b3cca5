package io.tutti.chat;

import java.nio.file.Path;

/**
 * A chat template cannot be used, or refused a conversation. The message is one line that names the template's file and
 * what is wrong; it is meant for the user as it is.
 */
public final class ChatTemplateException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ChatTemplateException(String message, Throwable cause) {
        super(message, cause);
    }

    /** {@code FILE: what is wrong}. */
    static ChatTemplateException of(Path file, String problem) {
        return new ChatTemplateException(file + ": " + problem, null);
    }
}
