package io.tutti.runtime.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.GenerationConfig;
import io.tutti.sample.SamplingParams;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SamplingDefaultsTest {

    private static final SamplingParams GREEDY = SamplingParams.greedy();

    @TempDir
    private Path folder;

    @Test
    void withoutAFileOrAWordInItTheChoiceIsGreedy() throws IOException {
        assertThat(SamplingDefaults.of(GenerationConfig.load(folder)))
                .isEqualTo(new SamplingDefaults(GREEDY, Optional.empty()));
        assertThat(defaults("{}")).isEqualTo(GREEDY);
        assertThat(defaults("{\"do_sample\": null, \"temperature\": null, \"top_k\": null}"))
                .isEqualTo(GREEDY);
    }

    @Test
    void aFileThatSaysToSampleSetsWhatItNames() throws IOException {
        assertThat(defaults("""
                                {"do_sample": true, "temperature": 0.6, "top_k": 20, "top_p": 0.95, "min_p": 0.05,
                                 "repetition_penalty": 1.1, "max_new_tokens": 2048}
                                """)).isEqualTo(new SamplingParams(0.6, 20, 0.95, 0.05, 1.1, 0, 0));
        assertThat(defaults("{\"do_sample\": true, \"top_p\": 1}")).isEqualTo(GREEDY.withTemperature(1));
    }

    @Test
    void aFileThatDoesNotSayToSampleSetsThePenaltyAlone() throws IOException {
        String values =
                "\"temperature\": 0.6, \"top_k\": 20, \"top_p\": 0.9, \"min_p\": 0.1, \"repetition_penalty\": 2";
        assertThat(defaults("{" + values + "}")).isEqualTo(GREEDY.withRepetitionPenalty(2));
        assertThat(defaults("{\"do_sample\": false, " + values + "}")).isEqualTo(GREEDY.withRepetitionPenalty(2));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "temperature | -1      | 1e-4 to 1e4",
                "temperature | \"hot\" | a number, or null",
                "top_k       | -1      | 0 to",
                "top_k       | 20.5    | 0 to",
                "top_k       | 1e999999999 | 0 to",
                "temperature | 1e999999999 | a number, or null",
                "top_p       | 0       | above 0 and at most 1",
                "top_p       | 1.5     | above 0 and at most 1",
                "min_p       | -0.1    | 0 to 1",
                "do_sample   | 1       | true or false",
                "repetition_penalty | 0 | above 0",
            })
    void aBadValueThatCountsIsRefusedWithFileKeyValueAndWhatIsAccepted(String key, String value, String accepted)
            throws IOException {
        boolean always = key.equals("do_sample") || key.equals("repetition_penalty");
        for (String sampling : new String[] {"", "\"do_sample\": false, ", "\"do_sample\": true, "}) {
            String json = "{" + sampling + "\"" + key + "\": " + value + "}";
            if (key.equals("do_sample") && !sampling.isEmpty()) {
                continue;
            }
            if (!always && !sampling.contains("true")) {
                assertThat(defaults(json)).isEqualTo(GREEDY);
                continue;
            }
            assertThatThrownBy(() -> defaults(json))
                    .isInstanceOf(ModelException.class)
                    .hasMessageStartingWith(folder.resolve("generation_config.json") + ": " + key + " = ")
                    .hasMessageContaining(value.startsWith("\"") ? "hot" : value)
                    .hasMessageContaining("accepted: ")
                    .hasMessageContaining(accepted)
                    .hasMessageEndingWith(" (generate and chat leave the file aside with --no-model-defaults)")
                    .hasMessageNotContaining("\n");
        }
    }

    @ParameterizedTest
    @CsvSource({"1e-6, 1e-6", "9.90E-5, 9.9e-5", "1E-300, 1e-300", "0.00001, 1e-5"})
    void aTemperatureTooSmallForTheSamplerIsGreedyAndANoteSaysSo(String temperature, String told) throws IOException {
        String json = "{\"do_sample\": true, \"temperature\": " + temperature
                + ", \"top_k\": -1, \"top_p\": 0.0, \"min_p\": \"x\", \"repetition_penalty\": 1.5}";
        SamplingDefaults found = found(json, _ -> false);

        assertThat(found.params()).isEqualTo(GREEDY.withRepetitionPenalty(1.5));
        assertThat(found.note()).hasValue("temperature = " + told + " is below 1e-4, so the likeliest token is taken");
    }

    @Test
    void theSmallestTemperatureOfTheSamplerDrawsAndZeroIsGreedyWithoutANote() throws IOException {
        assertThat(found("{\"do_sample\": true, \"temperature\": 1e-4}", _ -> false))
                .isEqualTo(new SamplingDefaults(GREEDY.withTemperature(1e-4), Optional.empty()));
        assertThat(found("{\"do_sample\": true, \"temperature\": 0.0, \"top_p\": 0}", _ -> false))
                .isEqualTo(new SamplingDefaults(GREEDY, Optional.empty()));
    }

    @Test
    void whatTheUserGivesIsNotReadFromTheFile() throws IOException {
        String json = "{\"do_sample\": true, \"temperature\": 1e-6, \"top_k\": 7, \"top_p\": 0}";

        assertThat(found(json, Set.of("temperature", "top_p")::contains).params())
                .isEqualTo(GREEDY.withTemperature(1).withTopK(7));
        assertThatThrownBy(() -> found(json, Set.of("temperature")::contains))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("top_p = 0 is not supported");
        assertThat(SamplingDefaults.greedy(GenerationConfig.load(folder), _ -> false))
                .isEqualTo(new SamplingDefaults(GREEDY, Optional.empty()));
    }

    private SamplingParams defaults(String json) throws IOException {
        return found(json, _ -> false).params();
    }

    private SamplingDefaults found(String json, Predicate<String> given) throws IOException {
        Files.writeString(folder.resolve("generation_config.json"), json);
        return SamplingDefaults.of(GenerationConfig.load(folder), given);
    }
}
