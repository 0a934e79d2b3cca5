package io.tutti.cli.chat;

import io.tutti.chat.ChatTemplate;
import io.tutti.chat.EndOfTurn;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.RefusedException;
import io.tutti.engine.model.ModelConfig;
import io.tutti.modelio.tokenizer.Ends;
import io.tutti.modelio.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
     * What ends an answer: what ends every text of the model in {@code directory}, and what its template writes after one. A
     * note says so if nothing does.
     *
     * @param variables further variables of the template
     */
    public static Ends ends(
            Path directory,
            ModelConfig config,
            Tokenizer tokenizer,
            ChatTemplate template,
            Map<String, Object> variables) {
        Ends texts = Ends.of(directory, config.text(), Optional.of(tokenizer));
        Ends answers =
                EndOfTurn.find(template, tokenizer, variables).map(texts::and).orElse(texts);
        return answers.list().isEmpty() && answers.notes().isEmpty()
                ? answers.noting("the model's files name no end of a text, and its chat template no end of an answer")
                : answers;
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
