package io.tutti.cli.chat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import io.tutti.chat.HalfPairs;
import io.tutti.chat.Message;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.files.WholeOrNothing;
import io.tutti.modelio.json.PlainJson;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A conversation as JSON: a list of messages, each with a role, and content that is text, a list of parts of text, or
 * nothing beside tool calls. Other fields are the template's business.
 */
public final class MessagesFile {

    private static final String MESSAGES = "a list of messages, each as {\"role\": \"user\", \"content\": \"…\"}";

    private final Path file;

    private MessagesFile(Path file) {
        this.file = file;
    }

    /**
     * The messages in {@code json}.
     *
     * @param file where {@code json} is from, for messages
     * @throws ModelException if it is anything else; one line with the file, the place in it, the value and what is
     *     accepted
     */
    public static List<Message> parse(Path file, byte[] json) {
        return new MessagesFile(file).messages(PlainJson.value(file, json));
    }

    /**
     * Writes messages, each on a line of its own; a file that exists is replaced.
     *
     * @throws ModelException if that fails; nothing is written then
     */
    static void write(Path file, List<Message> messages) {
        WholeOrNothing.file(file, temporary -> {
            ObjectWriter json = new ObjectMapper().writer();
            StringBuilder text = new StringBuilder("[");
            String before = "\n";
            for (Message message : messages) {
                text.append(before).append(json.writeValueAsString(message.fields()));
                before = ",\n";
            }
            Files.write(temporary, text.append("\n]\n").toString().getBytes(StandardCharsets.UTF_8));
        });
    }

    private List<Message> messages(Object value) {
        if (!(value instanceof List<?> list) || list.isEmpty()) {
            throw refuse("the value", value, MESSAGES);
        }
        List<Message> messages = new ArrayList<>();
        for (Object item : list) {
            String place = "[" + messages.size() + "]";
            if (!(item instanceof Map<?, ?> map)) {
                throw refuse(place, item, "an object as {\"role\": \"user\", \"content\": \"…\"}");
            }
            messages.add(message(place, map));
        }
        return messages;
    }

    private Message message(String place, Map<?, ?> map) {
        if (!(map.get("role") instanceof String role) || role.isEmpty()) {
            throw refuse(place + ".role", map.get("role"), "text: system, user, assistant, or what the template knows");
        }
        Object content = map.get("content");
        if (content instanceof List<?> parts && !parts.isEmpty()) {
            checkParts(place + ".content", parts);
        } else if (!(content instanceof String) && !(content == null && map.get("tool_calls") instanceof List<?>)) {
            throw refuse(place + ".content", content, "text, a list of parts of text, or null beside tool_calls");
        }
        requireText(place, map);
        Map<String, Object> fields = new LinkedHashMap<>();
        map.forEach((key, value) -> fields.put((String) key, value));
        return new Message(fields);
    }

    private void checkParts(String place, List<?> parts) {
        for (int i = 0; i < parts.size(); i++) {
            boolean text = parts.get(i) instanceof Map<?, ?> part
                    && "text".equals(part.get("type"))
                    && part.get("text") instanceof String;
            if (!text) {
                throw refuse(place + "[" + i + "]", parts.get(i), "{\"type\": \"text\", \"text\": \"…\"}");
            }
        }
    }

    /** Every text in {@code value} must be one: JSON can spell half a surrogate pair, which no UTF-8 stands for. */
    private void requireText(String place, Object value) {
        switch (value) {
            case String text ->
                HalfPairs.first(text).ifPresent(at -> {
                    throw ModelException.of(
                            file,
                            "%s has \\u%04x, half a surrogate pair; accepted: both halves, or the character itself"
                                    .formatted(place, (int) text.charAt(at)));
                });
            case List<?> list -> {
                for (int i = 0; i < list.size(); i++) {
                    requireText(place + "[" + i + "]", list.get(i));
                }
            }
            case Map<?, ?> map ->
                map.forEach((key, field) -> {
                    requireText("a key of " + place, key);
                    requireText(place + "." + key, field);
                });
            case null, default -> {}
        }
    }

    private ModelException refuse(String place, Object value, String accepted) {
        String shown = switch (value) {
            case null -> "null or absent";
            case String text -> ModelException.quote(text);
            case List<?> list -> list.isEmpty() ? "an empty list" : "a list";
            case Map<?, ?> map -> "an object with " + (map.isEmpty() ? "no keys" : keys(map));
            default -> String.valueOf(value);
        };
        return ModelException.of(file, place + " is " + shown + "; accepted: " + accepted);
    }

    private static String keys(Map<?, ?> map) {
        return ModelException.quote(
                String.join(", ", map.keySet().stream().map(String::valueOf).toList()));
    }
}
