package io.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What ends a text: the configuration's tokens, the tokenizer's, the chat template's, and stop texts. */
class EndsTest {
    private static final String CHATML = "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content']"
            + " + '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
    private static final String ENDS_AT_TEXT = "\"eos_token_id\": 256";

    @TempDir
    private Path folder;

    @Test
    void aChatEndsAtTheTokenizersEndTokenThoughTheConfigurationNamesAnother() throws IOException {
        ScriptedModel model = chatModel(ENDS_AT_TEXT, "Hi!", "<|im_end|>", "xyz");
        model.file("tokenizer_config.json", "{\"eos_token\": \"<|im_end|>\"}");
        assertThat(answer(model).get("text").asText()).isEqualTo("Hi!");
        assertThat(answer(model).get("finish_reason").asText()).isEqualTo("stop");
        assertThat(ids(answer(model))).containsExactly((int) 'H', (int) 'i', (int) '!');
        Run chat = Run.of("chat", model.path(), "-p", "hello");
        assertThat(chat.out()).isEqualTo("Hi!\n");
    }

    @Test
    void theEndTokenMayBeAnObjectOrStandInTheSpecialTokensMap() throws IOException {
        ScriptedModel model = chatModel(ENDS_AT_TEXT, "Hi!", "<|im_end|>", "xyz");
        model.file("chat_template.jinja", "{{ messages[0]['content'] + '\\n' }}");
        model.file("tokenizer_config.json", "{\"eos_token\": {\"content\": \"<|im_end|>\", \"special\": true}}");
        assertThat(answer(model).get("text").asText()).isEqualTo("Hi!");
        model.file("tokenizer_config.json", "{\"eos_token\": null}");
        model.file("special_tokens_map.json", "{\"eos_token\": \"<|im_end|>\"}");
        assertThat(answer(model).get("text").asText()).isEqualTo("Hi!");
        assertThat(run(model, "--prompt", "a\n").get("text").asText()).isEqualTo("Hi!");
        assertThat(run(model, "--prompt", "a\n", "--ignore-eos").get("text").asText())
                .startsWith("Hi!xyz");
    }

    @Test
    void aChatEndsAtTheTokenThatItsTemplateWritesAfterAnAnswer() throws IOException {
        ScriptedModel model = chatModel(ENDS_AT_TEXT, "Hi!", "<|im_end|>", "xyz");
        assertThat(answer(model).get("text").asText()).isEqualTo("Hi!");
        assertThat(run(model, "--prompt", "a\n").get("text").asText())
                .as("without the template")
                .startsWith("Hi!xyz");
        assertThat(run(model, "--chat", "--prompt", "a", "--ignore-eos")
                        .get("text")
                        .asText())
                .startsWith("Hi!xyz");
    }

    @Test
    void aTemplateMayWriteItsEndBeforeTheNextQuestionOnly() throws IOException {
        ScriptedModel model = chatModel(ENDS_AT_TEXT, "Hi!", "<|im_end|>", "xyz");
        model.file(
                "chat_template.jinja",
                "{% for m in messages %}{% if m['role'] == 'user' %}{{ m['content'] + '\\n' }}{% else %}{{ m['content'] }}"
                        + "{% if not loop.last %} {{ '<|im_end|>' }}{% endif %}{% endif %}{% endfor %}");
        assertThat(answer(model).get("text").asText()).isEqualTo("Hi!");
    }

    @Test
    void aTemplateWithoutSuchATokenEndsAnswersAtTheTextBetweenThemAndTheNextQuestion() throws IOException {
        ScriptedModel model = chatModel(ENDS_AT_TEXT, "Hi! #Qu:", "xyz");
        model.file(
                "chat_template.jinja",
                "{% for m in messages %}{% if m['role'] == 'user' %} #Qu: {{ m['content'] + '\\n' }}{% else %}{{ m['content'] }}"
                        + "{% endif %}{% endfor %}");
        assertThat(answer(model).get("text").asText()).isEqualTo("Hi!");
        assertThat(Run.of("inspect", model.path()).out())
                .contains("the text \" #Qu:\" (chat template: end of an answer)");
    }

    @Test
    void aTemplateThatRefusesConversationsOrEndsAnswersWithNothingAddsNoEnd() throws IOException {
        ScriptedModel model = chatModel("\"eos_token_id\": 257", "Hi!", "<|im_start|>", "xyz");
        for (String template : List.of(
                "{% if messages | length > 1 %}{{ raise_exception('one message only') }}{% endif %}{{ messages[0]['content'] + '\\n' }}",
                "{% for m in messages %}{{ m['content'] + '\\n' }}{% endfor %}",
                "{% for m in messages %}{{ m['content'] + '\\n--\\n' }}{% endfor %}")) {
            model.file("chat_template.jinja", template);
            assertThat(answer(model).get("text").asText()).as(template).isEqualTo("Hi!");
            assertThat(Run.of("inspect", model.path()).out()).doesNotContain("end of an answer");
        }
    }

