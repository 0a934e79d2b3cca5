package io.tutti.cli.chat;

import io.tutti.chat.ChatTemplate;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.RefusedException;
import io.tutti.runtime.ModelFiles;
import java.util.List;
import java.util.Map;

/** What commands need of a model's chat template: that there is one, what ends its answers, and its refusals. */
public final class ChatTemplates {

    private ChatTemplates() {}

    /** The refusal of a template, from {@code place}, that makes no tokens of a conversation. */
    public static RefusedException writesNothing(String place) {
        return new RefusedException(
                place + ": makes no tokens of this conversation; accepted: a template that writes its messages");
    }

    /** Says which of {@code variables} do nothing, because the template does not use them. */
    public static void noteUnused(ChatTemplate template, Map<String, Object> variables, Console console) {
        List<String> unused = variables.keySet().stream()
                .filter(name -> !template.mentions(name))
                .toList();
        if (!unused.isEmpty()) {
            console.note(template.place() + ": does not use " + String.join(", ", unused) + ", given by template-var");
        }
    }

    /**
     * The template of a model.
     *
     * @throws RefusedException if it has none
     */
    public static ChatTemplate require(ModelFiles files) {
        return files.chatTemplate()
                .orElseThrow(() -> new RefusedException(files.directory()
                        + ": has no chat template; accepted: a model with chat_template.jinja or with chat_template in"
                        + " tokenizer_config.json, or tutti generate without --chat"));
    }
}
