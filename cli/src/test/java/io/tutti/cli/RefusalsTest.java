package io.tutti.cli;

import static io.tutti.cli.Run.TINY;
import static io.tutti.cli.Run.model;
import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.cli.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every refusal is one line on standard error that says what was given and what is accepted, and the right exit code.
 */
class RefusalsTest {

    /** A command line, its exit code, and what its line must say. */
    record Refusal(int exitCode, List<String> args, List<String> says) {
        Refusal says(String... parts) {
            return new Refusal(exitCode, args, List.of(parts));
        }

        @Override
        public String toString() {
            return String.join(" ", args).replace(Run.MODELS.toString(), "golden");
        }
    }

    private static Refusal usage(String... args) {
        return new Refusal(ExitCode.BAD_USAGE, List.of(args), List.of());
    }

    private static Refusal refused(String... args) {
        return new Refusal(ExitCode.REFUSED, List.of(args), List.of());
    }

    /** {@code generate} of one token with more options. */
    private static Refusal generate(String... options) {
        List<String> args = new ArrayList<>(List.of("generate", TINY, "--tokens", "1"));
        args.addAll(Arrays.asList(options));
        return usage(args.toArray(String[]::new));
    }

    private static Refusal compare(String... options) {
        List<String> args = new ArrayList<>(List.of("compare", TINY));
        args.addAll(Arrays.asList(options));
        return usage(args.toArray(String[]::new));
    }

    private static Refusal bench(String... options) {
        List<String> args = new ArrayList<>(List.of("bench", TINY));
        args.addAll(Arrays.asList(options));
        return usage(args.toArray(String[]::new));
    }

    private static Refusal modelRefuses(String... options) {
        return new Refusal(ExitCode.REFUSED, generate(options).args, List.of());
    }

