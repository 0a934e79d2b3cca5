package io.tutti.modelio.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NumericNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;

/** JSON as Jackson's tree, but for numbers with a fraction or exponent, which keep the text that the file has. */
final class JsonTree {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private JsonTree() {}

    /** A number as it was written: a message that quotes {@code 1e999} as Infinity would send its reader astray. */
    private static final class WrittenNumber extends NumericNode {
        private static final long serialVersionUID = 1L;

        private final double value;
        private final String text;

        WrittenNumber(double value, String text) {
            this.value = value;
            this.text = text;
        }

        @Override
        public JsonToken asToken() {
            return JsonToken.VALUE_NUMBER_FLOAT;
        }

        @Override
        public JsonParser.NumberType numberType() {
            return JsonParser.NumberType.DOUBLE;
        }

        @Override
        public boolean isFloatingPointNumber() {
            return true;
        }

        @Override
        public Number numberValue() {
            return value;
        }

        @Override
        public int intValue() {
            return (int) value;
        }

        @Override
        public long longValue() {
            return (long) value;
        }

        @Override
        public double doubleValue() {
            return value;
        }

        @Override
        public BigDecimal decimalValue() {
            return BigDecimal.valueOf(value);
        }

        @Override
        public BigInteger bigIntegerValue() {
            return decimalValue().toBigInteger();
        }

        @Override
        public boolean canConvertToInt() {
            return value >= Integer.MIN_VALUE && value <= Integer.MAX_VALUE;
        }

        @Override
        public boolean canConvertToLong() {
            return value >= Long.MIN_VALUE && value <= Long.MAX_VALUE;
        }

        @Override
        public String asText() {
            return text;
        }

        @Override
        public void serialize(JsonGenerator generator, SerializerProvider provider) throws IOException {
            generator.writeNumber(text);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof WrittenNumber number && text.equals(number.text);
        }

        @Override
        public int hashCode() {
            return text.hashCode();
        }
    }

    /** The value on whose first token {@code parser} stands. */
    static JsonNode read(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> NODES.textNode(parser.getText());
            case VALUE_NUMBER_INT ->
                switch (parser.getNumberType()) {
                    case INT -> NODES.numberNode(parser.getIntValue());
                    case LONG -> NODES.numberNode(parser.getLongValue());
                    default -> NODES.numberNode(parser.getBigIntegerValue());
                };
            case VALUE_NUMBER_FLOAT -> new WrittenNumber(parser.getDoubleValue(), parser.getText());
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            default -> throw new IllegalStateException("no value begins with " + parser.currentToken());
        };
    }

    private static ObjectNode object(JsonParser parser) throws IOException {
        ObjectNode object = NODES.objectNode();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            parser.nextToken();
            object.set(key, read(parser));
        }
        return object;
    }

    private static ArrayNode array(JsonParser parser) throws IOException {
        ArrayNode array = NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(read(parser));
        }
        return array;
    }
}
