package io.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What ends a text: the configuration's tokens, the tokenizer's, the chat template's, and stop texts. */
class EndsTest {
    private static final String CHATML = "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content']"
            + " + '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
    private static final String ENDS_AT_TEXT = "\"eos_token_id\": 256";

    private static final ObjectMapper JSON = new ObjectMapper();

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
    void theTokenizersEndTokenIsTheOneThatTransformersReads() throws IOException {
        int number = 0;
        for (JsonNode want : JSON.readTree(Run.MODELS
                        .resolveSibling("vectors")
                        .resolve("ends.json")
                        .toFile())
                .get("cases")) {
            String[] specials = JSON.convertValue(want.get("special_tokens"), String[].class);
            ScriptedModel model = new ScriptedModel(folder.resolve("case" + number++), specials)
                    .write("\"eos_token_id\": null", "Hi!");
            for (var file : want.get("files").properties()) {
                model.file(file.getKey(), file.getValue().toString());
            }
            JsonNode found = Run.of("inspect", model.path(), "--json").json();
            int vocabulary = ScriptedModel.FIRST_SPECIAL + specials.length;
            JsonNode id = want.get("eos_token_id");
            if (id.isNull() || id.asInt() >= vocabulary) {
                assertThat(found.get("ends")).as("%s", want).isEmpty();
                assertThat(found.get("notes").toString().contains("eos_token"))
                        .as("%s", want)
                        .isEqualTo(!id.isNull());
            } else {
                assertThat(found.get("ends")).as("%s", want).hasSize(1);
                assertThat(found.get("ends").get(0).get("id")).isEqualTo(id);
                assertThat(found.get("ends").get(0).get("text")).isEqualTo(want.get("eos_token"));
            }
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

    @Test
    void charactersOfManyBytesAndSeveralStopsAreMatchedToo() throws IOException {
        ScriptedModel model = chatModel(ENDS_AT_TEXT, "Aé€", "<|im_end|>", "xyz");
        assertThat(stoppedAt(model, "é")).isEqualTo("A");
        assertThat(stoppedAt(model, "€<|im_end|>x")).isEqualTo("Aé");
        assertThat(stoppedAt(model, "no", "y", "€<|im_end|>xy", "xyz")).isEqualTo("Aé");
        assertThat(stoppedAt(model, "z", "<|im_end|>")).isEqualTo("Aé€");
        assertThat(stoppedAt(model, "Aé€<|im_end|>xyz")).isEmpty();
    }

    @Test
    void aChatStopsBeforeTextWithASpecialTokenToo() throws IOException {
        ScriptedModel model = chatModel(ENDS_AT_TEXT, "Hi!", "<|im_end|>", "xyz");
        assertThat(Run.of("chat", model.path(), "-p", "hello", "--ignore-eos", "--stop", "<|im_end|>xy")
                        .out())
                .isEqualTo("Hi!\n");
    }

    /** Templates in the manner of a family, with what ends an answer. */
    static Stream<Arguments> families() {
        return Stream.of(
                Arguments.of("Llama 3", "<|eot_id|>", """
                        {%- for m in messages -%}
                        {{ '<|start_header_id|>' + m.role + '<|end_header_id|>\n\n' + (m.content | trim) + '<|eot_id|>' }}
                        {%- endfor -%}
                        {%- if add_generation_prompt -%}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{%- endif -%}
                        """),
                Arguments.of("Phi", "<|end|>", """
                        {%- for m in messages -%}{{ '<|' + m.role + '|>\n' + m.content + '<|end|>\n' }}{%- endfor -%}
                        {%- if add_generation_prompt -%}{{ '<|assistant|>\n' }}{%- else -%}<|endoftext|>{%- endif -%}
                        """),
                Arguments.of("Gemma", "<end_of_turn>", """
                        {%- if messages[0].role == 'system' -%}{{ raise_exception('no system prompt') }}{%- endif -%}
                        {%- for m in messages -%}
                        {{ '<start_of_turn>' + (m.role | replace('assistant', 'model')) + '\n' }}
                        {{- (m.content | trim) + '<end_of_turn>\n' }}
                        {%- endfor -%}
                        {%- if add_generation_prompt -%}{{ '<start_of_turn>model\n' }}{%- endif -%}
                        """),
                Arguments.of("Mistral", "</s>", """
                        {%- for m in messages -%}
                        {%- if (m.role == 'user') != (loop.index0 % 2 == 0) -%}{{ raise_exception('in turn') }}{%- endif -%}
                        {%- if m.role == 'user' -%}{{ '[INST] ' + m.content + ' [/INST]\n' }}
                        {%- else -%}{{ m.content + '</s>' }}{%- endif -%}
                        {%- endfor -%}
                        """),
                Arguments.of("Llama 2", "</s>", """
                        {%- for m in messages -%}
                        {%- if m.role == 'user' -%}{{ '<s>[INST] ' + m.content + ' [/INST]\n' }}
                        {%- else -%}{{ ' ' + m.content + ' </s>' }}{%- endif -%}
                        {%- endfor -%}
                        """),
                Arguments.of("GLM", "<|user|>", """
                        {%- for m in messages -%}{{ '<|' + m.role + '|>\n' + m.content }}{%- endfor -%}
                        {%- if add_generation_prompt -%}{{ '<|assistant|>\n' }}{%- endif -%}
                        """),
                Arguments.of("tags that are no tokens", "</bot>", """
                        {%- for m in messages -%}
                        {%- set role = m.role | replace('assistant', 'bot') -%}
                        {{ '<' + role + '>\n' + m.content + '</' + role + '>\n' }}
                        {%- endfor -%}
                        {%- if add_generation_prompt -%}{{ '<bot>\n' }}{%- endif -%}
                        """),
                Arguments.of("roles that are no tokens", " #Me:", """
                        {%- for m in messages -%}
                        {{ ' #Me: ' + m.content + '\n' if m.role == 'user' else m.content }}
                        {%- endfor -%}
                        """),
                Arguments.of("a prompt whether it is asked for or not", " #Me:", """
                        {%- for m in messages -%}
                        {{ (' #Me: ' if m.role == 'user' else ' #You: ') + m.content }}
                        {%- endfor -%}
                        {{- ' #You:\n' }}
                        """),
                Arguments.of("no conversation may end with an answer", "<turn>", """
                        {%- if messages[-1].role == 'assistant' -%}{{ raise_exception('no question') }}{%- endif -%}
                        {%- for m in messages -%}{{ m.content + ' <turn>\n' }}{%- endfor -%}
                        """),
                Arguments.of("no question may follow an answer", "[/end]", """
                        {%- if messages | length > 2 -%}{{ raise_exception('one question only') }}{%- endif -%}
                        {{ messages[0].content + '\n' }}
                        {%- if messages | length > 1 -%}{{ messages[1].content + '[/end]' }}{%- endif -%}
                        """));
    }

    @ParameterizedTest
    @MethodSource("families")
    void answersEndAsTheTemplateOfTheirFamilyEndsThem(String family, String end, String template) throws IOException {
        boolean isToken = end.startsWith("<") && !end.equals("</bot>");
        ScriptedModel model = isToken ? model("<|endoftext|>", end) : model("<|endoftext|>");
        model.write(ENDS_AT_TEXT, "Xp", end, "yz").file("chat_template.jinja", template);
        assertThat(answer(model).get("text").asText()).as(family).isEqualTo("Xp");
        assertThat(answer(model).get("finish_reason").asText()).isEqualTo("stop");
        JsonNode ends = Run.of("inspect", model.path(), "--json").json().get("ends");
        assertThat(ends.get(1).get("text").asText()).isEqualTo(end);
        assertThat(ends.get(1).has("id")).isEqualTo(isToken);
    }

    @Test
    void aTokenThatStandsInsideAnswersTooEndsNone() throws IOException {
        ScriptedModel model = chatModel(ENDS_AT_TEXT, "Hi!", "<|im_end|>", "xyz");
        model.file(
                "chat_template.jinja",
                "{% for m in messages %}{{ m.role + '\n' }}{% if m.reasoning_content %}{{ m.reasoning_content }}<|im_end|>"
                        + "{% endif %}{{ m.content }}{% if not loop.last %}<|im_end|>{% endif %}{% endfor %}"
                        + "{% if add_generation_prompt %}{{ 'assistant\n' }}{% endif %}");
        assertThat(answer(model).get("text").asText()).startsWith("Hi!xyz");
    }

    @Test
    void aTemplateThatNeedsAVariableIsAskedWithIt() throws IOException {
        ScriptedModel model = chatModel(ENDS_AT_TEXT, "Hi!", "<|im_end|>", "xyz");
        model.file("chat_template.jinja", "{{ functions | trim }}" + CHATML);
        assertThat(run(model, "--chat", "--prompt", "hello", "--template-var", "functions=f")
                        .get("text")
                        .asText())
                .isEqualTo("Hi!");
    }

    @Test
    void aChatThatNothingEndsIsToldSo() throws IOException {
        ScriptedModel model = chatModel("\"eos_token_id\": []", "Hi!", "xyz");
        model.file("chat_template.jinja", "{% for m in messages %}{{ m['content'] + '\n' }}{% endfor %}");
        for (Run run : List.of(
                Run.of("generate", model.path(), "--chat", "--prompt", "a", "--max-tokens", "5"),
                Run.of("chat", model.path(), "-p", "a", "--max-tokens", "5"))) {
            assertThat(run.out()).isEqualTo("Hi!xy\n");
            assertThat(run.err())
                    .contains("name no end of a text, and its chat template no end of an answer\n")
                    .contains("no token ends the text; --max-tokens and --stop do\n");
        }
        assertThat(Run.of("chat", model.path(), "-p", "a", "--max-tokens", "5", "--ignore-eos")
                        .err())
                .doesNotContain("no end of a text");
    }

    private static String stoppedAt(ScriptedModel model, String... stops) {
        String[] options = Stream.concat(
                        Stream.of("--prompt", "a\n"), Arrays.stream(stops).flatMap(stop -> Stream.of("--stop", stop)))
                .toArray(String[]::new);
        JsonNode run = run(model, options);
        assertThat(run.get("finish_reason").asText()).as(Arrays.toString(stops)).isEqualTo("stop");
        Run streamed = Run.of(List.of("generate", model.path()), options);
        assertThat(streamed.out()).isEqualTo(run.get("text").asText() + "\n");
        return run.get("text").asText();
    }

    private ScriptedModel model(String... specials) {
        return new ScriptedModel(folder.resolve("model"), specials);
    }

    private ScriptedModel chatModel(String config, String... script) throws IOException {
        return model("<|endoftext|>", "<|im_start|>", "<|im_end|>")
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
