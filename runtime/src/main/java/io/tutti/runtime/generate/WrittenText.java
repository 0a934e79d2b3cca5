package io.tutti.runtime.generate;

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
        String text = stream.push(id);
        int special = tokenizer.isSpecial(id)
                ? tokenizer.decode(new int[] {id}, false).length()
                : 0;
        return new Part(text, Math.min(text.length(), special));
    }

    /** The rest of the text, when no token follows. */
    Part finish() {
        return new Part(stream.finish(), 0);
    }
}
