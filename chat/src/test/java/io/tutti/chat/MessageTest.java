package io.tutti.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.modelio.ModelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageTest {
    private static final Path FILE = Path.of("chat.json");

    @Test
    void aConversationIsAListOfMessagesWithAllTheirFieldsInOrder() {
        List<Message> messages = conversation("[{\"role\": \"user\", \"content\": \"a\"}, {\"content\": null, \"role\":"
                + " \"assistant\", \"tool_calls\": [{\"id\": 1, \"x\": 1.5}]}]");

        assertThat(messages).extracting(Message::role).containsExactly("user", "assistant");
        assertThat(messages.get(0)).isEqualTo(Message.of("user", "a"));
        assertThat(messages.get(1).fields().keySet()).containsExactly("content", "role", "tool_calls");
        assertThat(messages.get(1).fields()).containsEntry("tool_calls", List.of(Map.of("id", 1L, "x", 1.5)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{}", "[]", "\"a\"", "null", "[1]", "[{}]", "[{\"role\": 1}]", "[{\"role\": \"user\"}, []]"})
    void whatIsNoConversationIsRefusedInOneLine(String json) {
        assertThatThrownBy(() -> conversation(json))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("chat.json: ")
                .hasMessageEndingWith("each as {\"role\": \"user\", \"content\": \"…\"}");
    }

    @Test
    void halfASurrogatePairIsRefusedByMessageAndKey() {
        String pair = "[{\"role\": \"user\", \"content\": \"\\ud83c\\udf89\"}]";
        assertThat(conversation(pair)).containsExactly(Message.of("user", "🎉"));
        for (String field : List.of(
                "\"content\": \"🎉\\ud83cx\"",
                "\"content\": [null, 1, {\"type\": \"text\", \"text\": \"🎉\\ud83c\"}]",
                "\"content\": {\"🎉\\ud83c\": 1}")) {
            assertThatThrownBy(() -> conversation("[{\"role\": \"user\"}, {\"role\": \"tool\", " + field + "}]"))
                    .isInstanceOf(ModelException.class)
                    .hasMessage(
                            "chat.json: message 2: \"content\" holds half a surrogate pair, \\ud83c, as its character 2;"
                                    + " accepted: whole characters");
        }
    }

    @Test
    void theMessageWithoutARoleIsToldByItsNumber() {
        assertThatThrownBy(() -> conversation("[{\"role\": \"user\"}, {\"role\": \"user\"}, {\"content\": \"a\"}]"))
                .hasMessageStartingWith("chat.json: message 3 has no role; accepted: ");
    }

    @Test
    void aMessageNeedsARole() {
        assertThatThrownBy(() -> new Message(Map.of("content", "a"))).isInstanceOf(IllegalArgumentException.class);
    }

    private static List<Message> conversation(String json) {
        return Message.conversation(FILE, json.getBytes(StandardCharsets.UTF_8));
    }
}
