package io.tutti.chat;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.json.PlainJson;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One message of a conversation: {@code role}, {@code content} (text, or a list of parts) and whatever else templates
 * read, such as {@code tool_calls}, {@code tool_call_id}, {@code name} or {@code reasoning_content}.
 *
 * @param fields plain values in the order they were given: {@link PlainJson} says of which types
 */
public record Message(Map<String, Object> fields) {
    private static final String ACCEPTED = "each as {\"role\": \"user\", \"content\": \"…\"}";

    public Message {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        if (!(fields.get("role") instanceof String)) {
            throw new IllegalArgumentException("a message needs a role, which is text");
        }
    }

    /** A message of plain text. */
    public static Message of(String role, String content) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("role", role);
        fields.put("content", content);
        return new Message(fields);
    }

    /** Who speaks: {@code system}, {@code user}, {@code assistant}, {@code tool} or what else the template knows. */
    public String role() {
        return (String) fields.get("role");
    }

    /**
     * The conversation in {@code json}, a list of objects each of which has a role.
     *
     * @param file where {@code json} is from, for messages
     * @throws ModelException if it is anything else
     */
    public static List<Message> conversation(Path file, byte[] json) {
        if (!(PlainJson.value(file, json) instanceof List<?> list) || list.isEmpty()) {
            throw ModelException.of(file, "is no conversation; accepted: a JSON list of messages, " + ACCEPTED);
        }
        List<Message> messages = new ArrayList<>();
        for (Object item : list) {
            if (!(item instanceof Map<?, ?> map) || !(map.get("role") instanceof String)) {
                throw ModelException.of(
                        file, "message " + (messages.size() + 1) + " has no role; accepted: " + ACCEPTED);
            }
            Map<String, Object> fields = new LinkedHashMap<>();
            int number = messages.size() + 1;
            map.forEach((key, value) -> {
                HalfPairs.problemIn(key).or(() -> HalfPairs.problemIn(value)).ifPresent(problem -> {
                    throw ModelException.of(
                            file, "message " + number + ": " + ModelException.quote((String) key) + " " + problem);
                });
                fields.put((String) key, value);
            });
            messages.add(new Message(fields));
        }
        return List.copyOf(messages);
    }
}
