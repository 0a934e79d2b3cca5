package io.tutti.runtime.generate;

import io.tutti.engine.runner.EngineException;
import io.tutti.modelio.tokenizer.Ends;
import java.util.ArrayList;
import java.util.List;

/**
 * What ends a text besides its length.
 *
 * @param tokens ids; they are not part of the text that they end
 * @param texts texts that end the text where they begin, special tokens included; none is empty
 */
public record Stops(List<Integer> tokens, List<String> texts) {

    /** Nothing ends the text. */
    public static final Stops NONE = new Stops(List.of(), List.of());

    public Stops {
        tokens = List.copyOf(tokens);
        texts = List.copyOf(texts);
        if (texts.contains("")) {
            throw new EngineException("a stop text is empty; it would end every text");
        }
    }

    /** What the model's files name. */
    public static Stops of(Ends ends) {
        return new Stops(ends.tokenIds(), ends.texts());
    }

    /** What {@code texts} name. */
    public static Stops at(List<String> texts) {
        return new Stops(List.of(), texts);
    }

    /** These and {@code more}. */
    public Stops and(Stops more) {
        List<Integer> allTokens = new ArrayList<>(tokens);
        allTokens.addAll(more.tokens);
        List<String> allTexts = new ArrayList<>(texts);
        allTexts.addAll(more.texts);
        return new Stops(allTokens, allTexts);
    }
}
