package io.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.cli.console.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a text may be: as config.json and its rope_scaling say, or shorter by --context. */
class ContextTest {

    private static final String YARN =
            "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4.0, \"original_max_position_embeddings\": 32}";
    private static final String LINEAR = "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 4.0}";

    @TempDir
    private Path folder;

    /** tiny-llama with a context of 32 and {@code scaling} added by hand. */
    private String model(String scaling) throws IOException {
        Path model = Files.createDirectories(folder.resolve("model"));
        Files.copy(Path.of(Run.TINY, "model.safetensors"), model.resolve("model.safetensors"));
        String config = Files.readString(Path.of(Run.TINY, "config.json"));
        Files.writeString(
                model.resolve("config.json"),
                config.replace("\"max_position_embeddings\": 512", "\"max_position_embeddings\": 32")
                        .replace("\"rope_scaling\": null", scaling));
        return model.toString();
    }

    private static String tokens(int count) {
        return IntStream.range(0, count).mapToObj(String::valueOf).collect(Collectors.joining(","));
    }

    private static Run generate(String model, int prompt, String... options) {
        List<String> args = new ArrayList<>(List.of("generate", model, "--tokens", tokens(prompt), "--json"));
        args.addAll(List.of(options));
        return Run.of(args);
    }

    @ParameterizedTest
    @ValueSource(strings = {YARN, LINEAR})
    void aContextStretchedByHandIsTheOriginalOneTimesTheFactor(String scaling) throws IOException {
        String model = model(scaling);

        assertThat(generate(model, 120, "--max-tokens", "100").json().get("tokens"))
                .hasSize(8);
        assertThat(generate(model, 129).err())
                .isEqualTo("tutti: --tokens has 129 tokens; accepted: at most 128, the context of " + model + "\n");
        Run logits = Run.of("logits", model, "--tokens", tokens(128), "--out", folder + "/l");
        assertThat(logits.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(Run.of("compare", model, "--device", "host,reference", "--tokens", tokens(100), "--max-tokens", "99")
                        .exitCode())
                .isEqualTo(ExitCode.DONE);
    }

    @Test
    void inspectSaysWhereTheContextComesFrom() throws IOException {
        String model = model(YARN);

        assertThat(Run.of("inspect", model).out())
                .contains("  context       128 tokens (max_position_embeddings = 32, stretched by rope_scaling)\n");
        JsonNode json = Run.of("inspect", model, "--json").json();
        assertThat(json.get("context").intValue()).isEqualTo(128);
        assertThat(json.get("config").get("max_position_embeddings").intValue()).isEqualTo(32);
        assertThat(Run.of("inspect", model, "--context", "50").out())
                .contains(
                        "  context       50 tokens (max_position_embeddings = 32, stretched by rope_scaling)\n",
                        "12.5 KiB for the whole context");
        assertThat(Run.of("inspect", Run.TINY, "--context", "50").out())
                .contains("  context       50 tokens (max_position_embeddings = 512, cut by the user)\n");
        assertThat(Run.of("inspect", Run.TINY).out()).contains("  context       512 tokens\n");
    }

    @Test
    void aShorterContextEndsTheTextEarlierAndChangesNoToken() {
        Run whole = generate(Run.TINY, 20, "--max-tokens", "40");
        Run cut = generate(Run.TINY, 20, "--max-tokens", "40", "--context", "30");

        JsonNode tokens = cut.json().get("tokens");
        assertThat(tokens).hasSize(10);
        for (int i = 0; i < tokens.size(); i++) {
            assertThat(tokens.get(i)).isEqualTo(whole.json().get("tokens").get(i));
        }
        assertThat(cut.json().get("finish_reason").textValue()).isEqualTo("length");
        assertThat(cut.err())
                .contains("the text ends because the context is full: 30 tokens (max_position_embeddings = 512, cut by"
                        + " the user)");
        assertThat(generate(Run.TINY, 31, "--context", "30").err())
                .isEqualTo("tutti: --tokens has 31 tokens; accepted: at most 30, the context of " + Run.TINY + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"generate", "logits", "compare", "inspect"})
    void aContextBeyondThePositionsIsRefusedInOneLine(String command) {
        List<String> args = new ArrayList<>(List.of(command, Run.TINY, "--context", "513"));
        if (!command.equals("inspect")) {
            args.addAll(List.of("--tokens", "1"));
        }
        if (command.equals("logits")) {
            args.addAll(List.of("--out", folder + "/l"));
        }
        Run run = Run.of(args);

        assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_USAGE);
        assertThat(run.err())
                .isEqualTo("tutti: --context is 513; accepted: 1 to 512, for which the positions of " + Run.TINY
                        + " are made (max_position_embeddings and rope_scaling in its config.json)\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "4k", "1.0", "2147483648"})
    void whatIsNoNumberOfPositionsIsRefused(String context) {
        Run run = Run.of("generate", Run.TINY, "--tokens", "1", "--context", context);

        assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_USAGE);
        assertThat(run.err())
                .startsWith("tutti: --context is ")
                .contains(context, "accepted: ")
                .containsOnlyOnce("\n");
    }

    @Test
    void aChatHasRoomForTheContextThatIsAskedFor() throws IOException {
        String model = ChatModel.write(folder.resolve("chat"), 20_000).toString();
        byte[] input = "W\n/stats\n".getBytes(StandardCharsets.UTF_8);

        assertThat(Run.with(input, "chat", model).err()).contains("room for 8192 of the context's 20000 tokens");
        for (String context : List.of("24", "20000")) {
            Run run = Run.with(input, "chat", model, "--lines", "--context", context, "--max-tokens", "30");
            assertThat(run.err()).doesNotContain("of the context's");
            assertThat(run.err() + run.out()).contains("of " + context + " tokens used");
        }
    }
}
