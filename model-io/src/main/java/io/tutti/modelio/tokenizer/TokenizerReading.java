package io.tutti.modelio.tokenizer;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.json.StrictJson;
import io.tutti.modelio.json.StrictJson.Duplicates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** What a tokenizer.json says. Reading it refuses whatever the native code would trip over. */
final class TokenizerReading {
    private static final Pattern BYTE_TOKEN = Pattern.compile("<0x[0-9A-F]{2}>");

    private final Path file;
    private final SortedMap<Integer, AddedToken> addedById = new TreeMap<>();
    private final Set<Integer> byteTokens = new HashSet<>();
    private final TokenReach.Builder reach = new TokenReach.Builder();
    private Optional<String> padToken = Optional.empty();
    private String type = "";
    private String subwordPrefix = "";
    private boolean hasModel;
    private boolean joinsBytes;
    private boolean byteFallback;
    private int largestId = -1;
    private final List<AddedToken> addedTokens = new ArrayList<>();

    private TokenizerReading(Path file) {
        this.file = file;
    }

    /**
     * Reads {@code bytes}, {@code file}'s.
     *
     * @throws ModelException if they are not a tokenizer.json
     */
    static TokenizerReading of(Path file, byte[] bytes) {
        TokenizerReading reading = new TokenizerReading(file);
        StrictJson.read(file, bytes, Duplicates.ALLOWED, parser -> {
            reading.root(parser);
            return reading;
        });
        if (!reading.hasModel) {
            throw ModelException.of(file, "has no model; accepted: a tokenizer.json of Hugging Face's tokenizers");
        }
        return reading;
    }

    /** The type of its model, such as {@code BPE}. */
    String type() {
        return type;
    }

    /** The largest id of the model's vocabulary. */
    int largestId() {
        return largestId;
    }

    /** The added tokens in the file's order. */
    List<AddedToken> addedTokens() {
        return addedTokens;
    }

    /** The added tokens by the ids that the file gives them. */
    SortedMap<Integer, AddedToken> addedById() {
        return addedById;
    }

    /** The token that {@code padding} names. */
    Optional<String> padToken() {
        return padToken;
    }

    /** The ids of {@code <0x00>} to {@code <0xFF>}, if the decoder joins such tokens to characters; else none. */
    Set<Integer> byteTokens() {
        return joinsBytes ? byteTokens : Set.of();
    }

    /** The ids that the file gives the added tokens. */
    Map<String, Integer> addedIds() {
        Map<String, Integer> ids = new HashMap<>();
        addedById.forEach((id, token) -> ids.put(token.content(), id));
        return ids;
    }

    /**
     * How much text a token can stand for, if that is certain.
     *
     * @param added the added tokens that the tokenizer has in the end
     */
    Optional<TokenReach> reach(List<AddedToken> added) {
        return reach.build(type, byteFallback, byteTokens.size(), added);
    }

