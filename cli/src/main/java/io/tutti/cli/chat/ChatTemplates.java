package io.tutti.cli.chat;

import io.tutti.chat.ChatTemplate;
import io.tutti.cli.console.RefusedException;
import java.nio.file.Path;

/** The chat template of a model that is to chat. */
public final class ChatTemplates {

    private ChatTemplates() {}

    /** The refusal of a template, from {@code place}, that makes no tokens of a conversation. */
    public static RefusedException writesNothing(String place) {
        return new RefusedException(
                place + ": makes no tokens of this conversation; accepted: a template that writes its messages");
    }

    /**
     * The template of the model in {@code directory}.
     *
     * @throws RefusedException if it has none
     */
    public static ChatTemplate require(Path directory) {
        return ChatTemplate.find(directory)
                .orElseThrow(() -> new RefusedException(directory
                        + ": has no chat template; accepted: a model with chat_template.jinja or with chat_template in"
                        + " tokenizer_config.json, or tutti generate without --chat"));
    }
}
