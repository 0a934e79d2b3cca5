package io.tutti.runtime;

import io.tutti.chat.ChatTemplate;
import io.tutti.chat.EndOfTurn;
import io.tutti.engine.model.ModelConfig;
import io.tutti.modelio.tokenizer.Ends;
import io.tutti.modelio.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** What ends the answers of a chat. */
public final class AnswerEnds {

    private AnswerEnds() {}

    /**
     * What ends an answer: what ends every text of the model in {@code directory}, and what its template writes after one. A
     * note says so if nothing does.
     *
     * @param variables further variables of the template
     */
    public static Ends of(
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
}
