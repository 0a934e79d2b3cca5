package io.tutti.modelio.tokenizer;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import io.tutti.modelio.ModelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A tokenizer.json with the added tokens of the files beside it, run by Hugging Face's own library: the special tokens of
 * the post-processor unless they are not wanted, no truncation, no padding. That is what transformers' {@code
 * PreTrainedTokenizerFast} does; golden/spec/tokenizer.md says where a class of a model's own does something else. It must
 * not be closed while it is used.
 */
public final class HuggingFaceTokenizer implements Tokenizer {
    private static final int LONGEST_REASON = 200;

    private final Path file;
    private final int vocabSize;
    private final TokenizersLibrary library;
    private final Set<Integer> byteTokens;
    private final Optional<TokenReach> reach;
    private final List<String> notes;
    private final AtomicLong handle;

    private HuggingFaceTokenizer(
            Path file, int vocabSize, TokenizersLibrary library, TokenizerFile contents, long handle) {
        this.file = file;
        this.vocabSize = vocabSize;
        this.library = library;
        byteTokens = contents.byteTokens();
        reach = contents.reach();
        notes = notes(contents, vocabSize);
        this.handle = new AtomicLong(handle);
    }

    /**
     * Opens {@code file} and the files beside it for a model of {@code vocabSize} tokens. Tokens that the model does not
     * have are refused only where a text holds them.
     *
     * @throws ModelException if the file is not a tokenizer, the others cannot be merged into it, or this system has no
     *     native library
     */
    public static HuggingFaceTokenizer open(Path file, int vocabSize) {
        return open(file, vocabSize, LlamaPipeline.LEGACY);
    }

    /** As above, with the pipeline that a {@code LlamaTokenizer} is to have. */
    static HuggingFaceTokenizer open(Path file, int vocabSize, LlamaPipeline pipeline) {
        TokenizerFile contents = TokenizerFile.read(file, pipeline);
        TokenizersLibrary library = NativeTokenizers.library();
        try {
            long handle = library.createTokenizerFromString(contents.json());
            library.disableTruncation(handle);
            library.disablePadding(handle);
            return new HuggingFaceTokenizer(file, vocabSize, library, contents, handle);
        } catch (RuntimeException e) {
            throw refusal(file, "is not a tokenizer that can be used", e);
        }
    }

    private static List<String> notes(TokenizerFile contents, int vocabSize) {
        List<String> notes = new ArrayList<>(contents.notes());
        if (contents.largestId() >= vocabSize) {
            notes.add("the tokenizer has ids up to " + contents.largestId() + ", and the model's vocabulary has only "
                    + vocabSize + " tokens; a text with another one is refused");
        }
        return notes;
    }

    @Override
    public List<String> notes() {
        return notes;
    }

    @Override
    public int[] encode(String text, boolean addSpecial) {
        Utf8.encode(text); // Native code would put a question mark in place of half a pair.
        int[] ids = Arrays.stream(encodeNatively(text, addSpecial))
                .mapToInt(Math::toIntExact)
                .toArray();
        for (int id : ids) {
            if (id >= vocabSize) {
                throw ModelException.of(
                        file,
                        "the text has the token " + ModelException.quote(decode(new int[] {id}, false)) + ", id " + id
                                + "; the model's vocabulary has only " + vocabSize + " tokens");
            }
        }
        return ids;
    }

    @Override
    public long leastTokens(String text) {
        return reach.map(bound -> bound.leastTokens(Utf8.encode(text))).orElse(0L);
    }

    @Override
    public String decode(int[] ids, boolean skipSpecial) {
        return library.decode(openHandle(), Arrays.stream(ids).asLongStream().toArray(), skipSpecial);
    }

    @Override
    public OptionalInt specialToken(String text) {
        long[] ids = text.isBlank() ? new long[0] : encodeNatively(text, false);
        // Blanks beside it would go unseen: some tokens are matched with those around them.
        if (ids.length != 1 || !text.equals(text.strip())) {
            return OptionalInt.empty();
        }
        int id = Math.toIntExact(ids[0]);
        return isSpecial(id) ? OptionalInt.of(id) : OptionalInt.empty();
    }

    @Override
    public TextStream stream(int[] prompt, boolean skipSpecial) {
        return new TextStream(this, prompt, skipSpecial, id -> mayChange(id, skipSpecial));
    }

    /** A byte's text depends on the bytes after it, and tokens without text may stand between them. */
    private boolean mayChange(int id, boolean skipSpecial) {
        return !byteTokens.isEmpty()
                && (byteTokens.contains(id)
                        || decode(new int[] {id}, skipSpecial).isEmpty());
    }

    @Override
    public void close() {
        long open = handle.getAndSet(0);
        if (open != 0) {
            library.deleteTokenizer(open);
        }
    }

    private long[] encodeNatively(String text, boolean addSpecial) {
        long open = openHandle();
        long encoding;
        try {
            encoding = library.encode(open, text, addSpecial);
        } catch (RuntimeException e) {
            throw refusal(file, "cannot encode the text", e);
        }
        try {
            return library.getTokenIds(encoding);
        } finally {
            library.deleteEncoding(encoding);
        }
    }

    private long openHandle() {
        long open = handle.get();
        if (open == 0) {
            throw new IllegalStateException("the tokenizer is closed");
        }
        return open;
    }

    /** The native code's reason may hold what stands in the file, however long. */
    private static ModelException refusal(Path file, String what, RuntimeException cause) {
        String reason = String.valueOf(cause.getMessage()).lines().findFirst().orElse("unknown error");
        return new ModelException(file + ": " + what + ": " + ModelException.excerpt(reason, LONGEST_REASON), cause);
    }
}
