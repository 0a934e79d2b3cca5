package io.tutti.cli;

import static io.tutti.cli.Run.TINY;
import static io.tutti.cli.Run.ints;
import static io.tutti.cli.Run.model;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.cli.FlawedDevice.LogitsFlaw;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Interrupts;
import io.tutti.engine.graph.Graph;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompareTest {

    private static final String UP = "model.layers.1.mlp.up_proj.weight";
    private static final int VOCAB = 256;
    private static final int FLAWED_POSITION = 5;

    @TempDir
    private Path folder;

    private static Run compare(FlawedDevice device, String... options) {
        return FakeBackend.with(device, () -> Run.of(List.of("compare", TINY), options));
    }

    /** The lowest bit of the logit of token 7 at position 5, in graphs that {@code which} picks. */
    private static LogitsFlaw lowestBit(Predicate<Graph> which) {
        return (graph, step, logits) -> IntStream.range(0, step.outputs().length)
                .filter(row -> which.test(graph) && step.positions()[step.outputs()[row]] == FLAWED_POSITION)
                .map(row -> row * graph.logits().width() + 7)
                .forEach(at -> logits[at] = Float.intBitsToFloat(Float.floatToRawIntBits(logits[at]) ^ 1));
    }

    private static List<String> differingStages(JsonNode device) {
        List<String> stages = new ArrayList<>();
        device.get("layers").forEach(layer -> {
            if (layer.get("differing").intValue() > 0) {
                stages.add(layer.get("output").textValue());
            }
        });
        return stages;
    }

    @Test
    void equalDevicesHaveZeroDifferingBits() {
        Run run = compare(FlawedDevice.twin("twin:0"), "--max-tokens", "20");
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.err()).isEmpty();
        int logits = (64 + 20 - 1) * VOCAB;
        assertThat(run.out())
                .startsWith(
                        "twin:0 vs host: 0 differing bits in %,d logits; the same 20 greedy tokens\n".formatted(logits))
                .contains("64 prompt tokens", "20 new tokens", "ms each");
    }

    @Test
    void theFirstDeviceNamedIsWhatTheOthersAreComparedWith() {
        Run run = compare(FlawedDevice.twin("twin:0"), "--device", "twin:0,reference,host", "--max-tokens", "2");
        assertThat(run.out()).startsWith("reference vs twin:0: 0 differing").contains("host vs twin:0: 0 differing");
    }

    @Test
    void theNewTokensAreThoseOfGenerate() {
        String[] prompt = {"--tokens", "5,6,7,8", "--max-tokens", "9", "--json"};
        JsonNode compared = compare(FlawedDevice.twin("twin:0"), prompt).json();
        Run generated = Run.of(List.of("generate", TINY, "--ignore-eos"), prompt);
        assertThat(ints(compared.get("tokens"))).isEqualTo(ints(generated.json().get("tokens")));
        assertThat(ints(compared.get("prompt_tokens"))).containsExactly(5, 6, 7, 8);
        assertThat(compared.get("devices").get(1).get("same_greedy_tokens").intValue())
                .isEqualTo(9);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tiny-int4", "bigram", "gqa-f16-wide-heads", "demo"})
    void theHostIsTheReferenceLayerByLayer(String model) {
        Run run = Run.of(
                "compare", model(model), "--device", "reference,host", "--max-tokens", "4", "--layers", "--chunk", "9");
        assertThat(run.out()).contains("host vs reference: 0 differing bits", "  no op differs\n");
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void aDeviceAloneIsComparedWithItselfTokenByToken() {
        Run run = Run.of("compare", TINY, "--device", "host", "--max-tokens", "3");
        assertThat(run.out())
                .startsWith("host token by token vs host: 0 differing bits in %,d logits".formatted((64 + 2) * VOCAB));
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void aSingleFlippedBitIsFoundAndItsPlaceTold() {
        FlawedDevice device = FlawedDevice.withLogits("flaw:0", lowestBit(_ -> true));
        Run text = compare(device, "--max-tokens", "3");
        assertThat(text.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(text.err()).startsWith("device flaw:0 is approximate: ").containsOnlyOnce("\n");
        assertThat(text.out())
                .startsWith(
                        "flaw:0 vs host: 1 differing bit in 1 of %,d logits, the first at position 5\n  largest difference "
                                .formatted((64 + 2) * VOCAB));

        JsonNode json =
                compare(device, "--max-tokens", "3", "--layers", "--json").json();
        JsonNode flawed = json.get("devices").get(1);
        assertThat(json.get("reference").textValue()).isEqualTo("host");
        assertThat(flawed.get("self_test").textValue()).startsWith("approximate: ");
        assertThat(flawed.get("compared").intValue()).isEqualTo((64 + 2) * VOCAB);
        assertThat(flawed.get("differing").intValue()).isEqualTo(1);
        assertThat(flawed.get("differing_bits").intValue()).isEqualTo(1);
        assertThat(flawed.get("first_differing_position").intValue()).isEqualTo(FLAWED_POSITION);
        assertThat(flawed.get("largest_difference").doubleValue()).isPositive().isLessThan(1e-5);
        assertThat(differingStages(flawed)).containsExactly("logits");
        assertThat(flawed.get("first_differing_op").get("op").textValue())
                .isEqualTo("MatMul model.embed_tokens.weight");
    }

    @Test
    void theFirstOpThatDiffersIsNamedWithItsLayer() {
        FlawedDevice device = FlawedDevice.withWeight("weight:0", UP);
        JsonNode flawed = compare(device, "--max-tokens", "3", "--layers", "--json")
                .json()
                .get("devices")
                .get(1);
        assertThat(differingStages(flawed)).containsExactly("layer 1", "logits");
        JsonNode first = flawed.get("first_differing_op");
        assertThat(first.get("op").textValue()).isEqualTo("MatMul " + UP);
        assertThat(first.get("in").textValue()).isEqualTo("layer 1");
        assertThat(first.get("differing").intValue()).isBetween(1, 64 + 2); // one output of each token
        assertThat(first.get("relative_difference").doubleValue()).isPositive();

        assertThat(compare(device, "--max-tokens", "3", "--layers").out())
                .contains("weight:0 vs host, layer by layer", "the first op that differs: MatMul " + UP + ": ");
    }

    @Test
    void aDifferenceOfTheWholeModelAloneIsSaidToBeOne() {
        FlawedDevice device = FlawedDevice.withLogits(
                "whole:0", lowestBit(graph -> graph.layers().size() > 1));
        assertThat(compare(device, "--max-tokens", "1", "--layers").out())
                .contains("1 differing bit in 1 of", "no op differs when each layer runs by itself");
    }

    @Test
    void logitsThatAreNoNumbersAreRefusedWithTheDevicesName() {
        FlawedDevice device = FlawedDevice.withLogits("nan:0", (_, _, logits) -> logits[0] = Float.NaN);
        Run run = compare(device, "--max-tokens", "1");
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("tutti: nan:0: sequence 0, position 0: the logit of token 0 is NaN");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void chunksAndBlocksChangeNoFigure() {
        FlawedDevice device = FlawedDevice.withWeight("weight:0", UP);
        JsonNode whole = compare(device, "--max-tokens", "6", "--json")
                .json()
                .get("devices")
                .get(1);
        JsonNode parts = compare(device, "--max-tokens", "6", "--json", "--chunk", "5", "--block-tokens", "3")
                .json()
                .get("devices")
                .get(1);
        for (String figure : List.of("differing", "differing_bits", "largest_difference", "first_differing_position")) {
            assertThat(parts.get(figure)).isEqualTo(whole.get(figure));
        }
    }

    @Test
    void thePromptMayFillTheContext() {
        String tokens = "7" + ",7".repeat(511);
        JsonNode json = Run.of("compare", TINY, "--device", "host", "--tokens", tokens, "--json")
                .json();
        assertThat(json.get("tokens")).hasSize(1);
        assertThat(json.get("devices").get(0).get("new_ms_per_token").isNull()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"twin", "flaw"})
    void thePictureIsAPng(String kind) throws IOException {
        Path picture = folder.resolve("picture.png");
        FlawedDevice device =
                kind.equals("twin") ? FlawedDevice.twin("twin:0") : FlawedDevice.withWeight("weight:0", UP);
        Run run = compare(device, "--max-tokens", "30", "--plot", picture.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        BufferedImage image = ImageIO.read(picture.toFile());
        assertThat(image.getWidth()).isEqualTo(2000);
        assertThat(folder).isDirectoryContaining(file -> file.equals(picture));
        try (var files = Files.list(folder)) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void thePictureReplacesNoInput() throws IOException {
        Path prompt = Files.writeString(folder.resolve("prompt.png"), "abc");
        Run run = Run.of("compare", TINY, "--prompt-file", prompt.toString(), "--plot", prompt.toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).startsWith("tutti: --plot " + prompt).contains("which this run reads");
        assertThat(prompt).hasContent("abc");
    }

    @Test
    void anInterruptLeavesNothing() {
        Interrupts interrupts = new Interrupts();
        interrupts.request();
        Run run = Run.with(
                new byte[0],
                new ByteArrayOutputStream(),
                interrupts,
                "compare",
                TINY,
                "--device",
                "host",
                "--plot",
                folder.resolve("picture.png").toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(run.out()).isEmpty();
        assertThat(folder).isEmptyDirectory();
    }
}
