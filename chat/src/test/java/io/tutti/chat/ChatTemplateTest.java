package io.tutti.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.modelio.ModelException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where templates and special tokens are found, and which template a conversation gets. */
class ChatTemplateTest {
    private static final List<Message> HI = List.of(Message.of("user", "Hi"));
    private static final List<Map<String, Object>> TOOLS = List.of(Map.of("name", "f"));

    @TempDir
    Path directory;

    @Test
    void aModelWithoutATemplateHasNone() throws IOException {
        assertThat(ChatTemplate.find(directory)).isEmpty();

        write("tokenizer_config.json", "{\"bos_token\": \"<s>\", \"chat_template\": null}");
        assertThat(ChatTemplate.find(directory)).isEmpty();
    }

    @Test
    void theTemplateOfTokenizerConfigRenders() throws IOException {
        write("tokenizer_config.json", "{\"chat_template\": \"{{ messages[0].content }}!\"}");

        assertThat(rendered(List.of())).isEqualTo("Hi!");
    }

    @Test
    void theJinjaFileWinsOverTokenizerConfigAndThatOverTheProcessors() throws IOException {
        write("chat_template.json", "{\"chat_template\": \"processor\"}");
        assertThat(rendered(List.of())).isEqualTo("processor");

        write("tokenizer_config.json", "{\"chat_template\": \"config\"}");
        assertThat(rendered(List.of())).isEqualTo("config");

        write("chat_template.jinja", "jinja\n");
        assertThat(rendered(List.of())).isEqualTo("jinja");
    }

    @Test
    void toolsGetTheTemplateForThemWhereThereIsOne() throws IOException {
        write(
                "tokenizer_config.json",
                "{\"chat_template\": [{\"name\": \"default\", \"template\": \"plain {{ tools }}\"},"
                        + "{\"name\": \"tool_use\", \"template\": \"tools {{ tools|length }}\"},"
                        + "{\"name\": \"rag\", \"template\": \"documents\"}]}");

        assertThat(rendered(List.of())).isEqualTo("plain None");
        assertThat(rendered(TOOLS)).isEqualTo("tools 1");
    }

    @Test
    void additionalTemplatesStandBesideTheJinjaFile() throws IOException {
        write("chat_template.jinja", "plain");
        Files.createDirectory(directory.resolve("additional_chat_templates"));
        write("additional_chat_templates/tool_use.jinja", "tools");
        write("additional_chat_templates/notes.txt", "no template");

        assertThat(rendered(List.of())).isEqualTo("plain");
        assertThat(rendered(TOOLS)).isEqualTo("tools");
    }

    @Test
    void namedTemplatesWithoutADefaultAreRefusedByTheirNames() throws IOException {
        write("tokenizer_config.json", "{\"chat_template\": [{\"name\": \"rag\", \"template\": \"x\"}]}");

        assertThatThrownBy(() -> rendered(List.of()))
                .isInstanceOf(ChatTemplateException.class)
                .hasMessage(directory.resolve("tokenizer_config.json")
                        + ": chat_template \"rag\": is no default; needed is a template named \"default\" beside it");
    }

    @Test
    void specialTokensAreVariablesAsTextOrAsAddedTokens() throws IOException {
        write(
                "chat_template.jinja",
                "{{ bos_token }}{{ eos_token }}{{ pad_token }}{{ image_token }}{{ unk_token is defined }}");
        write(
                "tokenizer_config.json",
                "{\"bos_token\": \"<s>\", \"eos_token\": {\"__type\": \"AddedToken\", \"content\": \"</s>\","
                        + " \"lstrip\": false}, \"unk_token\": null, \"add_bos_token\": true, \"pad_token\": \"<pad>\","
                        + " \"extra_special_tokens\": {\"image_token\": \"<img>\"}}");

        assertThat(rendered(List.of())).isEqualTo("<s></s><pad><img>False");
    }