    static Stream<Refusal> commandLines() {
        return Stream.of(
                usage().says("no command", "generate", "demo"),
                usage("genrate").says("\"genrate\"", "generate"),
                usage("--nonsense").says("--nonsense", "tutti --help"),
                usage("benchmark", TINY).says("\"benchmark\"", "bench"),
                // the model
                usage("generate", "--tokens", "1").says("no model", "--model"),
                usage("inspect").says("no model", "--model"),
                usage("inspect", TINY, "--model", TINY).says("twice", "--model"),
                usage("inspect", TINY, "another").says("\"another\""),
                usage("inspect", "").says("MODEL", "\"\""),
                refused("inspect", "owner/no-model")
                        .says(
                                "there is no directory owner/no-model, nor is it in the Hugging Face cache ",
                                "`tutti pull owner/no-model`"),
                refused("inspect", "--model", "owner/no-model@v1").says("`tutti pull owner/no-model@v1`"),
                refused("inspect", "not-a-name").says("not-a-name: no such directory", "owner/name[@revision]"),
                // models from a hub
                usage("pull").says("no model", "owner/name[@revision]"),
                usage("pull", "name").says("MODEL is \"name\"", "owner/name[@revision]"),
                usage("pull", "../name").says("\"../name\""),
                usage("pull", "owner/name@").says("\"owner/name@\""),
                usage("pull", "owner/name", "another").says("\"another\""),
                // the prompt
                usage("generate", TINY).says("no prompt", "--prompt", "--prompt-file", "--tokens"),
                usage("generate", TINY, "--prompt", "a", "--tokens", "1").says("2 prompts", "exactly one"),
                usage("generate", TINY, "--prompt", "a", "--tokens", "1", "--prompt-file", "-")
                        .says("3 prompts"),
                usage("generate", TINY, "--prompt", "").says("--prompt", "\"\""),
                usage("generate", TINY, "--prompt", "caf\uFFFD").says("--prompt", "not UTF-8", "--prompt-file"),
                usage("generate", TINY, "--prompt", "a\uD800b").says("--prompt", "not UTF-8"),
                usage("logits", TINY, "--prompt", "\uFFFD", "--out", "x").says("--prompt", "not UTF-8"),
                generate("--stop", "b", "--stop", "\uFFFD").says("--stop", "not UTF-8"),
                usage("generate", TINY, "--prompt").says("--prompt", "no value"),
                usage("generate", TINY, "--prompt", "--json").says("--prompt", "no value"),
                usage("generate", TINY, "--tokens", "").says("--tokens", "1,2,3"),
                usage("generate", TINY, "--tokens", "1,,2").says("--tokens", "place 2"),
                usage("generate", TINY, "--tokens", "1,x").says("--tokens", "\"x\"", "place 2"),
                usage("generate", TINY, "--tokens", "1,").says("--tokens", "place 2"),
                usage("generate", TINY, "--tokens", "99999999999").says("--tokens", "99999999999"),
                usage("generate", TINY, "--tokens", "1", "--tokens", "2").says("--tokens", "twice"),
                refused("generate", TINY, "--tokens", "1,256").says("--tokens", "256", "place 2", "0 to 255", TINY),
                refused("generate", TINY, "--tokens", "-1").says("--tokens", "-1", "0 to 255"),
                refused("generate", TINY, "--prompt", "x".repeat(513)).says("--prompt", "513", "512"),
                refused("generate", model("mha-f32"), "--prompt", "a").says("tokenizer.json", "--tokens"),
                // numbers
                generate("--max-tokens", "0").says("--max-tokens is 0", "from 1"),
                generate("--max-tokens", "1e3").says("--max-tokens", "\"1e3\""),
                generate("--max-tokens", "4294967296").says("--max-tokens", "4294967296"),
                generate("--max-tokens", "+5").says("--max-tokens", "\"+5\""),
                generate("--max-tokens", "").says("--max-tokens", "\"\""),
                generate("--max-tokns", "5").says("--max-tokns", "did you mean --max-tokens?"),
                generate("--threads", "0").says("--threads is 0", "1 to"),
                generate("--threads", "1000000").says("--threads is 1000000", "1 to"),
                generate("--chunk", "0").says("--chunk is 0"),
                generate("--chunk", "-3").says("--chunk is -3"),
                generate("--block-tokens", "0").says("--block-tokens is 0"),
                generate("--kv-blocks", "0").says("--kv-blocks is 0"),
                generate("--kv-blocks", "2", "--max-tokens", "100").says("--kv-blocks is 2", "at least 7"),
                generate("--temperature", "-1").says("--temperature is -1", "1e-4 to 1e4"),
                generate("--temperature", "1e5").says("--temperature is 1e5", "1e-4 to 1e4"),
                generate("--temperature", "0.00001").says("--temperature is 0.00001"),
                generate("--temperature", "1e-400").says("--temperature is 1e-400"),
                generate("--temperature", "1.0f").says("--temperature", "\"1.0f\""),
                generate("--temperature", "NaN").says("--temperature", "\"NaN\""),
                generate("--temperature", "Infinity").says("--temperature", "\"Infinity\""),
                generate("--temperature", "0x1p3").says("--temperature", "\"0x1p3\""),
                generate("--temperature", ".5").says("--temperature", "\".5\""),
                generate("--temperature", "1e999").says("--temperature", "1e999"),
                generate("--temperature", "١").says("--temperature", "\"١\""),
                generate("--top-k", "-1").says("--top-k is -1"),
                generate("--top-k", "1.5").says("--top-k", "\"1.5\""),
                generate("--top-p", "0").says("--top-p is 0", "above 0"),
                generate("--top-p", "1.01").says("--top-p is 1.01"),
                generate("--min-p", "-0.1").says("--min-p is -0.1"),
                generate("--min-p", "2").says("--min-p is 2"),
                generate("--repetition-penalty", "0").says("--repetition-penalty is 0", "above 0"),
                generate("--presence-penalty", "much").says("--presence-penalty", "\"much\""),
                generate("--frequency-penalty", "1e400").says("--frequency-penalty", "1e400"),
                generate("--seed", "-1").says("--seed", "18446744073709551615"),
                generate("--seed", "18446744073709551616").says("--seed", "18446744073709551615"),
                generate("--seed", "1.0").says("--seed", "\"1.0\""),
                // words
                generate("--kv", "f64").says("--kv", "\"f64\"", "f16 or f32"),
                generate("--quant", "int8").says("--quant", "\"int8\"", "int4:32"),
                generate("--quant", "int4").says("--quant", "int4:G"),
                generate("--quant", "int4:0").says("--quant", "0"),
                generate("--activations", "f16").says("--activations", "\"f16\"", "f32 or int8"),
                generate("--stop", "").says("--stop", "\"\""),
                generate("--json=perhaps").says("--json", "perhaps", "without a value"),
                generate("--json=true").says("--json", "true", "without a value"),
                generate("--ignore-eos=no").says("--ignore-eos", "no", "without a value"),
                usage("generate", model("mha-f32"), "--tokens", "1", "--stop", "a")
                        .says("--stop", "tokenizer"),
                modelRefuses("--device", "opencl:7").says("--device", "\"opencl:7\"", "host"),
                modelRefuses("--quant", "int4:7").says("7", "columns"),
                modelRefuses("--activations", "int8").says("--activations is int8", TINY, "int4", "--quant int4:G"),
                modelRefuses("--kv-blocks", "2000000000").says("--kv-blocks 2000000000", "memory"),
                modelRefuses("--block-tokens", "2000000000").says("--block-tokens 2000000000", "memory"),
                refused("generate", model("tiny-int4"), "--tokens", "1", "--quant", "int4:32")
                        .says("int4 model already"),
                modelRefuses("--device", "host", "--presence-penalty", "-1e307", "--temperature", "1e-4", "--json")
                        .says("--presence-penalty -1.0E307", "--temperature 1.0E-4", "Infinity"),
                // outputs
                usage("logits", TINY, "--tokens", "1").says("--out"),
                usage("logits", TINY, "--tokens", "1", "--out", "").says("--out", "\"\""),
                refused("logits", TINY, "--tokens", "1", "--out", TINY).says(TINY, "directory"),
                usage("quantize", TINY).says("--out"),
                refused("quantize", TINY, "--out", TINY).says(TINY, "not empty"),
                refused("quantize", TINY, "--quant", "int4:5", "--out", TINY + "-new")
                        .says("multiple of the group, 5"),
                refused("quantize", model("bigram"), "--out", TINY + "-new").says("bigram"),
                // comparisons
                compare("--device", "host,").says("--device", "\"host,\"", "host,opencl:0"),
                compare("--device", "host,host").says("--device", "\"host,host\"", "each once"),
                compare("--device", "auto,host").says("--device", "\"auto,host\"", "each once"),
                compare("--device", "host", "--layers").says("--layers needs two devices", "reference,host"),
                compare("--max-tokens", "0").says("--max-tokens is 0", "from 1"),
                compare("--plot", "picture.jpg").says("--plot", "\"picture.jpg\"", ".png"),
                compare("--tokens", "1", "--prompt", "a").says("2 prompts", "one of"),
                refused("compare", TINY, "--device", "host,opencl:7").says("\"opencl:7\"", "not there", "host"),
                refused("compare", TINY, "--plot", "absent/picture.png").says("absent/picture.png", "no directory"),
                refused("compare", TINY, "--tokens", "256").says("--tokens", "256", "0 to 255"),
                // figures
                usage("bench").says("no model", "--model"),
                bench("--device", "host,").says("--device", "\"host,\"", "host,opencl:0"),
                bench("--device", "host,auto").says("--device", "\"host,auto\"", "each once"),
                bench("--batch", "0").says("--batch is 0", "from 1"),
                bench("--batch", "2000").says("--batch is 2000", "1024"),
                bench("--repeats", "0").says("--repeats is 0", "from 1"),
                bench("--context", "0,").says("--context", "\"\"", "from 0"),
                bench("--context", "-1").says("--context is -1", "from 0"),
                bench("--plot", "picture.jpg").says("--plot", "\"picture.jpg\"", ".png"),
                bench("--kv-blocks", "3").says("--kv-blocks is 3", "at least"),
                refused("bench", TINY, "--device", "opencl:7").says("\"opencl:7\"", "not there", "host"),
                refused("bench", TINY, "--plot", "absent/picture.png").says("absent/picture.png", "no directory"),
                refused("bench", model("tiny-int4"), "--quant", "int4:32").says("int4 model already"),
                refused("bench", TINY, "--device", "host", "--quant", "int4:7").says("7", "columns"),
                usage("devices", "host").says("\"host\""));
    }

