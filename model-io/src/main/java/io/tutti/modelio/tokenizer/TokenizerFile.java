package io.tutti.modelio.tokenizer;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.ModelDirectory;
import io.tutti.modelio.json.StrictJson;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A checked tokenizer.json with the added tokens of the files beside it, ready for the native code.
 *
 * @param json the tokenizer's text: the file's own, if the others add nothing
 * @param largestId the largest id of the model's vocabulary and the added tokens
 * @param byteTokens the ids of {@code <0x00>} to {@code <0xFF>}, if the decoder joins such tokens to characters
 * @param reach how much text a token can stand for, if that is certain
 * @param notes on what the files ask for and do not get
 */
record TokenizerFile(
        String json, int largestId, Set<Integer> byteTokens, Optional<TokenReach> reach, List<String> notes) {
    static final String NAME = ModelDirectory.TOKENIZER;
    /** The most bytes that a tokenizer.json may have. */
    static final int LONGEST = 256 << 20;

    private static final String BPE = "BPE";

    TokenizerFile {
        byteTokens = Set.copyOf(byteTokens);
        notes = List.copyOf(notes);
    }

    /**
     * Reads and checks {@code file} and the files beside it.
     *
     * @throws ModelException if it is not a tokenizer.json, or the others cannot be merged into it
     */
    static TokenizerFile read(Path file, LlamaPipeline pipeline) {
        byte[] bytes = StrictJson.readBytes(file, LONGEST);
        TokenizerReading reading = TokenizerReading.of(file, bytes);
        TokenFiles files = TokenFiles.read(file.resolveSibling(""));
        DeclaredTokens declared = DeclaredTokens.of(files);
        reading.padToken().ifPresent(token -> declared.special().addDefaults(Map.of(SpecialTokens.PAD, token)));
        String text = new String(bytes, StandardCharsets.UTF_8);
        return switch (pipeline) {
            case LEGACY -> merged(file, reading, text, files, declared);
            case REBUILT -> rebuilt(file, reading, text, files, declared);
        };
    }

    private static TokenizerFile merged(
            Path file, TokenizerReading reading, String text, TokenFiles files, DeclaredTokens declared) {
        List<AddedToken> tokens = reading.addedTokens();
        List<AddedToken> all =
                AddedVocabulary.merged(tokens, declared.toAdd(reading.addedById(), AddedToken.contents(tokens)));
        if (all.equals(tokens)) {
            return of(reading, text, tokens, reading.addedIds(), files, declared);
        }
        TokenizerText parts = TokenizerText.read(file, text, AddedToken.contents(all));
        Map<String, Integer> ids = AddedVocabulary.ids(all, parts.ids(), parts.vocabularySize());
        return of(reading, parts.withAddedTokens(AddedVocabulary.json(all, ids)), all, ids, files, declared);
    }

    private static TokenizerFile rebuilt(
            Path file, TokenizerReading reading, String text, TokenFiles files, DeclaredTokens declared) {
        if (!reading.type().equals(BPE)) {
            throw ModelException.of(
                    file,
                    "model.type = " + ModelException.quote(reading.type())
                            + " is not what transformers 5 can build a LlamaTokenizer of; accepted: " + BPE);
        }
        String json = RebuiltLlama.json(file, text, files, declared, reading.addedById());
        TokenizerReading again = TokenizerReading.of(file, json.getBytes(StandardCharsets.UTF_8));
        return of(again, json, again.addedTokens(), again.addedIds(), files, declared);
    }

    /**
     * @param added the added tokens that the tokenizer has
     * @param ids theirs, by text
     */
    private static TokenizerFile of(
            TokenizerReading reading,
            String json,
            List<AddedToken> added,
            Map<String, Integer> ids,
            TokenFiles files,
            DeclaredTokens declared) {
        List<String> notes = new ArrayList<>(declared.notes(ids));
        if (Boolean.TRUE.equals(files.config().get(TokenFiles.SPLIT_SPECIAL))) {
            notes.add(TokenFiles.CONFIG + ": " + TokenFiles.SPLIT_SPECIAL
                    + " = true is not applied; special tokens are found in a text");
        }
        int largest = ids.values().stream().reduce(reading.largestId(), Math::max);
        return new TokenizerFile(json, largest, reading.byteTokens(), reading.reach(added), notes);
    }
}