    @Test
    void theSpecialTokensMapCountsWhereTheConfigHasNoAddedTokens() throws IOException {
        write("chat_template.jinja", "{{ bos_token }}{{ eos_token }}");
        write("special_tokens_map.json", "{\"bos_token\": {\"content\": \"<map>\"}}");
        write("tokenizer_config.json", "{\"bos_token\": \"<s>\", \"eos_token\": \"</s>\"}");
        assertThat(rendered(List.of())).isEqualTo("<map></s>");

        write(
                "tokenizer_config.json",
                "{\"bos_token\": \"<s>\", \"eos_token\": \"</s>\", \"added_tokens_decoder\": {}}");
        assertThat(rendered(List.of())).isEqualTo("<s></s>");
    }

    @Test
    void variablesWinOverSpecialTokens() throws IOException {
        write("chat_template.jinja", "{{ bos_token }}{{ enable_thinking }}");
        write("tokenizer_config.json", "{\"bos_token\": \"<s>\"}");

        assertThat(ChatTemplate.find(directory)
                        .orElseThrow()
                        .render(HI, List.of(), true, Map.of("bos_token", "<b>", "enable_thinking", false)))
                .isEqualTo("<b>False");
    }

    @Test
    void strftimeNowTellsTheClockThatIsGiven() throws IOException {
        write("chat_template.jinja", "{{ strftime_now('%d %b %Y') }}");
        Clock clock = Clock.fixed(Instant.parse("2024-07-26T12:00:00Z"), ZoneOffset.UTC);

        assertThat(ChatTemplate.find(directory).orElseThrow().withClock(clock).render(HI, true))
                .isEqualTo("26 Jul 2024");
    }

