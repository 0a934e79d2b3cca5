package io.tutti.modelio.tokenizer;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.json.StrictJson;
import io.tutti.modelio.json.StrictJson.Duplicates;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What is read of a tokenizer.json before native code gets it: whether it is one, which ids its vocabulary has, and
 * which of its tokens stand for single bytes.
 *
 * @param json the file's text
 * @param largestId the largest id of the model's vocabulary; added tokens do not count
 * @param byteTokens the ids of {@code <0x00>} to {@code <0xFF>}, if the decoder joins such tokens to characters
 * @param reach how much text a token can stand for, if that is certain
 */
record TokenizerFile(String json, int largestId, Set<Integer> byteTokens, Optional<TokenReach> reach) {
    private static final int LONGEST_FILE = 256 << 20;
    private static final Pattern BYTE_TOKEN = Pattern.compile("<0x[0-9A-F]{2}>");

    TokenizerFile {
        byteTokens = Set.copyOf(byteTokens);
    }

    /**
     * Reads and checks {@code file}.
     *
     * @throws ModelException if it is not a tokenizer.json
     */
    static TokenizerFile read(Path file) {
        return parse(file, StrictJson.readBytes(file, LONGEST_FILE));
    }

    static TokenizerFile parse(Path file, byte[] bytes) {
        Reading reading = new Reading(file);
        StrictJson.read(file, bytes, Duplicates.ALLOWED, parser -> {
            reading.root(parser);
            return reading;
        });
        if (!reading.hasModel) {
            throw ModelException.of(file, "has no model; accepted: a tokenizer.json of Hugging Face's tokenizers");
        }
        return new TokenizerFile(
                new String(bytes, StandardCharsets.UTF_8),
                reading.largestId,
                reading.joinsBytes ? reading.byteTokens : Set.of(),
                reading.reach.build(reading.type, reading.byteFallback, reading.byteTokens.size()));
    }

    private static final class Reading {
        private final Path file;
        private final Set<Integer> byteTokens = new HashSet<>();
        private final TokenReach.Builder reach = new TokenReach.Builder();
        private String type = "";
        private String subwordPrefix = "";
        private boolean hasModel;
        private boolean joinsBytes;
        private boolean byteFallback;
        private int largestId = -1;

        Reading(Path file) {
            this.file = file;
        }

        void root(JsonParser parser) throws IOException {
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
                    case "decoder" -> joinsBytes = pipeline.checkDecoder(parser.readValueAsTree());
                    default -> parser.skipChildren();
                }
            }
        }

        private void addedTokens(JsonParser parser) throws IOException {
            if (parser.currentToken() == JsonToken.START_ARRAY) {
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    reach.addedToken(parser.readValueAsTree());
                }
            } else {
                parser.skipChildren(); // The native library says what is wrong.
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
}
