package io.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.cli.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files beside tokenizer.json, and the two pipelines of a LlamaTokenizer. */
class TokenizerFilesTest {
    private static final String CONFIG = "tokenizer_config.json";
    private static final String NO_END = "\"eos_token_id\": null";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path VECTORS = Path.of(System.getProperty("tutti.golden"), "vectors");

    @TempDir
    private Path folder;

    @TempDir
    private Path outside;

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = ';', textBlock = """
                    tokenizer_config.json ; {"added_tokens_decoder": {"256": {"content": "<|im_start|>", "special": true}, "257": {"content": "<|im_end|>", "special": true}}, "eos_token": "<|im_end|>"}
                    tokenizer_config.json ; {"additional_special_tokens": ["<|im_start|>"], "extra_special_tokens": ["<|im_start|>", "<|im_end|>"], "eos_token": null}
                    tokenizer_config.json ; {"bos_token": {"__type": "AddedToken", "content": "<|im_start|>"}, "eos_token": "<|im_end|>"}
                    special_tokens_map.json ; {"bos_token": "<|im_start|>", "eos_token": {"content": "<|im_end|>", "lstrip": false}}
                    """)
    void aTokenThatStandsInAnotherFileIsOneTokenEverywhere(String file, String content) throws IOException {
        ScriptedModel model =
                new ScriptedModel(folder, "<|im_start|>", "<|im_end|>").write(NO_END, "Hi!", "<|im_end|>");
        edit(root -> root.putArray("added_tokens"));
        model.file(
                "chat_template.jinja",
                "{{ '<|im_start|>' + messages[0]['content'] }}\n{% for m in messages[1:] %}"
                        + "{{ m['content'] + '<|im_end|>' }}{% endfor %}");
        assertThat(tokens("a<|im_end|>\n")).hasSize(12);
        model.file(file, content);
        assertThat(tokens("a<|im_end|>\n")).containsExactly('a', 257, '\n');
        JsonNode answer = json("generate", model.path(), "--chat", "--prompt", "b", "--json");
        assertThat(answer.get("prompt_tokens")).hasSize(3);
        assertThat(answer.get("prompt_tokens").get(0).asInt()).isEqualTo(256);
        assertThat(answer.get("text").asText()).isEqualTo("Hi!");
        assertThat(answer.get("finish_reason").asText()).isEqualTo("stop");
        assertThat(json("generate", model.path(), "--prompt", "\n", "--json", "--ignore-eos", "--max-tokens", "4")
                        .get("text")
                        .asText())
                .as("special tokens are left out")
                .isEqualTo("Hi!");
        assertThat(Run.of("inspect", model.path()).out()).contains("257 \"<|im_end|>\"");
    }

    @Test
    void whatCannotBeMergedIsRefusedByFileKeyAndValue() throws IOException {
        ScriptedModel model = new ScriptedModel(folder).write(NO_END, "Hi!").file(CONFIG, "{\"eos_token\": 5}");
        Run run = Run.of("generate", model.path(), "--prompt", "a");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err())
                .contains(CONFIG + ": eos_token = 5", "accepted: a token")
                .hasLineCount(1);
    }

    @Test
    void anIdThatATokenDoesNotGetIsNoted() throws IOException {
        ScriptedModel model = new ScriptedModel(folder, "<|x|>", "<|y|>").write(NO_END, "Hi!");
        edit(root -> root.putArray("added_tokens"));
        model.file("added_tokens.json", "{\"<|x|>\": 300}");
        Run run = Run.of("generate", model.path(), "--prompt", "<|x|>\n", "--max-tokens", "1", "--json");
        assertThat(run.err()).contains("added_tokens.json: gives \"<|x|>\" the id 300, but it has 256");
        assertThat(JSON.readTree(run.out()).get("prompt_tokens").get(0).asInt()).isEqualTo(256);
        assertThat(Run.of("inspect", model.path()).out()).contains("but it has 256");
    }

    @Test
    void aTokenizerWithMoreIdsThanTheModelIsNotedAndOnlySuchATextRefused() throws IOException {
        ScriptedModel model = new ScriptedModel(folder).write(NO_END, "Hi!");
        model.file("chat_template.jinja", "{{ messages[0]['content'] + '\\n' }}");
        edit(root -> {
            ObjectNode words = (ObjectNode) root.get("model");
            ((ObjectNode) words.get("vocab")).put("zz", 256);
            words.putArray("merges").add("z z");
        });
        String note = "ids up to 256, and the model's vocabulary has only 256 tokens";
        Run run = Run.of("generate", model.path(), "--prompt", "z\n", "--max-tokens", "3");
        assertThat(run.out()).isEqualTo("Hi!\n");
        assertThat(run.err()).contains(note);
        assertThat(Run.of("chat", model.path(), "-p", "z", "--max-tokens", "3").out())
                .isEqualTo("Hi!\n");
        assertThat(Run.of("inspect", model.path()).out()).contains(note);
        assertThat(Run.of("logits", model.path(), "--prompt", "z", "--out", outside.resolve("l") + ".safetensors")
                        .err())
                .contains(note);
        Run refused = Run.of("generate", model.path(), "--prompt", "zz");
        assertThat(refused.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(refused.err()).contains("\"zz\", id 256", "only 256 tokens").hasLineCount(1);
        assertThat(Run.of("generate", model.path(), "--prompt", "z\n", "--stop", "zz", "--max-tokens", "3")
                        .out())
                .isEqualTo("Hi!\n");
    }

    @Test
    void aLlamaTokenizerEncodesAsItWasTrainedUnlessTheOtherWayIsAskedFor() throws IOException {
        ScriptedModel model = llama("{\"tokenizer_class\": \"LlamaTokenizer\", \"legacy\": false}");
        int[] trained = {1, 259, 259, 354, 355, 338, 2, 259, 354, 355, 338};
        assertThat(tokens(" hello</s>hello")).containsExactly(trained);
        assertThat(tokens(" hello</s>hello", "--legacy")).containsExactly(trained);
        assertThat(tokens(" hello</s>hello", "--no-legacy")).containsExactly(1, 259, 354, 355, 338, 2, 354, 355, 338);
        Run chat = Run.of("chat", model.path(), "-p", "a", "--no-legacy", "--max-tokens", "1");
        assertThat(chat.exitCode()).as(chat.err()).isEqualTo(ExitCode.REFUSED); // It has no chat template.
        assertThat(chat.err()).contains("chat template").doesNotContain("legacy");
        assertThat(Run.of("inspect", model.path()).out()).contains("--no-legacy");
        assertThat(Run.of("generate", model.path(), "--prompt", "a", "--legacy", "--no-legacy")
                        .err())
                .contains("both given");
        String out = outside.resolve("l") + ".safetensors";
        assertThat(Run.of("logits", model.path(), "--prompt", "a", "--no-legacy", "--out", out)
                        .exitCode())
                .isEqualTo(ExitCode.DONE);
        assertThat(Run.of("logits", model.path(), "--tokens", "1", "--no-legacy", "--out", out))
                .returns(ExitCode.BAD_USAGE, Run::exitCode)
                .extracting(Run::err)
                .asString()
                .contains("--no-legacy", "--tokens");
    }

    @Test
    void theOtherWayIsRefusedWhereThereIsNone() throws IOException {
        ScriptedModel model = llama("{\"tokenizer_class\": \"PreTrainedTokenizerFast\"}");
        for (String option : new String[] {"--legacy", "--no-legacy"}) {
            Run run = Run.of("generate", model.path(), "--prompt", "a", option);
            assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_USAGE);
            assertThat(run.err()).startsWith("tutti: " + option + " means nothing for " + folder);
        }
        assertThat(Run.of("inspect", model.path()).out()).doesNotContain("legacy");
    }

    /** A model whose tokenizer.json is one of Llama 2's kind. */
    private ScriptedModel llama(String config) throws IOException {
        String[] fillers = IntStream.range(0, 160).mapToObj(i -> "<" + i + ">").toArray(String[]::new);
        JsonNode vectors =
                JSON.readTree(VECTORS.resolve("tokenizer-cases-4.json").toFile());
        return new ScriptedModel(folder, fillers)
                .write(NO_END, "Hi!")
                .file("tokenizer.json", vectors.at("/bases/prepend").toString())
                .file(CONFIG, config);
    }

    private void edit(Consumer<ObjectNode> change) throws IOException {
        Path file = folder.resolve("tokenizer.json");
        ObjectNode root = (ObjectNode) JSON.readTree(file.toFile());
        change.accept(root);
        Files.writeString(file, root.toString());
    }

    private int[] tokens(String prompt, String... options) throws IOException {
        String[] run = {"generate", folder.toString(), "--prompt", prompt, "--max-tokens", "1", "--json"};
        JsonNode ids = json(Stream.concat(Stream.of(run), Stream.of(options)).toArray(String[]::new))
                .get("prompt_tokens");
        return IntStream.range(0, ids.size()).map(i -> ids.get(i).asInt()).toArray();
    }

    private static JsonNode json(String... arguments) throws IOException {
        Run run = Run.of(arguments);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.DONE);
        return JSON.readTree(run.out());
    }
}
