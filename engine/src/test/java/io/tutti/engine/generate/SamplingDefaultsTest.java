package io.tutti.engine.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.GenerationConfig;
import io.tutti.sample.SamplingParams;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        assertThat(SamplingDefaults.of(GenerationConfig.load(folder))).isEqualTo(GREEDY);
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
    void aBadValueIsRefusedWithFileKeyValueAndWhatIsAccepted(String key, String value, String accepted) {
        for (String sampling : new String[] {"", "\"do_sample\": true, "}) {
            if (!(key.equals("do_sample") && !sampling.isEmpty())) {
                assertThatThrownBy(() -> defaults("{" + sampling + "\"" + key + "\": " + value + "}"))
                        .isInstanceOf(ModelException.class)
                        .hasMessageStartingWith(folder.resolve("generation_config.json") + ": " + key + " = ")
                        .hasMessageContaining(value.startsWith("\"") ? "hot" : value)
                        .hasMessageContaining("accepted: ")
                        .hasMessageContaining(accepted)
                        .hasMessageNotContaining("\n");
            }
        }
    }

    private SamplingParams defaults(String json) throws IOException {
        Files.writeString(folder.resolve("generation_config.json"), json);
        return SamplingDefaults.of(GenerationConfig.load(folder));
    }
}