    @Test
    void theClocksZoneIsTheOneThatIsTold() throws IOException {
        write("chat_template.jinja", "{{ strftime_now('%d %H:%M') }}");
        Instant instant = Instant.parse("2024-07-26T12:30:00Z");

        assertThat(ChatTemplate.find(directory)
                        .orElseThrow()
                        .withClock(Clock.fixed(instant, ZoneOffset.ofHours(14)))
                        .render(HI, true))
                .isEqualTo("27 02:30");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"chat_template\": \"a\\udc00\"} | chat_template holds half a surrogate pair, \\udc00, as its character 2;",
                "{\"chat_template\": [{\"name\": \"default\", \"template\": \"\\ud800\"}]}"
                        + " | chat_template \"default\" holds half a surrogate pair, \\ud800, as its character 1;",
                "{\"bos_token\": \"<\\ud83c>\"} | bos_token holds half a surrogate pair, \\ud83c, as its character 2;",
                "{\"eos_token\": {\"content\": \"\\ud83c\"}} | eos_token holds half a surrogate pair, \\ud83c,",
                "{\"extra_special_tokens\": {\"image_token\": \"\\ud83c\"}} | image_token holds half a surrogate pair,",
            })
    void halfASurrogatePairIsRefusedByFileAndKey(String json, String problem) throws IOException {
        write("tokenizer_config.json", json);

        assertThatThrownBy(() -> ChatTemplate.find(directory))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith(directory.resolve("tokenizer_config.json") + ": " + problem)
                .hasMessageEndingWith("; accepted: whole characters");
    }

    @Test
    void halfASurrogatePairThatATemplateWritesIsRefused() throws IOException {
        write("chat_template.jinja", "ab{{ '\\ud83c' }}");

        assertThatThrownBy(() -> rendered(List.of()))
                .isInstanceOf(ChatTemplateException.class)
                .hasMessage(directory.resolve("chat_template.jinja")
                        + ": what it writes holds half a surrogate pair, \\ud83c, as its character 3; accepted: whole"
                        + " characters");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"chat_template.jinja", "tokenizer_config.json", "chat_template.json", "special_tokens_map.json"})
    void aLinkToNothingIsNoAbsentFile(String file) throws IOException {
        Files.createSymbolicLink(directory.resolve(file), Path.of("gone"));

        assertThatThrownBy(() -> ChatTemplate.find(directory))
                .isInstanceOf(ModelException.class)
                .hasMessage(directory.resolve(file)
                        + ": is a link to \"gone\", which is not there; accepted: a file, or no link");
    }

    @Test
    void aTemplateIsAsLongInJsonAsInAFileAtMost() throws IOException {
        write("tokenizer_config.json", "{\"chat_template\": \"" + "a".repeat(1 << 20) + "\"}");
        assertThat(rendered(List.of())).hasSize(1 << 20);

        write("tokenizer_config.json", "{\"chat_template\": \"" + "a".repeat((1 << 20) + 1) + "\"}");
        assertThatThrownBy(() -> rendered(List.of()))
                .isInstanceOf(ModelException.class)
                .hasMessage(directory.resolve("tokenizer_config.json")
                        + ": chat_template has 1048577 characters; accepted: a template of at most 1048576");
    }

    @Test
    void aTemplateOfTheWrongKindIsRefused() throws IOException {
        write("tokenizer_config.json", "{\"chat_template\": 5}");

        assertThatThrownBy(() -> ChatTemplate.find(directory))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith(
                        directory.resolve("tokenizer_config.json") + ": chat_template is not supported");
    }

    @Test
    void aTemplateThatIsNotUtf8IsRefused() throws IOException {
        Files.write(directory.resolve("chat_template.jinja"), "é".getBytes(StandardCharsets.ISO_8859_1));

        assertThatThrownBy(() -> ChatTemplate.find(directory))
                .isInstanceOf(ModelException.class)
                .hasMessage(directory.resolve("chat_template.jinja") + ": is not valid UTF-8");
    }

    @Test
    void theErrorIsOneLineThatNamesTheFileAndTheLine() throws IOException {
        write(
                "chat_template.jinja",
                "\n\n{{ raise_exception('Roles\\nmust\\u2028alternate \\u001b[31m' ~ 'x' * 9999) }}");

        assertThatExceptionOfType(ChatTemplateException.class)
                .isThrownBy(() -> rendered(List.of()))
                .satisfies(e -> assertThat(e.getMessage())
                        .startsWith(directory.resolve("chat_template.jinja") + ": line 3: Roles must alternate  [31mxx")
                        .endsWith("x…")
                        .hasSizeLessThan(1000)
                        .doesNotContain("\n"));
    }

    @Test
    void anErrorWithoutWordsIsToldToBeOne() throws IOException {
        write("chat_template.jinja", "{{ raise_exception('') }}");

        assertThatThrownBy(() -> rendered(List.of()))
                .isInstanceOf(ChatTemplateException.class)
                .hasMessage(
                        directory.resolve("chat_template.jinja") + ": line 1: it raises an error without a message");
    }

    @Test
    void aTemplateThatIsStoppedIsNamedByItsFile() throws IOException {
        write("chat_template.jinja", "\n{{ 'a' * 10**9 }}");

        assertThatThrownBy(() -> rendered(List.of()))
                .isInstanceOf(ChatTemplateException.class)
                .hasMessage(directory.resolve("chat_template.jinja")
                        + ": line 2: is stopped: it writes a text of more than 16777216 characters");
    }

    @Test
    void whatMessagesHoldIsTextAndNoTemplate() throws IOException {
        write("chat_template.jinja", "{{ messages[0].content }}");
        String content = "{{ raise_exception('x') }}{% include 'y' %}{#";

        assertThat(ChatTemplate.find(directory).orElseThrow().render(List.of(Message.of("user", content)), false))
                .isEqualTo(content);
    }

    @Test
    void aLongConversationIsWellWithinBounds() throws IOException {
        write(
                "chat_template.jinja",
                "{% set ns = namespace(text='') %}{% for m in messages %}{% set ns.text = m.content|trim|replace('x', 'y') %}"
                        + "<|{{ m.role }}|>{{ ns.text }}{{ m.content.split('\n')|length }}{{ m|tojson }}\n{% endfor %}");
        List<Message> messages =
                Collections.nCopies(2000, Message.of("user", "a line of text with an x\n".repeat(100)));

        assertThat(ChatTemplate.find(directory).orElseThrow().render(messages, true))
                .hasSizeGreaterThan(9_000_000);
    }

    @Test
    void anEmptyConversationIsRefused() throws IOException {
        write("chat_template.jinja", "x");

        assertThatThrownBy(() -> ChatTemplate.find(directory).orElseThrow().render(List.of(), true))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private String rendered(List<Map<String, Object>> tools) {
        return ChatTemplate.find(directory).orElseThrow().render(HI, tools, true, Map.of());
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(directory.resolve(file), text);
    }
}
