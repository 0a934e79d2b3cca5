package io.tutti.modelio.tokenizer;

import java.util.List;
import java.util.OptionalInt;

/** Text to token ids and back. Implementations may be used from several threads, one {@link TextStream} by one only. */
public interface Tokenizer extends AutoCloseable {
    /**
     * The ids of {@code text}. Special tokens that stand in the text are found either way.
     *
     * @param addSpecial whether to add the special tokens that the tokenizer puts around a prompt; a rendered chat
     *     template has its own
     * @throws io.tutti.modelio.ModelException if the text holds half a surrogate pair, or something that the tokenizer
     *     or the model's vocabulary has no token for
     */
    int[] encode(String text, boolean addSpecial);

    /**
     * A lower bound of the number of tokens of {@code text}, found without encoding it, so that a text that is far too long
     * for a context is recognized at once. 0 if nothing is certain.
     *
     * @throws io.tutti.modelio.ModelException if the text holds half a surrogate pair
     */
    long leastTokens(String text);

    /** What is odd about the tokenizer's files, though it runs; to be shown once the model has loaded. */
    default List<String> notes() {
        return List.of();
    }

    /** The ids of {@code text}, with the special tokens that the tokenizer puts around a prompt. */
    default int[] encode(String text) {
        return encode(text, true);
    }

    /**
     * The text of {@code ids}. Bytes that are not UTF-8 become U+FFFD.
     *
     * @param skipSpecial whether special tokens are left out
     */
    String decode(int[] ids, boolean skipSpecial);

    /**
     * The id of the special token that is written as {@code text}, no more and no less; empty if there is none. The model
     * need not have a logit for it.
     */
    OptionalInt specialToken(String text);

    /** Whether {@code id} is a special token with a text: one that is seen only where special tokens are not left out. */
    default boolean isSpecial(int id) {
        int[] token = {id};
        return decode(token, true).isEmpty() && !decode(token, false).isEmpty();
    }

    /** A new stream, for one text that grows token by token; special tokens are left out. */
    default TextStream stream() {
        return stream(true);
    }

    /**
     * A new stream, for one text that grows token by token.
     *
     * @param skipSpecial whether special tokens are left out
     */
    default TextStream stream(boolean skipSpecial) {
        return stream(new int[0], skipSpecial);
    }

    /**
     * A new stream for the text that continues {@code prompt} token by token. It gives what the continuation adds to the
     * text of the prompt: the space between "France is" and " Paris" is kept, which some tokenizers drop at the start of
     * a text.
     *
     * @param prompt the tokens before the text; without any, the stream begins a text
     * @param skipSpecial whether special tokens are left out
     */
    TextStream stream(int[] prompt, boolean skipSpecial);

    @Override
    void close();
}
