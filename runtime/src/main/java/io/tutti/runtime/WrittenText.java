package io.tutti.runtime;

import io.tutti.modelio.tokenizer.TextStream;
import io.tutti.modelio.tokenizer.Tokenizer;

/** A text as the model writes it, special tokens included, while it grows token by token. */
final class WrittenText {

    private final Tokenizer tokenizer;
    private final TextStream stream;

    WrittenText(Tokenizer tokenizer, int[] prompt) {
        this.tokenizer = tokenizer;
        stream = tokenizer.stream(prompt, false);
    }

    /**
     * More of a text.
     *
     * @param hidden how many of the last characters belong to a special token, which is not shown
     */
    record Part(String text, int hidden) {}

    /** Takes the next token; returns the text that is certain now, often empty. */
    Part push(int id) {
        int[] token = {id};
        boolean special = tokenizer.decode(token, true).isEmpty();
        String text = stream.push(id);
        return new Part(
                text,
                special ? Math.min(text.length(), tokenizer.decode(token, false).length()) : 0);
    }

    /** The rest of the text, when no token follows. */
    Part finish() {
        return new Part(stream.finish(), 0);
    }
}
