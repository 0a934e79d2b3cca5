package io.tutti.modelio.tokenizer;

import io.tutti.modelio.ModelException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Strict UTF-8: half a surrogate pair is an error, not a question mark. */
final class Utf8 {
    private Utf8() {}

    /** The bytes of {@code text}. */
    static ByteBuffer encode(String text) {
        try {
            return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
        } catch (CharacterCodingException e) {
            throw new ModelException("the text holds half a surrogate pair, which is not Unicode text", e);
        }
    }
}
