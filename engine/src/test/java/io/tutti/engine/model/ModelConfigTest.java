package io.tutti.engine.model;

import static io.tutti.engine.model.Configs.config;
import static io.tutti.modelio.Models.write;
import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.GraphFacts;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.RopeScaling;
import io.tutti.engine.graph.RopeScaling.Yarn;
import io.tutti.modelio.Golden;
import io.tutti.modelio.Models;
import io.tutti.modelio.config.GenerationConfig;
import io.tutti.modelio.config.TokenizerKind;
import io.tutti.modelio.tokenizer.Tokenizers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelConfigTest {
    @TempDir
    Path dir;

    @Test
    void configRefusesWhatTheEngineCannotRun() {
        refuses(
                "\"rope_scaling\": {\"type\": \"dynamic\", \"factor\": 8.0}",
                "rope_scaling.type = \"dynamic\"",
                "accepted: \"default\", \"linear\", \"llama3\" or \"yarn\"",
                "frequencies change with the length");
        refuses(
                "\"rope_parameters\": {\"rope_type\": \"longrope\"}",
                "rope_parameters.rope_type",
                "change with the length");
        refuses(
                "\"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8.0}",
                "has no rope_scaling.low_freq_factor");
        refuses("\"sliding_window\": 4096", "sliding_window", "4096", "null");
        refuses("\"tl_arch\": \"mamba\", \"tl_tokenizer\": \"byte\"", "tl_arch", "mamba", "\"llama\" or \"bigram\"");
        assertRefused(
                () -> config(dir, Models.CONFIG.replace("llama", "gemma3")),
                "model_type = \"gemma3\"",
                "accepted: \"llama\", \"mistral\", \"olmo2\", \"phi3\", \"qwen2\", \"qwen3\" or \"smollm3\"");
        ModelConfig withoutTokenizer = config(dir, Models.CONFIG);
        assertRefused(() -> Tokenizers.open(dir, withoutTokenizer.text()), "tokenizer.json", "--tokens");
    }

    @Test
    void aModelTypeThatContradictsTheArchitectureIsRefused() {
        String both =
                Models.CONFIG.replace("\"llama\"", "\"mistral\", \"tl_arch\": \"llama\", \"tl_tokenizer\": \"none\"");
        assertRefused(() -> config(dir, both), "model_type", "mistral", "accepted: \"llama\"");
        String bigram =
                "{\"tl_arch\": \"bigram\", \"tl_tokenizer\": \"byte\", \"vocab_size\": 4, \"model_type\": \"%s\"}";
        assertRefused(() -> config(dir, bigram.formatted("llama")), "model_type", "llama", "accepted: \"bigram\"");
        assertThat(config(dir, bigram.formatted("bigram")).modelType()).isEqualTo("bigram");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "/**/ 1", "[", "{", "1e", "'a'", "tru", "[1 2]"})
    void aSyntaxErrorIsToldWithoutAParsersSettings(String value) {
        assertThat(assertRefused(() -> config(dir, "{\"a\": " + value), "config.json: is not valid JSON at line 1"))
                .message()
                .doesNotContain("Feature", "Constraints", "Source", "REDACTED", "enable", "`");
    }

    @Test
    void nestingThatIsTooDeepIsToldWithoutAParsersSettings() {
        assertThat(assertRefused(() -> config(dir, "{\"a\": " + "[".repeat(200)), "depth (101)", "(100)"))
                .message()
                .doesNotContain("Constraints", "`");
    }

    @Test
    void absentKeysHaveTheirDefaults() {
        ModelConfig config = config(dir, Models.CONFIG);
        assertThat(config.modelType()).isEqualTo("llama");
        assertThat(config.tokenizer()).isEqualTo(TokenizerKind.NONE);
        assertThat(config.vocabSize()).isEqualTo(16);
        assertThat(facts(config).hidden()).isEqualTo(8);
        assertThat(facts(config).intermediate()).isEqualTo(12);
        assertThat(facts(config).layers()).isEqualTo(1);
        assertThat(facts(config).heads()).isEqualTo(2);
        assertThat(facts(config).keyValueHeads()).isEqualTo(2);
        assertThat(facts(config).headDim()).isEqualTo(4);
        assertThat(config.maxPositionEmbeddings()).isEqualTo(2048);
        assertThat(facts(config).eps()).isEqualTo(1e-6f);
        assertThat(facts(config).ropeTheta()).isEqualTo(10_000);
        assertThat(config.tieWordEmbeddings()).isFalse();
        assertThat(config.eosTokenIds()).isEmpty();
        assertThat(config.bosTokenId()).isEmpty();
    }

    @Test
    void givenKeysCount() {
        ModelConfig config = with("""
                "num_key_value_heads": 1, "head_dim": 6, "max_position_embeddings": 99, "rms_norm_eps": 1e-5,
                "rope_theta": 500000.0, "tie_word_embeddings": true, "eos_token_id": [2, 7], "bos_token_id": 1""");
        assertThat(facts(config).keyValueHeads()).isEqualTo(1);
        assertThat(facts(config).headDim()).isEqualTo(6);
        assertThat(config.maxPositionEmbeddings()).isEqualTo(99);
        assertThat(facts(config).eps()).isEqualTo(1e-5f);
        assertThat(facts(config).ropeTheta()).isEqualTo(500_000);
        assertThat(config.tieWordEmbeddings()).isTrue();
        assertThat(config.eosTokenIds()).containsExactly(2, 7);
        assertThat(config.bosTokenId()).hasValue(1);
    }

    @Test
    void aLlamaHasTheBiasesThatItsFileSays() {
        assertThat(variant(with("\"tie_word_embeddings\": false"))).containsExactly(false, false, false, false);
        assertThat(variant(with("\"attention_bias\": true"))).containsExactly(true, true, false, false);
        assertThat(variant(with("\"mlp_bias\": true"))).containsExactly(false, false, true, false);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            nullValues = "none",
            value = {
                "mistral|\"x\": 0|4096",
                "mistral|\"sliding_window\": null|none",
                "mistral|\"sliding_window\": 77|77",
                "mistral|\"sliding_window\": 77, \"layer_types\": [\"sliding_attention\"]|77",
                "qwen2|\"sliding_window\": 77|none",
                "qwen2|\"sliding_window\": 77, \"use_sliding_window\": true, \"max_window_layers\": 0|77",
                "qwen2|\"sliding_window\": 77, \"use_sliding_window\": true, \"max_window_layers\": 1|none",
                "qwen2|\"sliding_window\": 77, \"use_sliding_window\": true|none",
                "qwen2|\"use_sliding_window\": true, \"max_window_layers\": 0|4096",
                "qwen2|\"use_sliding_window\": true, \"layer_types\": [\"sliding_attention\"], \"max_window_layers\": 1|4096",
                "qwen3|\"use_sliding_window\": true, \"sliding_window\": null, \"max_window_layers\": 0|none",
                "qwen3|\"use_sliding_window\": true, \"layer_types\": [\"full_attention\"], \"max_window_layers\": 0|none",
            })
    void theWindowIsReadAsTheArchitectureHasIt(String modelType, String fields, Integer window) {
        OptionalInt want = window == null ? OptionalInt.empty() : OptionalInt.of(window);
        assertThat(facts(relative(modelType, fields)).window()).isEqualTo(want);
    }

    @Test
    void qwensHaveTheirBiasesAndNorms() {
        assertThat(variant(relative("qwen2", "\"attention_bias\": false"))).containsExactly(true, false, false, false);
        assertThat(variant(relative("qwen3", "\"attention_bias\": false"))).containsExactly(false, false, false, true);
        assertThat(variant(relative("qwen3", "\"attention_bias\": true"))).containsExactly(true, true, false, true);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "qwen2|\"max_window_layers\": 2|none none 77 77",
                "qwen2|\"max_window_layers\": 0|77 77 77 77",
                "qwen2|\"max_window_layers\": 4|none none none none",
                "qwen3|\"layer_types\": [\"full_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\"]|none 77 none 77",
            })
    void layersMayDifferInTheirWindow(String modelType, String fields, String windows) {
        ModelConfig config = relative(
                modelType, "\"num_hidden_layers\": 4, \"use_sliding_window\": true, \"sliding_window\": 77, " + fields);
        assertThat(String.join(" ", windows(config))).isEqualTo(windows);
        assertThat(config.graph().kinds())
                .hasSize((int) windows(config).stream().distinct().count());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "\"x\": 0|1 1 1 0 1",
                "\"no_rope_layer_interval\": 2|1 0 1 0 1",
                "\"no_rope_layers\": [0, 1, 1, 1, 0]|0 1 1 1 0",
            })
    void smolLm3RotatesSomeLayersOnly(String fields, String rotating) {
        ModelConfig config = relative("smollm3", "\"num_hidden_layers\": 5, " + fields);
        assertThat(rotates(config).stream().map(rotates -> rotates ? "1" : "0").collect(Collectors.joining(" ")))
                .isEqualTo(rotating);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "smollm3|\"no_rope_layers\": [1, 2]|no_rope_layers = [1,2]|a 1 or a 0 for each of the 1 layers",
                "smollm3|\"no_rope_layers\": 3|no_rope_layers = 3|a 1 or a 0",
                "smollm3|\"no_rope_layer_interval\": 0|no_rope_layer_interval = 0|from 1",
                "smollm3|\"layer_types\": [\"sliding_attention\"]|layer_types|\"full_attention\"",
                "phi3|\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4}|rope_scaling|rope_type of \"default\"",
                "phi3|\"rope_scaling\": {\"type\": \"longrope\"}|rope_scaling.type|change with the length",
                "phi3|\"partial_rotary_factor\": 0.75|partial_rotary_factor = 0.75|1",
                "olmo2|\"mlp_bias\": true|mlp_bias = true|model_type \"olmo2\" has no such biases",
            })
    void whatAnArchitectureHasNotIsRefused(String modelType, String fields, String named, String accepted) {
        assertRefused(() -> relative(modelType, fields), named, accepted);
    }

    @Test
    void onlyTheSevenProjectionsOfALayerAreQuantized() {
        assertThat(relative("qwen3", "\"attention_bias\": true").graph().projections())
                .containsExactly(
                        "model.layers.0.self_attn.q_proj.weight",
                        "model.layers.0.self_attn.k_proj.weight",
                        "model.layers.0.self_attn.v_proj.weight",
                        "model.layers.0.self_attn.o_proj.weight",
                        "model.layers.0.mlp.gate_proj.weight",
                        "model.layers.0.mlp.up_proj.weight",
                        "model.layers.0.mlp.down_proj.weight");
    }

    @Test
    void aTensorThatHoldsSeveralMatricesIsQuantizedWhole() {
        Graph graph = relative("phi3", "\"num_hidden_layers\": 1").graph();
        assertThat(graph.projections())
                .hasSize(7)
                .contains("model.layers.0.self_attn.qkv_proj.weight from row 8 of 24")
                .contains("model.layers.0.mlp.gate_up_proj.weight from row 12 of 24");
        assertThat(graph.storedProjections())
                .containsExactly(
                        "model.layers.0.self_attn.qkv_proj.weight",
                        "model.layers.0.self_attn.o_proj.weight",
                        "model.layers.0.mlp.gate_up_proj.weight",
                        "model.layers.0.mlp.down_proj.weight");
    }

    @Test
    void layerTypesThatSayNothingOfUseAreRefused() {
        assertRefused(
                () -> relative("qwen2", "\"layer_types\": [\"sliding_attention\"]"),
                "layer_types",
                "accepted: \"full_attention\" for each of the 1 layers");
        assertRefused(
                () -> relative("qwen3", "\"use_sliding_window\": true, \"layer_types\": [\"chunked_attention\"]"),
                "layer_types",
                "accepted: \"full_attention\" or \"sliding_attention\" for each of the 1 layers");
        assertRefused(
                () -> relative("mistral", "\"layer_types\": [\"full_attention\"]"),
                "layer_types",
                "accepted: \"sliding_attention\" for each of the 1 layers");
    }

    @Test
    void sizesThatAFileLeavesOutAreTransformersDefaults() {
        ModelConfig mistral = relative("mistral", "\"num_attention_heads\": 8, \"head_dim\": 2");
        assertThat(facts(mistral).keyValueHeads()).isEqualTo(8);
        assertThat(mistral.maxPositionEmbeddings()).isEqualTo(131_072);
        ModelConfig qwen = relative("qwen3", "\"num_attention_heads\": 32");
        assertThat(facts(qwen).keyValueHeads()).isEqualTo(32);
        assertThat(facts(qwen).headDim()).isEqualTo(128);
        assertThat(qwen.maxPositionEmbeddings()).isEqualTo(32_768);
        assertRefused(
                () -> relative("qwen2", "\"num_attention_heads\": 8, \"head_dim\": 2"),
                "num_key_value_heads = 32, its default",
                "accepted: a divisor of num_attention_heads = 8");
        assertThat(facts(relative("qwen2", "\"num_key_value_heads\": null")).keyValueHeads())
                .isEqualTo(2);
    }

    static Stream<Arguments> scalings() {
        Yarn yarn = new Yarn(4, 0.1 * Math.log(4) + 1, 32, 1, 512, true);
        return Stream.of(
                Arguments.of("{\"type\": \"linear\", \"factor\": 2}", new RopeScaling.Linear(2)),
                Arguments.of(
                        "{\"rope_type\": \"linear\", \"type\": \"linear\", \"factor\": 2.5}",
                        new RopeScaling.Linear(2.5)),
                Arguments.of(
                        "{\"rope_type\": \"llama3\", \"factor\": 8.0, \"low_freq_factor\": 1.0, \"high_freq_factor\": 4.0,"
                                + " \"original_max_position_embeddings\": 8192}",
                        new RopeScaling.Llama3(8, 1, 4, 8192)),
                Arguments.of(
                        "{\"rope_type\": \"llama3\", \"factor\": 8, \"low_freq_factor\": 1, \"high_freq_factor\": 4}",
                        new RopeScaling.Llama3(8, 1, 4, 2048)),
                Arguments.of("{\"type\": \"yarn\", \"factor\": 4.0, \"original_max_position_embeddings\": 512}", yarn),
                Arguments.of("{\"rope_type\": \"yarn\", \"original_max_position_embeddings\": 512}", yarn),
                Arguments.of(
                        "{\"rope_type\": \"yarn\", \"factor\": 4, \"original_max_position_embeddings\": 512, \"mscale\": 1,"
                                + " \"mscale_all_dim\": 1, \"beta_fast\": 16, \"beta_slow\": 2, \"truncate\": false}",
                        new Yarn(4, 1, 16, 2, 512, false)),
                Arguments.of(
                        "{\"rope_type\": \"yarn\", \"factor\": 4, \"original_max_position_embeddings\": 512, \"mscale\": 1,"
                                + " \"mscale_all_dim\": 0}",
                        yarn),
                Arguments.of(
                        "{\"rope_type\": \"yarn\", \"factor\": 4, \"original_max_position_embeddings\": 512, \"mscale\": 1,"
                                + " \"mscale_all_dim\": 2, \"attention_factor\": 1.5}",
                        new Yarn(4, 1.5, 32, 1, 512, true)));
    }

    @ParameterizedTest
    @MethodSource("scalings")
    void scaledRotaryPositionsAreReadFromEitherPlace(String json, RopeScaling want) {
        String context = ", \"max_position_embeddings\": 2048";
        assertThat(facts(with("\"rope_scaling\": " + json + context)).ropeScaling())
                .isEqualTo(want);
        assertThat(facts(with("\"rope_parameters\": " + json + context)).ropeScaling())
                .isEqualTo(want);
        assertThat(facts(with("\"rope_parameters\": " + json + ", \"rope_scaling\": " + json + context))
                        .ropeScaling())
                .isEqualTo(want);
    }

    @Test
    void theOriginalContextMayStandAtTheTop() {
        String yarn = "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4}, ";
        assertThat(facts(with(yarn + "\"original_max_position_embeddings\": 300"))
                        .ropeScaling())
                .isInstanceOfSatisfying(
                        Yarn.class,
                        y -> assertThat(y.originalMaxPositionEmbeddings()).isEqualTo(300));
    }

    @Test
    void aBigramHasAVocabularyAndAContext() {
        ModelConfig config = config(dir, """
                {"tl_arch": "bigram", "tl_tokenizer": "byte", "vocab_size": 256, "max_position_embeddings": 64,
                 "eos_token_id": 3, "bos_token_id": 4}""");
        assertThat(config.modelType()).isEqualTo("bigram");
        assertThat(config.tokenizer()).isEqualTo(TokenizerKind.BYTE);
        assertThat(config.vocabSize()).isEqualTo(256);
        assertThat(config.maxPositionEmbeddings()).isEqualTo(64);
        assertThat(config.eosTokenIds()).containsExactly(3);
        assertThat(config.bosTokenId()).hasValue(4);
        assertRefused(
                () -> config(dir, "{\"tl_arch\": \"bigram\", \"tl_tokenizer\": \"byte\", \"vocab_size\": 2147483647}"),
                "vocab_size * vocab_size");
    }

    @Test
    void aTokenizerFileIsTheSignOfOneInAHuggingFaceDirectory() {
        write(dir, "tokenizer.json", "{}");
        assertThat(config(dir, Models.CONFIG).tokenizer()).isEqualTo(TokenizerKind.HUGGING_FACE);
        assertThat(with("\"tl_arch\": \"llama\", \"tl_tokenizer\": \"none\"").tokenizer())
                .isEqualTo(TokenizerKind.NONE);
        assertThat(with("\"tl_tokenizer\": \"byte\"").tokenizer()).isEqualTo(TokenizerKind.BYTE);
    }

    static Stream<JsonNode> goldenCases() {
        return Golden.vectors("config-cases.json").get("cases").valueStream();
    }

    @ParameterizedTest
    @MethodSource("goldenCases")
    void theGoldenConfigurationsAreAcceptedAndRefused(JsonNode golden) {
        String json = golden.get("config").toString();
        if (golden.get("accepted").booleanValue()) {
            assertThat(config(dir, json).vocabSize()).isPositive();
        } else {
            assertRefused(() -> config(dir, json), dir.resolve("config.json").toString());
        }
    }

    static Stream<JsonNode> casesThatTransformersReads() {
        return goldenCases().filter(golden -> golden.path("values").isObject());
    }

    /** The frequencies of the same cases are the engine's to compare. */
    @ParameterizedTest
    @MethodSource("casesThatTransformersReads")
    void whatIsAcceptedMeansWhatTransformersMakesOfIt(JsonNode golden) {
        ModelConfig config = config(dir, golden.get("config").toString());
        JsonNode values = golden.get("values");
        GraphFacts facts = facts(config);

        assertThat(facts(config).keyValueHeads())
                .isEqualTo(values.get("key_value_heads").intValue());
        assertThat(facts(config).headDim()).isEqualTo(values.get("head_dim").intValue());
        assertThat(facts(config).eps())
                .isEqualTo((float) values.get("rms_norm_eps").doubleValue());
        assertThat(config.maxPositionEmbeddings())
                .isEqualTo(values.get("max_position_embeddings").intValue());
        assertThat(config.tieWordEmbeddings()).isEqualTo(values.get("tied").booleanValue());
        assertThat(facts.queryKeyValueBias()).isEqualTo(values.get("qkv_bias").booleanValue());
        assertThat(facts.outputBias()).isEqualTo(values.get("o_bias").booleanValue());
        assertThat(facts.mlpBias()).isEqualTo(values.get("mlp_bias").booleanValue());
        assertThat(rotates(config))
                .isEqualTo(values.get("rotates")
                        .valueStream()
                        .map(JsonNode::booleanValue)
                        .toList());
        assertThat(windows(config))
                .isEqualTo(values.get("windows")
                        .valueStream()
                        .map(window -> window.isNull() ? "none" : window.asText())
                        .toList());
        assertThat(facts(config).ropeTheta()).isEqualTo(values.get("rope_theta").doubleValue());
    }

    @Test
    void mostOfTheAcceptedCasesAreReadByTransformersToo() {
        assertThat(casesThatTransformersReads()).hasSizeGreaterThan(150);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "\"max_position_embeddings\": 64|64",
                "\"max_position_embeddings\": 64, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 4.0}|256",
                "\"max_position_embeddings\": 70, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 2.5, \"original_max_position_embeddings\": 33}|82",
                "\"max_position_embeddings\": 64, \"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4.0, \"original_max_position_embeddings\": 64}|256",
                "\"max_position_embeddings\": 64, \"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4.0}|256",
                "\"max_position_embeddings\": 40960, \"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4.0, \"original_max_position_embeddings\": 32768}|131072",
                "\"max_position_embeddings\": 131072, \"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4.0, \"original_max_position_embeddings\": 32768}|131072",
                "\"max_position_embeddings\": 131072, \"rope_scaling\": {\"type\": \"yarn\", \"factor\": 2.0, \"original_max_position_embeddings\": 32768}|131072",
                "\"max_position_embeddings\": 131072, \"rope_parameters\": {\"rope_type\": \"yarn\", \"factor\": null, \"original_max_position_embeddings\": 32768}|131072",
                "\"max_position_embeddings\": 2000000000, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 4.0}|2147483647",
                "\"max_position_embeddings\": 131072, \"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 32.0, \"low_freq_factor\": 1, \"high_freq_factor\": 4, \"original_max_position_embeddings\": 8192}|131072",
            })
    void theContextIsTheOriginalOneTimesTheFactorWhereScalingWasAddedByHand(String fields, int context) {
        assertThat(with(fields).context()).isEqualTo(context);
    }

    @Test
    void aContextMayBeCutAndIsNeverLongerThanThePositionsReach() {
        ModelConfig plain = with("\"max_position_embeddings\": 64");
        assertThat(plain.longestContext()).isEqualTo(64);
        assertThat(plain.withContext(7).context()).isEqualTo(7);
        assertThat(plain.withContext(7).maxPositionEmbeddings()).isEqualTo(64);
        assertThat(plain.withContext(64).context()).isEqualTo(plain.context());
        for (int beyond : new int[] {0, -1, 65}) {
            assertThatThrownBy(() -> plain.withContext(beyond))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a context of " + beyond + " positions; accepted: 1 to 64");
        }
        ModelConfig llama3 = with("\"max_position_embeddings\": 131072, \"rope_scaling\": {\"rope_type\": \"llama3\","
                + " \"factor\": 32.0, \"low_freq_factor\": 1, \"high_freq_factor\": 4,"
                + " \"original_max_position_embeddings\": 8192}");
        assertThat(llama3.longestContext()).isEqualTo(262_144);
        assertThat(llama3.withContext(262_144).context()).isEqualTo(262_144);
    }

    @Test
    void theContextsSourceIsToldInMessages() {
        ModelConfig yarn =
                with("\"max_position_embeddings\": 64, \"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4}");
        assertThat(yarn.contextSource()).isEqualTo("max_position_embeddings = 64, stretched by rope_scaling");
        assertThat(yarn.withContext(64).contextSource()).isEqualTo("max_position_embeddings");
        assertThat(yarn.withContext(9).contextSource()).isEqualTo("max_position_embeddings = 64, cut by the user");
    }

    @Test
    void aRopeScalingBesideRopeParametersCountsAndANoteSaysSo() {
        String linear = "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 4}";
        String note = "config.json: rope_scaling counts, rope_parameters beside it does not";
        assertThat(with(linear + ", \"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": 5e5}"))
                .satisfies(config -> {
                    assertThat(facts(config).ropeScaling()).isEqualTo(new RopeScaling.Linear(4));
                    assertThat(facts(config).ropeTheta()).isEqualTo(10_000);
                    assertThat(config.notes()).containsExactly(note);
                });
        assertThat(with(linear + ", \"rope_parameters\": {\"type\": \"linear\", \"factor\": 4}")
                        .notes())
                .isEmpty();
        assertThat(with(linear + ", \"rope_parameters\": {}").notes()).isEmpty();
        assertThat(with("\"rope_scaling\": {}, \"rope_parameters\": {\"rope_theta\": 5e5}"))
                .satisfies(config -> {
                    assertThat(facts(config).ropeTheta()).isEqualTo(5e5);
                    assertThat(config.notes()).isEmpty();
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mha-f32",
                "gqa-f16-wide-heads",
                "mqa-bf16-tied",
                "sharded-mixed",
                "tied-with-head-f16",
                "bigram",
                "tiny-int4"
            })
    void theGoldenModelsLoad(String model) {
        assertThat(ModelConfig.load(Golden.model(model)).vocabSize()).isPositive();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "\"rope_theta\": 500000.0|500000",
                "\"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": 20000}|20000",
                "\"rope_scaling\": {\"type\": \"default\", \"rope_theta\": 20000}|20000",
                "\"rope_theta\": 1|1",
                "\"rope_theta\": 1e30|1e30",
            })
    void thetaIsReadFromWhereverItStands(String fields, double theta) {
        assertThat(facts(with(fields)).ropeTheta()).isEqualTo(theta);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "\"rope_theta\": 1, \"rope_parameters\": {\"rope_theta\": 2}|rope_parameters.rope_theta = 2",
                "\"rope_theta\": 0.5|rope_theta = 0.5",
                "\"rope_theta\": 1e31|rope_theta",
                "\"rope_theta\": 1e400|rope_theta",
                "\"rope_theta\": true|rope_theta = true",
                "\"rope_scaling\": \"linear\"|rope_scaling",
                "\"rope_scaling\": {\"factor\": 2}|rope_scaling",
                "\"rope_scaling\": {\"type\": 3}|rope_scaling.type = 3",
                "\"rope_scaling\": {\"rope_type\": \"default\", \"type\": \"linear\"}|rope_scaling.type = \"linear\"",
                "\"rope_scaling\": {\"type\": \"ntk\", \"factor\": 2}|rope_scaling.type = \"ntk\"",
                "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 0.5}|rope_scaling.factor = 0.5",
                "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 1e7}|rope_scaling.factor",
                "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 2}, \"rope_parameters\": {}, \"rope_theta\": 1|rope_theta = 1",
                "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 2, \"beta_fast\": 0.5}|rope_scaling.beta_fast = 0.5",
                "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 2, \"beta_slow\": 64}|rope_scaling.beta_slow = 64",
                "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 2, \"mscale\": -1}|rope_scaling.mscale = -1",
                "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 2}, \"rope_parameters\": 1e4|rope_parameters",
                "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 2, \"truncate\": 0}|rope_scaling.truncate = 0",
                "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 2}, \"original_max_position_embeddings\": 8.5|original_max_position_embeddings = 8.5",
                "\"per_layer_config\": {\"0\": {}}|per_layer_config",
                "\"per_layer_config\": 3|per_layer_config = 3",
                "\"partial_rotary_factor\": \"1\"|partial_rotary_factor",
                "\"rms_norm_eps\": 1e-60|rms_norm_eps",
                "\"rms_norm_eps\": 1e39|rms_norm_eps",
                "\"rms_norm_eps\": 1e400|rms_norm_eps",
                "\"max_position_embeddings\": 2147483648|max_position_embeddings = 2147483648",
                "\"max_position_embeddings\": 64.0|max_position_embeddings = 64.0",
                "\"hidden_act\": 3|hidden_act = 3",
                "\"hidden_act\": \"gelu_pytorch_tanh\"|gelu_pytorch_tanh",
                "\"architectures\": \"LlamaForCausalLM\"|architectures",
                "\"architectures\": [\"LlamaForSequenceClassification\"]|LlamaForCausalLM",
                "\"layer_types\": \"full_attention\"|layer_types",
                "\"layer_types\": [\"full_attention\", \"sliding_attention\"]|layer_types",
                "\"use_sliding_window\": 1, \"sliding_window\": 3|use_sliding_window = 1",
                "\"eos_token_id\": 2.0|eos_token_id = 2.0",
                "\"eos_token_id\": {}|eos_token_id",
                "\"eos_token_id\": 2147483648|eos_token_id",
                "\"bos_token_id\": \"x\"|bos_token_id",
                "\"dtype\": 16|dtype = 16",
                "\"torch_dtype\": \"torch.float64\"|torch.float64",
                "\"tl_arch\": \"llama\", \"tl_tokenizer\": \"bpe\"|tl_tokenizer",
                "\"tl_arch\": [], \"tl_tokenizer\": \"byte\"|tl_arch",
            })
    void badValuesAreRefusedByKey(String fields, String named) {
        refuses(fields, named, "accepted");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "\"head_dim\": 1073741824|num_attention_heads * head_dim = 2147483648",
                "\"head_dim\": 3|head_dim = 3",
                "\"num_hidden_layers\": 65537|num_hidden_layers",
                "\"hidden_size\": 2147483646, \"vocab_size\": 2147483647, \"head_dim\": 2|vocab_size * hidden_size",
                "\"hidden_size\": 2147483646, \"intermediate_size\": 2147483647, \"head_dim\": 2|intermediate_size * hidden_size",
                "\"hidden_size\": 2147483646, \"head_dim\": 1073741822|num_attention_heads * head_dim * hidden_size",
                "\"head_dim\": 536870912, \"num_hidden_layers\": 65536, \"max_position_embeddings\": 2147483647|max_position_embeddings",
            })
    void impossibleSizesAreRefused(String fields, String named) {
        refuses(fields, named);
    }

    @ParameterizedTest
    @ValueSource(strings = {"float32", "torch.bfloat16", "float16", "auto"})
    void storedTypesInform(String dtype) {
        assertThat(facts(with("\"torch_dtype\": \"" + dtype + "\"")).hidden()).isEqualTo(8);
    }

    @Test
    void textThatIsNotStrictJsonIsRefused() {
        assertRefused(() -> config(dir, ""), "config.json", "empty");
        assertRefused(() -> config(dir, "[]"), "list", "object");
        assertRefused(() -> config(dir, "3"), "number");
        assertRefused(() -> config(dir, "null"), "null");
        assertRefused(() -> config(dir, "true"), "boolean");
        assertRefused(() -> config(dir, "\"x\""), "string");
        assertRefused(() -> config(dir, "\uFEFF" + Models.CONFIG), "byte-order mark");
        assertRefused(() -> config(dir, Models.CONFIG + "x"), "not valid JSON", "line 2");
        assertRefused(() -> config(dir, Models.CONFIG + "{}"), "after its JSON value", "line 2");
        assertRefused(() -> config(dir, Models.CONFIG.substring(0, 40)), "not valid JSON");
        assertRefused(() -> config(dir, Models.CONFIG.replace('"', '\'')), "not valid JSON");
        refuses("\"hidden_size\": 8", "uplicate", "hidden_size");
        refuses("\"x\": NaN", "not valid JSON");
        refuses("\"x\": -Infinity", "not valid JSON");
        refuses("\"x\": 1.", "not valid JSON");
        refuses("\"x\": " + "[".repeat(101) + "]".repeat(101), "nesting");
        refuses("\"x\": " + "9".repeat(1001), "umber", "1000");
        refuses("\"x\": [0" + ",0".repeat(40_000) + "]", "oken count", "40000");
        assertRefused(
                () -> {
                    write(dir, "config.json", Models.CONFIG.getBytes(StandardCharsets.UTF_16));
                    ModelConfig.load(dir);
                },
                "UTF-8");
        assertRefused(
                () -> config(dir, Models.CONFIG + " ".repeat(1 << 20)), "config.json", "longer than the 1048576 bytes");
    }

    @Test
    void longAndStrangeValuesAreShownShortly() {
        refuses("\"hidden_act\": \"" + "gelu\\n".repeat(50) + "\"", "hidden_act", "…");
    }

    @Test
    void generationConfigsEndTokensWin() {
        generation("{\"eos_token_id\": [5, 6], \"bos_token_id\": 3}");
        assertThat(with("\"eos_token_id\": 2, \"bos_token_id\": 1").eosTokenIds())
                .containsExactly(5, 6);
        assertThat(with("\"bos_token_id\": 1").bosTokenId()).hasValue(3);
        generation("{\"eos_token_id\": null, \"do_sample\": true}");
        assertThat(with("\"eos_token_id\": 2, \"bos_token_id\": 1").eosTokenIds())
                .containsExactly(2);
        assertThat(with("\"bos_token_id\": 1").bosTokenId()).hasValue(1);
        generation("{\"eos_token_id\": \"x\"}");
        assertRefused(() -> ModelConfig.load(dir), "generation_config.json", "eos_token_id", "accepted");
        generation("{");
        assertRefused(() -> ModelConfig.load(dir), "generation_config.json", "not valid JSON");
        assertThat(ModelConfig.load(Golden.model("sharded-mixed")).eosTokenIds())
                .containsExactly(2, 5, 11);
    }

    @Test
    void endTokensComeFromTheFileThatNamesThemWhateverTheVocabulary() {
        assertThat(with("\"eos_token_id\": 16").eosTokenIds()).containsExactly(16);
        assertThat(with("\"eos_token_id\": 16").eosFile()).isEqualTo("config.json");
        generation("{\"eos_token_id\": [2, 16]}");
        assertThat(with("\"eos_token_id\": 2").eosTokenIds()).containsExactly(2, 16);
        assertThat(with("\"eos_token_id\": 2").eosFile()).isEqualTo("generation_config.json");
    }

    @Test
    void theListOfEndTokensCannotBeChanged() {
        List<Integer> ids = with("\"eos_token_id\": [2]").eosTokenIds();
        assertThat(ids).isUnmodifiable();
    }

    @Test
    void directoriesThatAreNoModelAreRefused() throws Exception {
        Path absent = dir.resolve("absent");
        assertRefused(() -> ModelConfig.load(absent), absent.toString(), "no such directory", "config.json");
        Path file = write(dir, "file", "");
        assertRefused(() -> ModelConfig.load(file), "is a file", "config.json");
        Files.delete(file);
        assertRefused(() -> ModelConfig.load(dir), "has no config.json", "is empty");
        write(dir, "model.gguf", "");
        assertRefused(() -> ModelConfig.load(dir), "has no config.json", "GGUF");
        Files.createDirectory(dir.resolve("config.json"));
        assertRefused(() -> ModelConfig.load(dir), "config.json");
    }

    private static GraphFacts facts(ModelConfig config) {
        return new GraphFacts(config.graph());
    }

    /** Whether each layer rotates queries and keys. */
    private static List<Boolean> rotates(ModelConfig config) {
        return config.graph().layers().stream()
                .map(kind -> config.graph().kinds().get(kind).stream().anyMatch(Op.Rope.class::isInstance))
                .toList();
    }

    /** The window of each layer, or "none". */
    private static List<String> windows(ModelConfig config) {
        List<String> windows = new ArrayList<>();
        config.graph().forEachInOrder((op, _) -> {
            if (op instanceof Op.Attention a) {
                windows.add(a.window() == Op.Attention.WHOLE_CONTEXT ? "none" : String.valueOf(a.window()));
            }
        });
        return windows;
    }

    /** Whether there are biases on queries, keys and values, on attention's output, in the MLP; and norms of heads. */
    private static List<Boolean> variant(ModelConfig config) {
        GraphFacts facts = facts(config);
        return List.of(facts.queryKeyValueBias(), facts.outputBias(), facts.mlpBias(), facts.headNorms());
    }

    private void generation(String json) {
        write(dir, GenerationConfig.FILE_NAME, json);
    }

    private void refuses(String fields, String... named) {
        assertRefused(() -> with(fields), named);
    }

    /** A config of another architecture, with the sizes of the base that {@code fields} do not name. */
    private ModelConfig relative(String modelType, String fields) {
        String base = Models.CONFIG.replace("llama", modelType);
        for (String key : List.of("num_attention_heads", "num_hidden_layers")) {
            if (fields.contains("\"" + key + "\"")) {
                base = base.replaceAll("\"" + key + "\": \\d+,?", "");
            }
        }
        String heads = fields.contains("_heads\"") ? "" : "\"num_key_value_heads\": 2, ";
        return config(dir, base.replaceAll(",?\\s*}\\s*$", ", ") + heads + fields + "}");
    }

    private ModelConfig with(String fields) {
        String base = Models.CONFIG;
        for (String key : List.of("hidden_size", "intermediate_size", "num_hidden_layers", "vocab_size")) {
            if (fields.contains("\"" + key + "\"") && !fields.equals("\"hidden_size\": 8")) {
                base = base.replaceAll("\"" + key + "\": \\d+,?", "");
            }
        }
        return config(dir, base.replaceAll(",?\\s*}\\s*$", ", ") + fields + "}");
    }
}