    @ParameterizedTest
    @MethodSource("commandLines")
    void aBadCommandLineGetsOneLineAndItsExitCode(Refusal refusal) {
        Run run = Run.of(refusal.args);

        assertThat(run.err()).startsWith("tutti: ").endsWith("\n").containsOnlyOnce("\n");
        assertThat(run.err()).contains(refusal.says).doesNotContain("Exception");
        assertThat(run.exitCode()).isEqualTo(refusal.exitCode);
        assertThat(run.out()).isEmpty();
        assertThat(Path.of(TINY + "-new")).doesNotExist();
    }

    @Test
    void aModelThatIsNotThereIsNamed(@TempDir Path folder) {
        Path missing = folder.resolve("no model");
        for (List<String> command : List.of(
                List.of("inspect", missing.toString()),
                List.of("generate", missing.toString(), "--tokens", "1"),
                List.of(
                        "logits",
                        missing.toString(),
                        "--tokens",
                        "1",
                        "--out",
                        folder.resolve("out").toString()),
                List.of(
                        "quantize",
                        missing.toString(),
                        "--out",
                        folder.resolve("out").toString()))) {
            Run run = Run.of(command);
            assertThat(run.err())
                    .isEqualTo("tutti: " + missing
                            + ": no such directory; a model is a Hugging Face style directory with config.json and"
                            + " model.safetensors, or owner/name[@revision] of one in the Hugging Face cache\n");
            assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aPromptFileThatCannotBeTextIsNamed(@TempDir Path folder) throws IOException {
        Path notUtf8 = Files.write(folder.resolve("latin1.txt"), new byte[] {'a', 'b', (byte) 0xE9, ' '});
        Path cutShort = Files.write(folder.resolve("cut.txt"), new byte[] {'a', (byte) 0xE2, (byte) 0x82});
        Path empty = Files.createFile(folder.resolve("empty.txt"));

        assertRefused(
                Run.of("generate", TINY, "--prompt-file", notUtf8.toString()),
                notUtf8 + " has the byte 0xe9 at place 2");
        assertRefused(
                Run.of("generate", TINY, "--prompt-file", cutShort.toString()),
                cutShort + " has the byte 0xe2 at place 1");
        assertRefused(Run.of("generate", TINY, "--prompt-file", empty.toString()), empty + " is empty");
        assertRefused(Run.of("generate", TINY, "--prompt-file", folder.toString()), folder + " is a directory");
        assertRefused(Run.of("generate", TINY, "--prompt-file", folder + "/none"), folder + "/none: no such file");
        assertRefused(Run.with(new byte[] {(byte) 0xFF}, "generate", TINY, "--prompt-file", "-"), "(standard input)");
        assertRefused(Run.of("generate", TINY, "--prompt-file", "-"), "(standard input) is empty");
    }

    private static void assertRefused(Run run, String says) {
        assertThat(run.err()).startsWith("tutti: ").contains(says).containsOnlyOnce("\n");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void verboseAddsTheStackTraceAfterTheLine() {
        Run refused = Run.of("inspect", "no-such-model", "--verbose");
        assertThat(refused.err().lines().findFirst())
                .hasValueSatisfying(line -> assertThat(line).startsWith("tutti: no-such-model: "));
        assertThat(refused.err()).contains("\tat io.tutti.");

        Run usage = Run.of("generate", "--verbose", "--seed", "x");
        assertThat(usage.err()).startsWith("tutti: --seed is \"x\"").contains("\tat io.tutti.");
    }

    @Test
    void aNameWithALineFeedStaysOnOneLine() {
        Run run = Run.of("inspect", "two\nlines");
        assertThat(run.err()).startsWith("tutti: two lines: no such directory").containsOnlyOnce("\n");
    }
}
