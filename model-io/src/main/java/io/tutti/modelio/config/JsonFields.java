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
public record JsonFields(Path file, String prefix, ObjectNode object) {
    private static final int LONGEST_VALUE = 60;

    /** The value of {@code key}, unless absent or null. */
    Optional<JsonNode> value(String key) {
        return Optional.ofNullable(object.get(key)).filter(value -> !value.isNull());
    }

    public boolean has(String key) {
        return value(key).isPresent();
    }

    /** The refusal of {@code key}'s value, which is there. */
    public ModelException refuse(String key, String accepted) {
        String shown = ModelException.excerpt(String.valueOf(object.get(key)), LONGEST_VALUE);
        return ModelException.of(file, prefix + key + " = " + shown + " is not supported; accepted: " + accepted);
    }

    /** The refusal of {@code key}'s default, {@code value}, where it has no value of its own. */
    public ModelException refuseDefault(String key, int value, String accepted) {
        return ModelException.of(
                file, prefix + key + " = " + value + ", its default, is not supported; accepted: " + accepted);
    }

    public ModelException missing(String key) {
        return ModelException.of(file, "has no " + prefix + key + ", which is required");
    }

    public OptionalInt integer(String key, int least, int most) {
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
    public OptionalInt wholeSize(String key) {
        Optional<Integer> whole = wholeNumber(key);
        return whole.isPresent() ? OptionalInt.of(whole.get()) : size(key);
    }

    /** A whole number from 1 on, perhaps written as a decimal; empty if anything else is there. */
    public Optional<Integer> wholeNumber(String key) {
        return value(key)
                .filter(JsonNode::isNumber)
                .map(JsonNode::doubleValue)
                .filter(number -> number == Math.rint(number) && number >= 1 && number <= Integer.MAX_VALUE)
                .map(Double::intValue);
    }

    /** Whether {@code key} is there, be it null. */
    public boolean names(String key) {
        return object.has(key);
    }

    /** Whether {@code key} is there and null. */
    public boolean isNull(String key) {
        return names(key) && !has(key);
    }

    /** Whether there is no key. */
    public boolean isEmpty() {
        return object.isEmpty();
    }

    /** Whether some value is an object itself. */
    public boolean nests() {
        return object.properties().stream().anyMatch(entry -> entry.getValue().isObject());
    }

    /** Whether {@code key} holds a list or an object without entries. */
    public boolean holdsNothing(String key) {
        return value(key)
                .filter(value -> value.isContainerNode() && value.isEmpty())
                .isPresent();
    }

    /** Whether both have the same keys and values. */
    public boolean says(JsonFields other) {
        return object.equals(other.object);
    }

    /** A size: at least 1. */
    public OptionalInt size(String key) {
        return integer(key, 1, Integer.MAX_VALUE);
    }

    public int requiredSize(String key) {
        return size(key).orElseThrow(() -> missing(key));
    }

    public Optional<Double> number(String key, String accepted) {
        return value(key).map(node -> {
            if (!node.isNumber() || !Double.isFinite(node.doubleValue())) {
                throw refuse(key, accepted);
            }
            return node.doubleValue();
        });
    }

    public boolean flag(String key, boolean absent) {
        return value(key)
                .map(node -> {
                    if (!node.isBoolean()) {
                        throw refuse(key, "true or false");
                    }
                    return node.booleanValue();
                })
                .orElse(absent);
    }

    public Optional<String> text(String key, String accepted) {
        return value(key).map(node -> {
            if (!node.isTextual()) {
                throw refuse(key, accepted);
            }
            return node.textValue();
        });
    }

    /** An object under {@code key}. */
    public Optional<JsonFields> fields(String key, String accepted) {
        return value(key).map(node -> {
            if (node instanceof ObjectNode inner) {
                return new JsonFields(file, prefix + key + ".", inner);
            }
            throw refuse(key, accepted);
        });
    }

    /** Token ids given as a number, a list or null. */
    public List<Integer> tokenIds(String key) {
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

    /** The entries of a list. One that is no text is given as JSON, and so equals no text that is looked for. */
    public Optional<List<String>> texts(String key, String accepted) {
        return value(key).map(node -> {
            if (!node.isArray()) {
                throw refuse(key, accepted);
            }
            return node.valueStream()
                    .map(entry -> entry.isTextual() ? entry.textValue() : entry.toString())
                    .toList();
        });
    }
}
