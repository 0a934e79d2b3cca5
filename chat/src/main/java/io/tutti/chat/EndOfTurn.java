package io.tutti.chat;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.tokenizer.Ends.End;
import io.tutti.modelio.tokenizer.Tokenizer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a chat template writes after an answer: the special token that follows the assistant's words, or if the template has
 * none, the ordinary text there. A model that was trained on the template writes it there too.
 *
 * <p>It is found by rendering: first a conversation that ends with an answer, then one in which a question follows, because
 * some templates write the token in only one of them. A token that the template also writes inside an answer, between its
 * reasoning and its words, ends nothing.
 */
public final class EndOfTurn {
    private static final String QUESTION = "tuttiquestion";
    private static final String REASONING = "tuttireasoning";
    private static final String ANSWER = "tuttianswer";
    private static final String NEXT_QUESTION = "tuttinext";

    /** A shorter text, blanks apart, may well stand in ordinary answers. */
    private static final int SHORTEST_TEXT = 3;

    private static final Message ASKED = Message.of("user", QUESTION);
    private static final Message ANSWERED = Message.of("assistant", ANSWER);

    private final ChatTemplate template;
    private final Tokenizer tokenizer;
    private final Map<String, Object> variables;

    private EndOfTurn(ChatTemplate template, Tokenizer tokenizer, Map<String, Object> variables) {
        this.template = template;
        this.tokenizer = tokenizer;
        this.variables = variables;
    }

    /**
     * The end of an answer; empty if the template writes nothing after one, or refuses both conversations.
     *
     * @param variables further variables of the template
     */
    public static Optional<End> find(ChatTemplate template, Tokenizer tokenizer, Map<String, Object> variables) {
        return new EndOfTurn(template, tokenizer, variables).find();
    }

    private Optional<End> find() {
        Optional<String> atEnd = afterAnswer(List.of(ASKED, ANSWERED));
        Optional<String> midway = afterAnswer(List.of(ASKED, ANSWERED, Message.of("user", NEXT_QUESTION)));
        return atEnd.flatMap(this::token).or(() -> midway.flatMap(this::token)).or(() -> text(atEnd, midway));
    }

    private Optional<String> afterAnswer(List<Message> messages) {
        return render(messages)
                .filter(text -> text.contains(ANSWER))
                .map(text -> text.substring(text.lastIndexOf(ANSWER) + ANSWER.length()));
    }

    private Optional<String> render(List<Message> messages) {
        try {
            return Optional.of(template.render(messages, List.of(), false, variables));
        } catch (ChatTemplateException _) {
            return Optional.empty();
        }
    }

    /** The special token that {@code text} begins with, blanks apart. */
    private Optional<End> token(String text) {
        int[] ids;
        try {
            ids = tokenizer.encode(text.strip(), false);
        } catch (ModelException _) {
            return Optional.empty(); // A conversation with such a text is refused when it is encoded.
        }
        for (int id : ids) {
            String written = tokenizer.decode(new int[] {id}, false);
            if (!written.isBlank()) {
                return tokenizer.isSpecial(id) && !insideAnswer().contains(written)
                        ? Optional.of(new End.Token(id, written, source()))
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }

    /** What stands between an answer's reasoning and its words; empty in a template that leaves reasoning out. */
    private String insideAnswer() {
        Map<String, Object> fields = new LinkedHashMap<>(ANSWERED.fields());
        fields.put("reasoning_content", REASONING);
        String text = render(List.of(ASKED, new Message(fields))).orElse("");
        int reasoning = text.lastIndexOf(REASONING);
        int answer = text.lastIndexOf(ANSWER);
        return reasoning < 0 || answer < reasoning ? "" : text.substring(reasoning, answer);
    }

    /** The text that follows an answer in both conversations, or else the text between an answer and the next question. */
    private static Optional<End> text(Optional<String> atEnd, Optional<String> midway) {
        return atEnd.map(String::stripTrailing)
                .filter(text -> isDistinct(text) && midway.orElse(text).startsWith(text))
                .or(() -> midway.filter(text -> text.contains(NEXT_QUESTION))
                        .map(text ->
                                text.substring(0, text.indexOf(NEXT_QUESTION)).stripTrailing())
                        .filter(EndOfTurn::isDistinct))
                .map(text -> new End.Text(text, source()));
    }

    private static boolean isDistinct(String text) {
        return text.codePoints().filter(c -> !Character.isWhitespace(c)).count() >= SHORTEST_TEXT;
    }

    private static String source() {
        return "chat template: end of an answer";
    }
}
