package io.tutti.modelio.config;

import static io.tutti.modelio.Models.write;
import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.modelio.Models;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GenerationConfigTest {
    @TempDir
    Path dir;

    @Test
    void oneReadingHoldsTheEndsAndTheSampling() throws IOException {
        TextConfig config = Models.config(dir, Models.CONFIG);
        GenerationConfig generation = load("{\"eos_token_id\": [5, 6], \"do_sample\": true, \"top_k\": 20}");
        Files.delete(generation.file());

        assertThat(config.with(generation).eosTokenIds()).containsExactly(5, 6);
        assertThat(generation.doSample()).isTrue();
        assertThat(generation.topK()).hasValue(20);
    }

    @Test
    void aDirectoryWithoutTheFileSaysNothing() {
        GenerationConfig nothing = GenerationConfig.load(dir);

        assertThat(nothing).usingRecursiveComparison().isEqualTo(GenerationConfig.absent(dir));
        assertThat(nothing.doSample()).isFalse();
        assertThat(nothing.eosTokenIds()).isEmpty();
        assertThat(nothing.temperature()).isEmpty();
    }

    @Test
    void aLinkToNothingIsNoAbsentFile() throws IOException {
        Path link = dir.resolve(GenerationConfig.FILE_NAME);
        Files.createSymbolicLink(link, Path.of("blobs", "gone"));

        assertRefused(
                () -> GenerationConfig.load(dir),
                link + ": is a link to \"blobs/gone\", which is not there; accepted: a file, or no link");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e999999999", "-1E+400", "20.50", "1.0"})
    void aNumberIsQuotedAsTheFileHasIt(String number) {
        GenerationConfig generation = load("{\"top_k\": " + number + "}");
        assertRefused(generation::topK, "top_k = " + number + " is not supported; accepted: ");
    }

    @Test
    void everyRefusalNamesTheOptionThatLeavesTheFileAside() throws IOException {
        String advice = "(generate and chat leave the file aside with --no-model-defaults)";
        for (String json : List.of(
                "{", "[]", "\uFEFF{}", "{\"do_sample\": 1}", "{\"eos_token_id\": \"x\"}", "{\"bos_token_id\": -1}")) {
            assertRefused(() -> load(json), GenerationConfig.FILE_NAME, advice);
        }
        GenerationConfig generation = load("{\"temperature\": [], \"top_k\": -1, \"top_p\": {}, \"min_p\": true,"
                + " \"repetition_penalty\": \"1\"}");
        assertRefused(generation::temperature, "temperature = [] is not supported", advice);
        assertRefused(generation::topK, "top_k = -1 is not supported", advice);
        assertRefused(generation::topP, "top_p = {} is not supported", advice);
        assertRefused(generation::minP, "min_p = true is not supported", advice);
        assertRefused(generation::repetitionPenalty, "repetition_penalty = \"1\" is not supported", advice);
        Files.delete(dir.resolve(GenerationConfig.FILE_NAME));
        Files.createSymbolicLink(dir.resolve(GenerationConfig.FILE_NAME), Path.of("gone"));
        assertRefused(() -> GenerationConfig.load(dir), "is a link", advice);
    }

    @Test
    void soIsANumberInAList() {
        assertRefused(() -> load("{\"eos_token_id\": [2, 1e400]}"), "eos_token_id = [2,1e400] is not supported");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "bad_words_ids                   | [[1, 2]]        | []",
                "begin_suppress_tokens           | [1]             | []",
                "constraints                     | [{}]            | null",
                "dola_layers                     | \"high\"        | null",
                "encoder_no_repeat_ngram_size    | 2               | 0",
                "encoder_repetition_penalty      | 1.2             | 1.0",
                "exponential_decay_length_penalty | [5, 1.1]       | null",
                "force_words_ids                 | [[1]]           | null",
                "forced_bos_token_id             | 1               | null",
                "forced_eos_token_id             | 1               | null",
                "guidance_scale                  | 1.5             | 1",
                "min_length                      | 7               | 0",
                "min_new_tokens                  | 7               | 0",
                "no_repeat_ngram_size            | 3               | 0",
                "num_beams                       | 4               | 1",
                "penalty_alpha                   | 0.6             | 0",
                "sequence_bias                   | [[[1], 2.0]]    | {}",
                "stop_strings                    | [\"x\"]         | []",
                "suppress_tokens                 | [1]             | []",
                "token_healing                   | true            | false",
                "watermarking_config             | {\"bias\": 2.0} | null",
            })
    void aValueThatWouldChangeTheTokensIsTold(String key, String changing, String neutral) {
        assertThat(load(Map.of(key, changing)).unapplied().counting(false)).containsExactly(key);
        assertThat(load(Map.of(key, changing)).unapplied().counting(true)).containsExactly(key);
        assertThat(load(Map.of(key, neutral)).unapplied()).isEqualTo(UnappliedKeys.NONE);
        assertThat(load(Map.of(key, "null")).unapplied()).isEqualTo(UnappliedKeys.NONE);
        assertThat(load(Map.of(key, "\"?\"")).unapplied().counting(false)).containsExactly(key);
    }

    @ParameterizedTest
    @CsvSource({
        "typical_p, 0.9, 1.0",
        "epsilon_cutoff, 3e-4, 0.0",
        "epsilon_cutoff, 3e-4, 1.0",
        "eta_cutoff, 3e-4, 0",
        "top_h, 0.4, null"
    })
    void aValueThatShapesTheDrawIsToldWhereTokensAreDrawn(String key, String changing, String neutral) {
        assertThat(load(Map.of(key, changing)).unapplied().counting(true)).containsExactly(key);
        assertThat(load(Map.of(key, changing)).unapplied().counting(false)).isEmpty();
        assertThat(load(Map.of(key, neutral)).unapplied()).isEqualTo(UnappliedKeys.NONE);
    }

    @Test
    void whatTransformersWritesByItselfIsNoReasonForANote() {
        GenerationConfig generation = load("""
                {"_from_model_config": true, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "max_length": 4096,
                 "max_new_tokens": 2048, "length_penalty": 1.0, "early_stopping": false, "num_return_sequences": 1,
                 "output_scores": false, "use_cache": true, "num_beam_groups": 1, "diversity_penalty": 0.0,
                 "remove_invalid_values": false, "renormalize_logits": false, "transformers_version": "4.45.0"}
                """);
        assertThat(generation.unapplied()).isEqualTo(UnappliedKeys.NONE);
    }

    private GenerationConfig load(Map<String, String> fields) {
        StringBuilder json = new StringBuilder("{");
        fields.forEach(
                (key, value) -> json.append('"').append(key).append("\": ").append(value));
        return load(json.append('}').toString());
    }

    private GenerationConfig load(String json) {
        write(dir, GenerationConfig.FILE_NAME, json);
        return GenerationConfig.load(dir);
    }
}
