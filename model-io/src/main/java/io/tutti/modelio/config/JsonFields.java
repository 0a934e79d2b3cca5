package io.tutti.modelio.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.modelio.ModelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The fields of a JSON object with one rule for all: null is the same as absent, and a value of the wrong kind or range
 * is refused by file, key and value.
 *
 * @param prefix what stands before a key in messages: empty, or {@code "rope_parameters."}
 */
record JsonFields(Path file, String prefix, ObjectNode object) {
    private static final int LONGEST_VALUE = 60;

    /** The value of {@code key}, unless absent or null. */
    Optional<JsonNode> value(String key) {
        return Optional.ofNullable(object.get(key)).filter(value -> !value.isNull());
    }

    boolean has(String key) {
        return value(key).isPresent();
    }

    /** The refusal of {@code key}'s value, which is there. */
    ModelException refuse(String key, String accepted) {
        String shown = ModelException.excerpt(String.valueOf(object.get(key)), LONGEST_VALUE);
        return ModelException.of(file, prefix + key + " = " + shown + " is not supported; accepted: " + accepted);
    }

    /** The refusal of {@code key}'s default, {@code value}, where it has no value of its own. */
    ModelException refuseDefault(String key, int value, String accepted) {
        return ModelException.of(
                file, prefix + key + " = " + value + ", its default, is not supported; accepted: " + accepted);
    }

    ModelException missing(String key) {
        return ModelException.of(file, "has no " + prefix + key + ", which is required");
    }

    OptionalInt integer(String key, int least, int most) {
        Optional<JsonNode> value = value(key);
        if (value.isEmpty()) {
            return OptionalInt.empty();
        }
        JsonNode node = value.get();
        if (!node.isIntegralNumber() || !node.canConvertToInt() || node.intValue() < least || node.intValue() > most) {
            throw refuse(key, "a whole number from " + least + " to " + most);
        }
        return OptionalInt.of(node.intValue());
    }

    /** A size that may be written as a decimal, {@code 8192.0}. */
    OptionalInt wholeSize(String key) {
        Optional<Integer> whole = wholeNumber(key);
        return whole.isPresent() ? OptionalInt.of(whole.get()) : size(key);
    }

    /** A whole number from 1 on, perhaps written as a decimal; empty if anything else is there. */
    Optional<Integer> wholeNumber(String key) {
        return value(key)
                .filter(JsonNode::isNumber)
                .map(JsonNode::doubleValue)
                .filter(number -> number == Math.rint(number) && number >= 1 && number <= Integer.MAX_VALUE)
                .map(Double::intValue);
    }

    /** Whether {@code key} is there and null. */
    boolean isNull(String key) {
        return object.has(key) && !has(key);
    }

    /** A size: at least 1. */
    OptionalInt size(String key) {
        return integer(key, 1, Integer.MAX_VALUE);
    }

    int requiredSize(String key) {
        return size(key).orElseThrow(() -> missing(key));
    }

    Optional<Double> number(String key, String accepted) {
        return value(key).map(node -> {
            if (!node.isNumber() || !Double.isFinite(node.doubleValue())) {
                throw refuse(key, accepted);
            }
            return node.doubleValue();
        });
    }

    boolean flag(String key, boolean absent) {
        return value(key)
                .map(node -> {
                    if (!node.isBoolean()) {
                        throw refuse(key, "true or false");
                    }
                    return node.booleanValue();
                })
                .orElse(absent);
    }

    Optional<String> text(String key, String accepted) {
        return value(key).map(node -> {
            if (!node.isTextual()) {
                throw refuse(key, accepted);
            }
            return node.textValue();
        });
    }

    /** An object under {@code key}. */
    Optional<JsonFields> fields(String key, String accepted) {
        return value(key).map(node -> {
            if (node instanceof ObjectNode inner) {
                return new JsonFields(file, prefix + key + ".", inner);
            }
            throw refuse(key, accepted);
        });
    }

    /** Token ids given as a number, a list or null. */
    List<Integer> tokenIds(String key) {
        Optional<JsonNode> value = value(key);
        if (value.isEmpty()) {
            return List.of();
        }
        List<Integer> ids = new ArrayList<>();
        for (JsonNode id : value.get().isArray() ? value.get() : List.of(value.get())) {
            if (!id.isIntegralNumber() || !id.canConvertToInt() || id.intValue() < 0) {
                throw refuse(key, "a token id, a list of them, or null");
            }
            ids.add(id.intValue());
        }
        return ids;
    }
}
