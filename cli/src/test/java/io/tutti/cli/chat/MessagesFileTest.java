package io.tutti.cli.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.chat.Message;
import io.tutti.modelio.ModelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MessagesFileTest {

    private static final Path FILE = Path.of("messages.json");

    private static List<Message> parse(String json) {
        return MessagesFile.parse(FILE, json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void textPartsToolCallsAndOtherFieldsArriveAsTheyAre() {
        List<Message> messages = parse("""
                [{"role": "system", "content": ""},
                 {"role": "user", "content": [{"type": "text", "text": "a"}], "name": "Ann"},
                 {"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "f"}}]},
                 {"role": "assistant", "tool_calls": []},
                 {"role": "tool", "content": "1", "tool_call_id": "x"}]
                """);
        assertThat(messages)
                .extracting(Message::role)
                .containsExactly("system", "user", "assistant", "assistant", "tool");
        assertThat(messages.get(1).fields())
                .containsEntry("content", List.of(Map.of("type", "text", "text", "a")))
                .containsEntry("name", "Ann");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"role\": \"user\"}                           | the value is an object with \"role\"",
                "[]                                             | the value is an empty list",
                "\"hello\"                                      | the value is \"hello\"",
                "[{\"role\": \"user\", \"content\": \"a\"}, 5]  | [1] is 5",
                "[{\"content\": \"a\"}]                         | [0].role is null or absent",
                "[{\"role\": \"\", \"content\": \"a\"}]         | [0].role is \"\"",
                "[{\"role\": 1, \"content\": \"a\"}]            | [0].role is 1",
                "[{\"role\": \"user\"}]                         | [0].content is null or absent",
                "[{\"role\": \"user\", \"content\": {}}]        | [0].content is an object with no keys",
                "[{\"role\": \"user\", \"content\": []}]        | [0].content is an empty list",
                "[{\"role\": \"user\", \"content\": [{\"type\": \"image\"}]}] | [0].content[0] is an object with \"type\"",
                "[{\"role\": \"user\", \"content\": [\"a\"]}]   | [0].content[0] is \"a\"",
            })
    void anythingElseIsRefusedWithFilePlaceAndValue(String json, String says) {
        assertThatThrownBy(() -> parse(json))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith("messages.json: " + says + "; accepted: ")
                .hasMessageNotContaining("\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[{\"role\": \"user\", \"content\": \"a\\ud83d\"}]                     | [0].content has \\ud83d",
                "[{\"role\": \"u\\uDE00\", \"content\": \"a\"}]                        | [0].role has \\ude00",
                "[{\"role\": \"user\", \"content\": [{\"type\": \"text\", \"text\": \"\\ud83dx\"}]}]"
                        + "                                                    | [0].content[0].text has \\ud83d",
                "[{\"role\": \"user\", \"content\": \"a\", \"x\\ud83d\": 1}]             | a key of [0] has \\ud83d",
            })
    void halfASurrogatePairIsRefusedWithFileAndPlace(String json, String says) {
        assertThatThrownBy(() -> parse(json))
                .isInstanceOf(ModelException.class)
                .hasMessage("messages.json: " + says
                        + ", half a surrogate pair; accepted: both halves, or the character itself");
        assertThat(parse("[{\"role\": \"user\", \"content\": \"\\ud83d\\ude00\"}]")
                        .getFirst()
                        .fields())
                .containsEntry("content", "😀");
    }

    @Test
    void textThatIsNoJsonIsRefused() {
        assertThatThrownBy(() -> parse("[{")).isInstanceOf(ModelException.class).hasMessageContaining("not valid JSON");
        assertThatThrownBy(() -> parse("")).isInstanceOf(ModelException.class).hasMessageContaining("is empty");
    }

    @Test
    void whatIsWrittenReadsBack(@TempDir Path folder) throws Exception {
        List<Message> messages = List.of(
                Message.of("system", "Grüße 🙂\n\"quoted\""),
                new Message(Map.of("role", "tool", "content", List.of(Map.of("type", "text", "text", "x")))));
        Path file = folder.resolve("saved.json");
        MessagesFile.write(file, messages);
        assertThat(MessagesFile.parse(file, Files.readAllBytes(file))).isEqualTo(messages);
    }
}
