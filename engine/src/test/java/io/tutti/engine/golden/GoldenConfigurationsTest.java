package io.tutti.engine.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.engine.graph.GraphFacts;
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.reference.RopeFrequencies;
import io.tutti.modelio.config.ConfigFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rotary positions of golden's configurations, nulls and contradictions among them, are transformers' own. */
class GoldenConfigurationsTest {

    private static final double SIX_DIGITS_IN_PERCENT = 1e-3;

    @TempDir
    private Path folder;

    static Stream<JsonNode> casesThatTransformersReads() {
        return Golden.json(Golden.HOME.resolve("vectors/config-cases.json"))
                .get("cases")
                .valueStream()
                .filter(golden -> golden.path("values").isObject());
    }

    @ParameterizedTest
    @MethodSource("casesThatTransformersReads")
    void frequenciesAndAttentionFactorAreThoseOfTransformers(JsonNode golden) throws IOException {
        Files.writeString(folder.resolve(ConfigFile.NAME), golden.get("config").toString());
        GraphFacts facts = new GraphFacts(ModelConfig.load(folder).graph());
        JsonNode values = golden.get("values");

        float[] frequencies =
                RopeFrequencies.of(new RopeParameters(facts.headDim(), facts.ropeTheta(), facts.ropeScaling()));
        JsonNode wanted = values.get("inverse_frequencies");
        assertThat(frequencies).hasSize(wanted.size());
        for (int i = 0; i < frequencies.length; i++) {
            assertThat((double) frequencies[i])
                    .isCloseTo(wanted.get(i).doubleValue(), withinPercentage(SIX_DIGITS_IN_PERCENT));
        }
        assertThat((double) RopeFrequencies.attentionFactor(facts.ropeScaling()))
                .isCloseTo(values.get("attention_factor").doubleValue(), withinPercentage(SIX_DIGITS_IN_PERCENT));
    }
}
