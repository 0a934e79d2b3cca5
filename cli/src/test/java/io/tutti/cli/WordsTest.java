package io.tutti.cli;

import static io.tutti.cli.Run.ints;
import static io.tutti.cli.Run.model;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.cli.console.ExitCode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What users of Ollama, llama.cpp and transformers type first. */
class WordsTest {

    private static final String BIGRAM = model("bigram");

    private static JsonNode generate(String... args) {
        return Run.of(Stream.concat(Stream.of("generate", "--json"), Stream.of(args))
                        .toArray(String[]::new))
                .json();
    }

    private static String prompt(JsonNode json) {
        StringBuilder text = new StringBuilder();
        for (int token : ints(json.get("prompt_tokens"))) {
            text.appendCodePoint(token);
        }
        return text.toString();
    }

    @Test
    void shortOptionsAreTheLongOnes() {
        JsonNode json = generate("-m", BIGRAM, "-p", "a", "-n", "3", "-s", "9");
        assertThat(prompt(json)).isEqualTo("a");
        assertThat(json.get("text").textValue()).isEqualTo("bcd");
        assertThat(json.get("seed").intValue()).isEqualTo(9);
        assertThat(Run.of("inspect", "-m", BIGRAM).exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void thePromptIsTheLastArgument() {
        assertThat(prompt(generate(BIGRAM, "one two", "-n", "1"))).isEqualTo("one two");
        assertThat(prompt(generate("-n", "1", BIGRAM, "one two"))).isEqualTo("one two");
        assertThat(prompt(generate("-n", "1", "-m", BIGRAM, "one two"))).isEqualTo("one two");
        assertThat(prompt(generate("-n", "1", BIGRAM, "--", "-p"))).isEqualTo("-p");
    }

    @Test
    void aValueMayBeginWithADash() {
        for (String text : List.of("-p", "-nothing", "-s", "- item", "-5=3", "---", "-V2")) {
            assertThat(prompt(generate(BIGRAM, "--prompt", text, "-n", "1"))).isEqualTo(text);
        }
        assertThat(prompt(generate(BIGRAM, "-p", "-nothing", "-n", "1"))).isEqualTo("-nothing");
        assertThat(generate(BIGRAM, "-p", "m", "--stop", "-n", "--stop", "o")
                        .get("text")
                        .textValue())
                .isEqualTo("n");
        assertThat(Run.of("generate", BIGRAM, "-p", "-n", "1").err())
                .isEqualTo("tutti: --prompt has no value; accepted: --prompt TEXT (tutti generate --help says more)\n");
    }

    @ParameterizedTest
    @CsvSource({
        "--temp, 0.5",
        "--repeat-penalty, 1.5",
        "--repeat_penalty, 1.5",
        "--top_p, 0.5",
        "-top-p, 0.5",
        "--max-new-tokens, 3",
        "--n-predict, 3",
        "-t, 1"
    })
    void otherNamesOfTheSameOptionAreTaken(String option, String value) {
        assertThat(Run.of("generate", BIGRAM, "-p", "a", option, value).exitCode())
                .isEqualTo(ExitCode.DONE);
        assertThat(Run.of("generate", BIGRAM, "-p", "a", option + "=" + value).exitCode())
                .isEqualTo(ExitCode.DONE);
        Run wrong = Run.of("generate", BIGRAM, "-p", "a", option, "x");
        assertThat(wrong.err()).startsWith("tutti: --").contains(" is \"x\"; accepted: ");
    }

    @ParameterizedTest
    @CsvSource({
        "-ngl, --device NAME",
        "--n-gpu-layers, --device NAME",
        "-r, --stop TEXT",
        "-ctk, --kv f16",
        "-b, --chunk N",
        "--do-sample, --temperature T",
        "--do_sample, --temperature T",
        "--think, --template-var enable_thinking",
        "--chat-template-kwargs, --template-var NAME=VALUE",
        "-cnv, tutti chat MODEL",
        "-i, tutti chat MODEL",
        "-e, --prompt-file FILE",
        "-hf, --model owner/name"
    })
    void anOptionWhoseValuesDifferIsRefusedWithOurs(String option, String ours) {
        Run run = Run.of("generate", BIGRAM, "-p", "a", option, "1");
        assertThat(run.err())
                .startsWith("tutti: unknown option \"" + option + "\"; did you mean " + ours)
                .hasLineCount(1);
        assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_USAGE);
    }

    @Test
    void lettersAfterAShortOptionAreNotItsValue() {
        for (String option : List.of("-n5", "-seeds", "-px")) {
            Run run = Run.of("generate", BIGRAM, "-p", "a", option);
            assertThat(run.err()).startsWith("tutti: unknown option \"" + option + "\"");
            assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_USAGE);
        }
        assertThat(prompt(generate(BIGRAM, "-prompt", "abc", "-n", "1"))).isEqualTo("abc");
    }

    @ParameterizedTest
    @CsvSource({
        "genrate, generate",
        "gnerate, generate",
        "gen, generate",
        "benchmark, bench",
        "show, inspect",
        "download, pull",
        "chta, chat",
        "hlep, help",
        "ask, chat"
    })
    void theNearestCommandIsNamed(String typed, String meant) {
        for (Run run : List.of(Run.of(typed, BIGRAM), Run.of("help", typed))) {
            assertThat(run.err())
                    .startsWith(
                            "tutti: unknown command \"" + typed + "\"; did you mean " + meant + "?; accepted: demo, ")
                    .hasLineCount(1);
            assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_USAGE);
        }
    }

    @Test
    void aWordThatIsNearNoCommandGetsTheListAlone() {
        assertThat(Run.of("xyzzy").err()).startsWith("tutti: unknown command \"xyzzy\"; accepted: demo, ");
        assertThat(Run.of("").err()).startsWith("tutti: unknown command \"\"; accepted: demo, ");
    }

    @Test
    void aCommandLineWithoutACommandIsToldWhichOneItLacks() {
        assertThat(Run.of("-m", BIGRAM, "-p", "a").err())
                .startsWith(
                        "tutti: no command is given before \"-m\"; did you mean tutti generate -m?; accepted: demo, ")
                .hasLineCount(1);
        assertThat(Run.of("owner/name").err())
                .startsWith(
                        "tutti: unknown command \"owner/name\"; did you mean tutti chat owner/name?; accepted: demo, ")
                .hasLineCount(1);
        assertThat(Run.of("-x").err()).startsWith("tutti: unknown option \"-x\"");
    }
}