    private void root(JsonParser parser) throws IOException {
        TokenizerPipeline pipeline = new TokenizerPipeline(file);
        require(parser.currentToken(), JsonToken.START_OBJECT, "the file");
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            parser.nextToken();
            switch (key) {
                case "model" -> model(parser);
                case "normalizer" -> {
                    JsonNode normalizer = parser.readValueAsTree();
                    pipeline.checkNormalizer(normalizer);
                    reach.normalizer(normalizer);
                }
                case "pre_tokenizer" -> {
                    JsonNode preTokenizer = parser.readValueAsTree();
                    pipeline.checkPreTokenizer(preTokenizer);
                    reach.preTokenizer(preTokenizer);
                }
                case "post_processor" -> pipeline.checkPostProcessor(parser.readValueAsTree());
                case "added_tokens" -> addedTokens(parser);
                case "padding" -> {
                    JsonNode padding = parser.readValueAsTree();
                    padToken = Optional.ofNullable(padding.path("pad_token").textValue());
                }
                case "decoder" -> joinsBytes = pipeline.checkDecoder(parser.readValueAsTree());
                default -> parser.skipChildren();
            }
        }
    }

    private void addedTokens(JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            parser.skipChildren(); // The native library says what is wrong.
            return;
        }
        addedTokens.clear();
        addedById.clear();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            addedToken(parser.readValueAsTree());
        }
    }

    /** Takes a token; one that lacks something is left to the native library, which refuses it. */
    private void addedToken(JsonNode token) {
        JsonNode content = token.path("content");
        if (content.isTextual() && !content.textValue().isEmpty()) {
            AddedToken added = new AddedToken(
                    content.textValue(),
                    token.path("single_word").asBoolean(),
                    token.path("lstrip").asBoolean(),
                    token.path("rstrip").asBoolean(),
                    token.path("normalized").asBoolean(),
                    token.path("special").asBoolean());
            addedTokens.add(added);
            addedById.put(token.path("id").asInt(), added);
        }
    }

    private void model(JsonParser parser) throws IOException {
        require(parser.currentToken(), JsonToken.START_OBJECT, "model");
        hasModel = true;
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (key) {
                case "vocab" -> vocabulary(parser, value);
                case "byte_fallback" -> byteFallback = value == JsonToken.VALUE_TRUE;
                case "dropout" -> refuseDropout(parser, value);
                case "continuing_subword_prefix" ->
                    subwordPrefix = value == JsonToken.VALUE_STRING ? parser.getText() : "";
                case "type" -> type = value == JsonToken.VALUE_STRING ? parser.getText() : "";
                default -> parser.skipChildren();
            }
        }
        // The native library cuts the prefix off a merge's second half, and ends the process if it is not there.
        if (!subwordPrefix.isEmpty() && !type.equals("WordPiece")) {
            throw ModelException.of(
                    file,
                    "model.continuing_subword_prefix = " + ModelException.quote(subwordPrefix)
                            + " is not supported; accepted: null or \"\", unless model.type is \"WordPiece\"");
        }
    }

    private void vocabulary(JsonParser parser, JsonToken value) throws IOException {
        switch (value) {
            case START_OBJECT -> idsByToken(parser);
            case START_ARRAY -> tokensInOrder(parser);
            default ->
                throw ModelException.of(
                        file, "model.vocab is a JSON " + StrictJson.name(value) + "; accepted: object or list");
        }
    }

    private void refuseDropout(JsonParser parser, JsonToken value) throws IOException {
        boolean number = value == JsonToken.VALUE_NUMBER_FLOAT || value == JsonToken.VALUE_NUMBER_INT;
        if (value != JsonToken.VALUE_NULL && !(number && parser.getDoubleValue() == 0)) {
            throw ModelException.of(
                    file, "model.dropout is not supported, since it encodes by chance; accepted: null or 0");
        }
    }

    /** BPE, WordPiece, WordLevel: {"token": id}. */
    private void idsByToken(JsonParser parser) throws IOException {
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String token = parser.currentName();
            if (parser.nextToken() != JsonToken.VALUE_NUMBER_INT
                    || parser.getNumberType() != JsonParser.NumberType.INT
                    || parser.getIntValue() < 0) {
                throw ModelException.of(
                        file, "model.vocab gives the token " + ModelException.quote(token) + " no id of 0 or more");
            }
            take(token, parser.getIntValue());
        }
    }

    /** Unigram: [["token", score]], the ids being the places. */
    private void tokensInOrder(JsonParser parser) throws IOException {
        for (int id = 0; parser.nextToken() != JsonToken.END_ARRAY; id++) {
            require(parser.currentToken(), JsonToken.START_ARRAY, "model.vocab[" + id + "]");
            require(parser.nextToken(), JsonToken.VALUE_STRING, "model.vocab[" + id + "][0]");
            take(parser.getText(), id);
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                parser.skipChildren();
            }
        }
    }

    private void take(String token, int id) {
        largestId = Math.max(largestId, id);
        reach.token(token);
        if (BYTE_TOKEN.matcher(token).matches()) {
            byteTokens.add(id);
        }
    }

    private void require(JsonToken found, JsonToken wanted, String what) {
        if (found != wanted) {
            throw ModelException.of(
                    file, what + " is a JSON " + StrictJson.name(found) + "; accepted: " + StrictJson.name(wanted));
        }
    }
}
