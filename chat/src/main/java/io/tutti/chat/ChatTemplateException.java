package io.tutti.chat;

import io.tutti.jinja.JinjaException;

/**
 * A chat template cannot be used, or refused a conversation. The message is one line that names the template's file and
 * what is wrong; it is meant for the user as it is.
 */
public final class ChatTemplateException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int LONGEST_PROBLEM = 300;

    ChatTemplateException(String message) {
        super(message);
    }

    private ChatTemplateException(String message, Throwable cause) {
        super(message, cause);
    }

    /** {@code PLACE: line N: what is wrong}; templates are untrusted, and so are the words of their errors. */
    static ChatTemplateException of(String place, JinjaException e) {
        String line = e.line() > 0 ? "line " + e.line() + ": " : "";
        String problem = e.getMessage().isBlank() ? "it raises an error without a message" : oneLine(e.getMessage());
        return new ChatTemplateException(place + ": " + line + problem, e);
    }

    private static String oneLine(String text) {
        StringBuilder line = new StringBuilder();
        text.codePoints().limit(LONGEST_PROBLEM).forEach(c -> {
            boolean printable = !Character.isISOControl(c) && c != 0x2028 && c != 0x2029;
            line.appendCodePoint(printable ? c : ' ');
        });
        return line.append(text.codePointCount(0, text.length()) > LONGEST_PROBLEM ? "…" : "")
                .toString();
    }
}