    @Test
    void inspectShowsEveryEndByTextAndIdAndWhereItComesFrom() throws IOException {
        ScriptedModel model = chatModel("\"eos_token_id\": [256, 2]", "Hi!");
        model.file("generation_config.json", "{\"eos_token_id\": 258}");
        model.file("tokenizer_config.json", "{\"eos_token\": \"<|endoftext|>\"}");
        assertThat(Run.of("inspect", model.path()).out())
                .contains(
                        "token 258 \"<|im_end|>\" (generation_config.json: eos_token_id; chat template: end of an answer)")
                .contains("token 256 \"<|endoftext|>\" (tokenizer_config.json: eos_token)");
        JsonNode ends = Run.of("inspect", model.path(), "--json").json().get("ends");
        assertThat(ends).hasSize(2);
        assertThat(ends.get(0).get("id").asInt()).isEqualTo(258);
        assertThat(ends.get(0).get("text").asText()).isEqualTo("<|im_end|>");
        assertThat(ends.get(1).get("source").asText()).isEqualTo("tokenizer_config.json: eos_token");
    }

    @Test
    void anEndTokenBeyondTheVocabularyIsANote() throws IOException {
        ScriptedModel model = chatModel("\"eos_token_id\": [999, 258]", "Hi!", "<|im_end|>", "xyz");
        Run run = Run.of("generate", model.path(), "--prompt", "a\n", "--max-tokens", "9");
        assertThat(run.out()).isEqualTo("Hi!\n");
        assertThat(run.err())
                .contains("config.json: eos_token_id is 999, and the model has 259 tokens, so it ends nothing")
                .doesNotContain("no token ends the text");
        model.file("generation_config.json", "{\"eos_token_id\": 259}");
        Run endless = Run.of("generate", model.path(), "--prompt", "a\n", "--max-tokens", "6");
        assertThat(endless.exitCode()).isZero();
        assertThat(endless.err())
                .contains("generation_config.json: eos_token_id is 259")
                .contains("no token ends the text; --max-tokens and --stop do");
        assertThat(Run.of("inspect", model.path()).out())
                .contains("generation_config.json: eos_token_id is 259", "chat template: end of an answer");
    }

    @Test
    void anEndTokenThatTheModelDoesNotHaveIsANote() throws IOException {
        ScriptedModel model = chatModel("\"eos_token_id\": 258", "Hi!", "<|im_end|>", "xyz");
        model.file("tokenizer_config.json", "{\"eos_token\": \"<|gone|>\"}");
        Run run = Run.of("generate", model.path(), "--prompt", "a\n", "--max-tokens", "9");
        assertThat(run.out()).isEqualTo("Hi!\n");
        assertThat(run.err())
                .contains("tokenizer_config.json: eos_token is 259 (\"<|gone|>\"), and the model has 259 tokens");
    }

    @Test
    void aStopTextThatIsASpecialTokenEndsTheTextAsAStopTokenDoes() throws IOException {
        ScriptedModel model = chatModel(ENDS_AT_TEXT, "Hi!", "<|im_end|>", "xyz");
        JsonNode stopped = run(model, "--prompt", "a\n", "--stop", "<|im_end|>");
        assertThat(stopped.get("text").asText()).isEqualTo("Hi!");
        assertThat(stopped.get("finish_reason").asText()).isEqualTo("stop");
        assertThat(ids(stopped)).containsExactly((int) 'H', (int) 'i', (int) '!');
        assertThat(stopped.get("logprobs")).hasSize(3);
    }

    @Test
    void stopTextsAreFoundInWhatIsWrittenAndNotOnlyInWhatIsShown() throws IOException {
        ScriptedModel model = chatModel(ENDS_AT_TEXT, "Hi!", "<|im_end|>", "xyz");
        assertThat(stoppedAt(model, "!<|im_end|>")).isEqualTo("Hi");
        assertThat(stoppedAt(model, "<|im_end|>x")).isEqualTo("Hi!");
        assertThat(stoppedAt(model, "i!<|im_end|>xy")).isEqualTo("H");
        assertThat(stoppedAt(model, "_end|>xyz")).isEqualTo("Hi!");
        assertThat(stoppedAt(model, "yz")).isEqualTo("Hi!x");
        assertThat(stoppedAt(model, "H")).isEmpty();
        assertThat(run(model, "--prompt", "a\n", "--stop", "!x").get("text").asText())
                .as("the special token stands between them")
                .startsWith("Hi!xyz");
    }

    private static String stoppedAt(ScriptedModel model, String stop) {
        JsonNode run = run(model, "--prompt", "a\n", "--stop", stop);
        assertThat(run.get("finish_reason").asText()).as(stop).isEqualTo("stop");
        Run streamed = Run.of("generate", model.path(), "--prompt", "a\n", "--stop", stop);
        assertThat(streamed.out()).isEqualTo(run.get("text").asText() + "\n");
        return run.get("text").asText();
    }

    private ScriptedModel chatModel(String config, String... script) throws IOException {
        return new ScriptedModel(folder.resolve("model"), "<|endoftext|>", "<|im_start|>", "<|im_end|>")
                .write(config, script)
                .file("chat_template.jinja", CHATML);
    }

    private static JsonNode answer(ScriptedModel model) {
        return run(model, "--chat", "--prompt", "hello");
    }

    private static JsonNode run(ScriptedModel model, String... more) {
        return Run.of(List.of("generate", model.path(), "--json", "--max-tokens", "12"), more)
                .json();
    }

    private static List<Integer> ids(JsonNode run) {
        List<Integer> ids = new ArrayList<>();
        run.get("tokens").forEach(id -> ids.add(id.asInt()));
        return ids;
    }
}
