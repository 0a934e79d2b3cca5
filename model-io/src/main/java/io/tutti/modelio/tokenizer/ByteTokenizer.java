package io.tutti.modelio.tokenizer;

import io.tutti.modelio.ModelException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalInt;

/** Token ids 0 to 255 are the bytes of UTF-8 text; ids from 256 on are special and decode to nothing. */
public final class ByteTokenizer implements Tokenizer {
    private static final int BYTES = 256;

    private final Path source;
    private final int vocabSize;

    private ByteTokenizer(Path source, int vocabSize) {
        this.source = source;
        this.vocabSize = vocabSize;
    }

    /** A byte tokenizer for a model of {@code vocabSize} tokens; {@code source} is named in messages. */
    public static ByteTokenizer of(Path source, int vocabSize) {
        return new ByteTokenizer(source, vocabSize);
    }

    @Override
    public int[] encode(String text, boolean addSpecial) {
        ByteBuffer bytes = Utf8.encode(text);
        int[] ids = new int[bytes.remaining()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = bytes.get(i) & 0xFF;
            if (ids[i] >= vocabSize) {
                throw ModelException.of(
                        source,
                        "the text has the byte " + ids[i] + ", the model's vocabulary only " + vocabSize + " tokens");
            }
        }
        return ids;
    }

    @Override
    public long leastTokens(String text) {
        return Utf8.encode(text).remaining();
    }

    @Override
    public String decode(int[] ids, boolean skipSpecial) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(ids.length);
        for (int id : ids) {
            if (id >= 0 && id < BYTES) {
                bytes.write(id);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Ids from 256 on have no text. */
    @Override
    public OptionalInt specialToken(String text) {
        return OptionalInt.empty();
    }

    @Override
    public TextStream stream(int[] prompt, boolean skipSpecial) {
        return new TextStream(this, prompt, skipSpecial, _ -> false);
    }

    @Override
    public void close() {}
}
