package io.tutti.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.chat.TemplateFiles.Source;
import io.tutti.jinja.Limits;
import io.tutti.modelio.json.PlainJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What transformers makes of golden's chats, and what we make of them. */
class GoldenChatTemplatesTest {
    private static final Map<String, Object> GOLDEN = golden();
    private static final Clock CLOCK =
            Clock.fixed(LocalDateTime.parse((String) GOLDEN.get("now")).toInstant(ZoneOffset.UTC), ZoneOffset.UTC);

    static List<Map<String, Object>> chats() {
        return maps(GOLDEN.get("chats"));
    }

    @ParameterizedTest
    @MethodSource("chats")
    void messagesReachTemplatesAsTransformersHandsThemOver(Map<String, Object> golden) {
        Source source = new Source("golden", (String) GOLDEN.get("chat_template"));
        TemplateFiles files = new TemplateFiles(Map.of(TemplateFiles.DEFAULT, source), Map.of("bos_token", "<s>"));

        String prompt = new ChatTemplate(files, CLOCK, Limits.DEFAULT)
                .render(
                        maps(golden.get("messages")).stream().map(Message::new).toList(),
                        maps(golden.getOrDefault("tools", List.of())),
                        (Boolean) golden.getOrDefault("add_generation_prompt", false),
                        map(golden.getOrDefault("variables", Map.of())));

        assertThat(prompt).isEqualTo(golden.get("text"));
    }

    @Test
    void everyChatOfGoldenHasItsPrompt() {
        assertThat(chats()).isNotEmpty().allSatisfy(golden -> assertThat(golden).containsKey("text"));
    }

    private static Map<String, Object> golden() {
        Path file = Path.of(System.getProperty("tutti.golden"), "vectors", "chat-templates.json");
        try {
            return PlainJson.object(file, Files.readAllBytes(file), _ -> true);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked") // PlainJson's objects have text for keys.
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked") // The file holds lists of objects here.
    private static List<Map<String, Object>> maps(Object value) {
        return (List<Map<String, Object>>) value;
    }
}
