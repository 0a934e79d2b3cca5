package io.tutti.cli;

import static io.tutti.cli.Run.ints;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.cli.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** generation_config.json's values are the defaults, and every option given wins. */
class ModelDefaultsTest {

    private static final String LEAVES_ASIDE = "(--no-model-defaults leaves it aside)";

    @TempDir
    private Path model;

    @BeforeEach
    void copyAModelThatSamples() throws IOException {
        for (String name : new String[] {"config.json", "model.safetensors"}) {
            Files.copy(Path.of(Run.TINY, name), model.resolve(name));
        }
        says("{\"do_sample\": true, \"temperature\": 0.9, \"top_k\": 30, \"top_p\": 0.8, \"repetition_penalty\": 1.5}");
    }

    private void says(String json) throws IOException {
        Files.writeString(model.resolve("generation_config.json"), json);
    }

    private Run generate(String... options) {
        List<String> args = new ArrayList<>(
                List.of("generate", model.toString(), "--tokens", "5,6,7,5,6,7", "--max-tokens", "24", "--json"));
        args.addAll(Arrays.asList(options));
        return Run.of(args);
    }

    private int[] tokens(String... options) {
        return ints(generate(options).json().get("tokens"));
    }

    @Test
    void whereTheUserSaysNothingTheFileDecidesAndANoteTellsWhat() {
        Run run = generate();
        assertThat(run.err().lines())
                .contains("generation_config.json: temperature 0.9, top-k 30, top-p 0.8, repetition-penalty 1.5 "
                        + LEAVES_ASIDE);
        assertThat(ints(run.json().get("tokens")))
                .isEqualTo(tokens())
                .isEqualTo(tokens(
                        "--no-model-defaults",
                        "--temperature",
                        "0.9",
                        "--top-k",
                        "30",
                        "--top-p",
                        "0.8",
                        "--repetition-penalty",
                        "1.5"))
                .isNotEqualTo(tokens("--seed", "1"));
    }

    @Test
    void eachOptionWinsByItself() {
        Run run = generate("--top-k", "0", "--temperature", "1.2");
        assertThat(run.err()).contains("generation_config.json: top-p 0.8, repetition-penalty 1.5 " + LEAVES_ASIDE);
        assertThat(ints(run.json().get("tokens")))
                .isEqualTo(tokens(
                        "--no-model-defaults",
                        "--temperature",
                        "1.2",
                        "--top-p",
                        "0.8",
                        "--repetition-penalty",
                        "1.5"));
    }

    @Test
    void temperatureZeroIsGreedyWithThePenaltyAlone() {
        Run run = generate("--temperature", "0");
        assertThat(run.err()).contains("generation_config.json: repetition-penalty 1.5 " + LEAVES_ASIDE);
        assertThat(ints(run.json().get("tokens")))
                .isEqualTo(tokens("--no-model-defaults", "--repetition-penalty", "1.5"));
        assertThat(generate("--temperature", "0", "--repetition-penalty", "1").err())
                .doesNotContain("generation_config.json");
    }

