package io.tutti.modelio.tokenizer;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.TextConfig;
import io.tutti.modelio.tokenizer.Ends.End.Text;
import io.tutti.modelio.tokenizer.Ends.End.Token;
import io.tutti.modelio.tokenizer.NamedTokens.Named;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What ends the texts of a model: the tokens that its configuration names, the tokenizer's end token, and in a chat what its
 * template writes after an answer. Each end knows its source.
 *
 * @param vocabSize tokens of the model
 * @param list the ends, each once
 * @param notes on ends that the files name and that cannot end a text
 */
public record Ends(int vocabSize, List<End> list, List<String> notes) {

    /** One end. */
    public sealed interface End {
        /** What is written there; empty if only the id is known. */
        String text();

        /** The file and key that name it, or what else does. */
        String source();

        /** A token, which is not part of the text that it ends. */
        record Token(int id, String text, String source) implements End {}

        /** Ordinary text; what is shown ends before it. */
        record Text(String text, String source) implements End {}
    }

    public Ends {
        list = List.copyOf(list);
        notes = List.copyOf(notes);
    }

    /** A model that nothing ends. */
    public static Ends none(TextConfig config) {
        return new Ends(config.vocabSize(), List.of(), List.of());
    }

    /**
     * What ends every text of the model in {@code directory}.
     *
     * @param tokenizer the model's; without one the configuration alone counts
     * @throws ModelException if a file that names tokens cannot be read
     */
    public static Ends of(Path directory, TextConfig config, Optional<Tokenizer> tokenizer) {
        Ends ends = none(config);
        for (int id : config.eosTokenIds()) {
            String text = tokenizer
                    .filter(_ -> id < config.vocabSize())
                    .map(known -> known.decode(new int[] {id}, false))
                    .orElse("");
            ends = ends.and(new Token(id, text, config.eosFile() + ": eos_token_id"));
        }
        Optional<Named> named =
                tokenizer.flatMap(_ -> NamedTokens.read(directory).find(NamedTokens.END));
        return named.isPresent() ? ends.and(named.get(), tokenizer.get()) : ends;
    }

    /** These ends and the tokenizer's own. */
    private Ends and(Named token, Tokenizer tokenizer) {
        String source = token.file().getFileName() + ": " + NamedTokens.END;
        OptionalInt id = tokenizer.specialToken(token.text());
        return id.isPresent()
                ? and(new Token(id.getAsInt(), token.text(), source))
                : noting(source + " = " + ModelException.quote(token.text())
                        + " is no special token of the tokenizer, so it ends nothing");
    }

    /** These ends and another. A token that the model does not have becomes a note instead. */
    public Ends and(End end) {
        if (end instanceof Token token && token.id() >= vocabSize) {
            String text = token.text().isEmpty() ? "" : " (" + ModelException.quote(token.text()) + ")";
            return noting(token.source() + " is " + token.id() + text + ", and the model has " + vocabSize
                    + " tokens, so it ends nothing");
        }
        List<End> all = new ArrayList<>(list);
        for (int i = 0; i < all.size(); i++) {
            if (isSame(all.get(i), end)) {
                all.set(i, named(all.get(i), all.get(i).source() + "; " + end.source()));
                return new Ends(vocabSize, all, notes);
            }
        }
        all.add(end);
        return new Ends(vocabSize, all, notes);
    }

    private static boolean isSame(End one, End other) {
        return switch (one) {
            case Token token -> other instanceof Token also && token.id() == also.id();
            case Text text -> other instanceof Text also && text.text().equals(also.text());
        };
    }

    private static End named(End end, String source) {
        return switch (end) {
            case Token token -> new Token(token.id(), token.text(), source);
            case Text text -> new Text(text.text(), source);
        };
    }

    /** These ends with a further note. */
    public Ends noting(String note) {
        List<String> more = new ArrayList<>(notes);
        more.add(note);
        return new Ends(vocabSize, list, more);
    }

    /** The notes; if there are some and nothing ends a text, a further one says that. */
    @Override
    public List<String> notes() {
        if (notes.isEmpty() || !list.isEmpty()) {
            return notes;
        }
        List<String> all = new ArrayList<>(notes);
        all.add("no token ends the text; --max-tokens and --stop do");
        return all;
    }

    /** The ids of the tokens. */
    public List<Integer> tokenIds() {
        return list.stream()
                .filter(Token.class::isInstance)
                .map(end -> ((Token) end).id())
                .toList();
    }

    /** The ordinary texts. */
    public List<String> texts() {
        return list.stream().filter(Text.class::isInstance).map(End::text).toList();
    }
}
