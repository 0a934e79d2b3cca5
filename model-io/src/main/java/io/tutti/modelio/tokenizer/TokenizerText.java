package io.tutti.modelio.tokenizer;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tutti.modelio.json.StrictJson;
import io.tutti.modelio.json.StrictJson.Duplicates;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A tokenizer.json's text and where its parts stand in it, so that one part can be replaced without changing the others.
 */
final class TokenizerText {
    static final String ADDED_TOKENS = "added_tokens";
    static final String POST_PROCESSOR = "post_processor";
    static final String VOCABULARY = "model.vocab";
    static final String MERGES = "model.merges";

    private static final String MODEL = "model";

    private record Part(int begin, int end) {}

    private final String text;
    private final Map<String, Part> parts = new HashMap<>();
    private final Map<String, Integer> ids = new HashMap<>();
    private int vocabularySize;

    private TokenizerText(String text) {
        this.text = text;
    }

    /**
     * Reads {@code text}, {@code file}'s, which is a tokenizer.json.
     *
     * @param wanted the tokens whose ids in the model's vocabulary {@link #ids} will have
     */
    static TokenizerText read(Path file, String text, Set<String> wanted) {
        TokenizerText read = new TokenizerText(text);
        return StrictJson.read(file, text.getBytes(StandardCharsets.UTF_8), Duplicates.ALLOWED, parser -> {
            read.object(parser, "", wanted);
            return read;
        });
    }

    /** The text of a part; empty if there is none. */
    Optional<String> part(String name) {
        return Optional.ofNullable(parts.get(name)).map(part -> text.substring(part.begin(), part.end()));
    }

    /** The ids of the wanted tokens that the model's vocabulary has. */
    Map<String, Integer> ids() {
        return ids;
    }

    /** How many tokens the model's vocabulary has, without added ones. */
    int vocabularySize() {
        return vocabularySize;
    }

    /** The text with this list of added tokens. */
    String withAddedTokens(String list) {
        Part part = parts.get(ADDED_TOKENS);
        if (part != null) {
            return text.substring(0, part.begin()) + list + text.substring(part.end());
        }
        int begin = text.indexOf('{') + 1;
        return text.substring(0, begin) + '"' + ADDED_TOKENS + "\":" + list + ',' + text.substring(begin);
    }

    private void object(JsonParser parser, String prefix, Set<String> wanted) throws IOException {
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = prefix + parser.currentName();
            parser.nextToken();
            int begin = Math.toIntExact(parser.currentTokenLocation().getCharOffset());
            if (name.equals(MODEL)) {
                object(parser, MODEL + ".", wanted);
            } else if (name.equals(VOCABULARY)) {
                vocabulary(parser, wanted);
            } else {
                parser.skipChildren();
            }
            if (parser.currentToken().isStructEnd()) {
                parts.put(
                        name,
                        new Part(begin, Math.toIntExact(parser.currentLocation().getCharOffset())));
            }
        }
    }

    private void vocabulary(JsonParser parser, Set<String> wanted) throws IOException {
        boolean byToken = parser.currentToken() == JsonToken.START_OBJECT;
        ids.clear();
        vocabularySize = 0;
        while (!parser.nextToken().isStructEnd()) {
            String token;
            int id = vocabularySize;
            if (byToken) {
                token = parser.currentName();
                parser.nextToken();
                id = parser.getIntValue();
            } else {
                parser.nextToken();
                token = parser.getText();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    parser.skipChildren();
                }
            }
            vocabularySize++;
            if (wanted.contains(token)) {
                ids.put(token, id);
            }
        }
    }
}
