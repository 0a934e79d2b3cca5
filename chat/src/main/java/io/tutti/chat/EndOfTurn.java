package io.tutti.chat;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.tokenizer.Ends.End;
import io.tutti.modelio.tokenizer.Tokenizer;
import java.util.List;
import java.util.Optional;

/**
 * How a chat template ends an answer, which a model that was trained on it writes there too: the special token that follows
 * the assistant's words, or in a template without one the ordinary text between them and the next message.
 *
 * <p>It is found by rendering: first a conversation that ends with an answer, then one in which a question follows, since
 * some templates write the token in one of them only.
 */
public final class EndOfTurn {
    private static final String QUESTION = "tuttiquestion";
    private static final String ANSWER = "tuttianswer";
    private static final String NEXT_QUESTION = "tuttinext";

    /** Text of fewer characters, blanks apart, stands in ordinary answers too. */
    private static final int SHORTEST_TEXT = 3;

    private EndOfTurn() {}

    /** The end of an answer; empty if the template writes nothing after one, or refuses both conversations. */
    public static Optional<End> find(ChatTemplate template, Tokenizer tokenizer) {
        Message question = Message.of("user", QUESTION);
        Message answer = Message.of("assistant", ANSWER);
        Message next = Message.of("user", NEXT_QUESTION);
        Optional<String> atEnd = afterAnswer(template, List.of(question, answer));
        Optional<String> midway = afterAnswer(template, List.of(question, answer, next));
        return atEnd.flatMap(text -> token(text, tokenizer))
                .or(() -> midway.flatMap(text -> token(text, tokenizer)))
                .or(() -> midway.flatMap(EndOfTurn::text));
    }

    private static Optional<String> afterAnswer(ChatTemplate template, List<Message> messages) {
        try {
            String text = template.render(messages, false);
            int answer = text.lastIndexOf(ANSWER);
            return answer < 0 ? Optional.empty() : Optional.of(text.substring(answer + ANSWER.length()));
        } catch (ChatTemplateException e) {
            return Optional.empty();
        }
    }

    /** The special token that {@code text} begins with, blanks apart. */
    private static Optional<End> token(String text, Tokenizer tokenizer) {
        int[] ids;
        try {
            ids = tokenizer.encode(text.strip(), false);
        } catch (ModelException e) {
            return Optional.empty(); // The conversation itself will be refused for it, if it comes to that.
        }
        for (int id : ids) {
            int[] token = {id};
            String written = tokenizer.decode(token, false);
            if (!written.isBlank()) {
                boolean special = tokenizer.decode(token, true).isEmpty();
                return special ? Optional.of(new End.Token(id, written, source())) : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private static Optional<End> text(String text) {
        int question = text.indexOf(NEXT_QUESTION);
        String between = question < 0 ? "" : text.substring(0, question).stripTrailing();
        long length =
                between.codePoints().filter(c -> !Character.isWhitespace(c)).count();
        return length < SHORTEST_TEXT ? Optional.empty() : Optional.of(new End.Text(between, source()));
    }

    private static String source() {
        return "chat template: end of an answer";
    }
}