    @Test
    void theFlagLeavesTheWholeFileAside() throws IOException {
        int second = tokens("--no-model-defaults")[1];
        says("{\"do_sample\": true, \"temperature\": -1, \"eos_token_id\": %d}".formatted(second));

        Run refused = generate();
        assertThat(refused.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(refused.err())
                .contains("tutti: " + model.resolve("generation_config.json")
                        + ": temperature = -1 is not supported; accepted: 0 or a number from 1e-4 to 1e4"
                        + " (generate and chat leave the file aside with --no-model-defaults)\n");
        Run run = generate("--no-model-defaults");
        assertThat(run.json().get("tokens")).hasSize(24);
        assertThat(run.err()).doesNotContain("generation_config.json");
    }

    @Test
    void inspectShowsThem() throws IOException {
        assertThat(Run.of("inspect", model.toString()).out())
                .contains("  sampling      temperature 0.9, top-k 30, top-p 0.8, repetition-penalty 1.5\n");
        JsonNode json = Run.of("inspect", model.toString(), "--json").json().get("sampling");
        assertThat(json.toString())
                .isEqualTo("{\"temperature\":0.9,\"top_k\":30,\"top_p\":0.8,\"min_p\":0.0,\"repetition_penalty\":1.5}");
        says("{\"temperature\": 0.9, \"repetition_penalty\": 2}");
        assertThat(Run.of("inspect", model.toString()).out())
                .contains("  sampling      greedy, repetition-penalty 2\n");
        says("{\"do_sample\": true, \"top_p\": 7}");
        assertThat(Run.of("inspect", model.toString()).err()).contains("top_p = 7 is not supported");
        says("{\"do_sample\": true, \"temperature\": 1e-6}");
        assertThat(Run.of("inspect", model.toString()).out())
                .contains(
                        "  sampling      greedy\n",
                        "  note          generation_config.json: temperature = 1e-6 is below 1e-4, so the likeliest token is"
                                + " taken\n");
    }

    @Test
    void aTinyTemperatureIsGreedyAndANoteSaysSo() throws IOException {
        int[] greedy = tokens("--no-model-defaults");
        says("{\"do_sample\": true, \"temperature\": 1e-6, \"top_p\": 0.0, \"top_k\": -1}");

        Run run = generate();
        assertThat(ints(run.json().get("tokens"))).isEqualTo(greedy);
        assertThat(run.err())
                .containsOnlyOnce("generation_config.json: temperature = 1e-6 is below 1e-4, so the likeliest token is"
                        + " taken " + LEAVES_ASIDE);
        assertThat(tokens("--temperature", "0")).isEqualTo(greedy);
        assertThat(generate("--temperature", "0").err()).doesNotContain("generation_config.json");
        assertThat(generate("--temperature", "0.9").err())
                .contains("top_k = -1 is not supported; accepted: ", "--no-model-defaults");
        assertThat(tokens("--temperature", "0.9", "--top-k", "0", "--top-p", "0.8"))
                .isEqualTo(tokens("--no-model-defaults", "--temperature", "0.9", "--top-p", "0.8"));
        assertThat(generate("--temperature", "1e-6").exitCode()).isEqualTo(ExitCode.BAD_USAGE);
    }

    @Test
    void whatGreedyIgnoresIsNotRefused() throws IOException {
        int[] greedy = tokens("--no-model-defaults");
        for (String json : List.of(
                "{\"do_sample\": false, \"top_p\": 0.0}",
                "{\"do_sample\": false, \"temperature\": -1, \"top_k\": \"all\", \"min_p\": 2}",
                "{\"temperature\": 0.0, \"top_k\": 1.5}")) {
            says(json);
            assertThat(tokens()).as(json).isEqualTo(greedy);
        }
        says("{\"do_sample\": false, \"repetition_penalty\": 0}");
        assertThat(generate().err()).contains("repetition_penalty = 0 is not supported", "--no-model-defaults");
    }

    @Test
    void keysThatAreNotAppliedAreToldInOneNoteAndByInspect() throws IOException {
        says("{\"num_beams\": 4, \"typical_p\": 0.9, \"suppress_tokens\": [5], \"guidance_scale\": null}");
        String greedy = "not applied: num_beams, suppress_tokens; an engine that applies them may give other tokens\n";
        assertThat(generate().err()).contains("generation_config.json: " + greedy);
        assertThat(generate("--temperature", "1").err())
                .contains("generation_config.json: not applied: num_beams, suppress_tokens, typical_p; ");
        assertThat(generate("--no-model-defaults").err()).doesNotContain("generation_config.json");
        assertThat(Run.of("inspect", model.toString()).out())
                .contains("  note          generation_config.json: " + greedy);
        assertThat(Run.of("inspect", model.toString(), "--json").json().get("unapplied_generation_keys"))
                .hasToString("[\"num_beams\",\"suppress_tokens\"]");

        says("{\"num_beams\": 1, \"typical_p\": 1.0, \"suppress_tokens\": null}");
        assertThat(generate("--temperature", "1").err()).doesNotContain("not applied");
        assertThat(Run.of("inspect", model.toString()).out()).doesNotContain("not applied");
    }

    @Test
    void whatIsMeasuredOrComparedStaysGreedy() {
        Run compare = Run.of(
                "compare", model.toString(), "--device", "host,reference", "--tokens", "5,6,7", "--max-tokens", "4");
        assertThat(compare.err()).doesNotContain("generation_config.json");
    }
}
