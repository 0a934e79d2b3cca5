package io.tutti.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SamplingParamsTest {
    private static final SamplingParams GREEDY = SamplingParams.greedy();

    @Test
    void greedyTurnsEverythingOff() {
        assertThat(GREEDY).isEqualTo(new SamplingParams(0, 0, 1, 0, 1, 0, 0));
        assertThat(GREEDY.isGreedy()).isTrue();
        assertThat(GREEDY.hasPenalties()).isFalse();
        assertThat(GREEDY.withTemperature(1).isGreedy()).isFalse();
    }

    @Test
    void eachWithChangesItsParameterAlone() {
        SamplingParams all = GREEDY.withTemperature(0.5)
                .withTopK(40)
                .withTopP(0.9)
                .withMinP(0.05)
                .withRepetitionPenalty(1.1)
                .withPresencePenalty(0.2)
                .withFrequencyPenalty(-0.3);
        assertThat(all).isEqualTo(new SamplingParams(0.5, 40, 0.9, 0.05, 1.1, 0.2, -0.3));
        assertThat(all.withTemperature(0)).isEqualTo(new SamplingParams(0, 40, 0.9, 0.05, 1.1, 0.2, -0.3));
        assertThat(all.withFrequencyPenalty(0)).isEqualTo(new SamplingParams(0.5, 40, 0.9, 0.05, 1.1, 0.2, 0));
    }

    @Test
    void eachPenaltyCountsAsOne() {
        assertThat(GREEDY.withRepetitionPenalty(1.1).hasPenalties()).isTrue();
        assertThat(GREEDY.withPresencePenalty(-0.1).hasPenalties()).isTrue();
        assertThat(GREEDY.withFrequencyPenalty(0.1).hasPenalties()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.0, 0, 1e-4, 1, 1e4})
    void acceptsTemperaturesOfItsRange(double temperature) {
        assertThat(GREEDY.withTemperature(temperature).temperature()).isEqualTo(temperature);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, 9.999e-5, 10001, Double.POSITIVE_INFINITY, Double.NaN})
    void refusesOtherTemperatures(double temperature) {
        assertRefused(
                () -> GREEDY.withTemperature(temperature),
                "temperature is " + temperature + "; accepted: 0 or a number from 1e-4 to 1e4");
    }

    @Test
    void refusesANegativeTopK() {
        assertRefused(() -> GREEDY.withTopK(-1), "top-k is -1; accepted: 0 or a positive integer");
    }

    @Test
    void aRefusalTellsItsPartsToProgramsToo() {
        assertThatThrownBy(() -> GREEDY.withTopK(-1))
                .isInstanceOfSatisfying(InvalidSamplingParamException.class, refusal -> {
                    assertThat(refusal.parameter()).isEqualTo("top-k");
                    assertThat(refusal.accepted()).isEqualTo("0 or a positive integer");
                });
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.MIN_VALUE, 1})
    void acceptsTopPOfItsRange(double topP) {
        assertThat(GREEDY.withTopP(topP).topP()).isEqualTo(topP);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.5, 1.0000001, Double.NaN})
    void refusesOtherTopP(double topP) {
        assertRefused(() -> GREEDY.withTopP(topP), "top-p is " + topP + "; accepted: a number above 0 and at most 1");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1})
    void acceptsMinPOfItsRange(double minP) {
        assertThat(GREEDY.withMinP(minP).minP()).isEqualTo(minP);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1e-9, 1.0000001, Double.NaN})
    void refusesOtherMinP(double minP) {
        assertRefused(() -> GREEDY.withMinP(minP), "min-p is " + minP + "; accepted: a number from 0 to 1");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.POSITIVE_INFINITY, Double.NaN})
    void refusesRepetitionPenaltiesThatAreNotPositiveAndFinite(double penalty) {
        assertRefused(
                () -> GREEDY.withRepetitionPenalty(penalty),
                "repetition-penalty is " + penalty + "; accepted: a finite number above 0");
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, Double.NaN})
    void refusesPresenceAndFrequencyPenaltiesThatAreNotFinite(double penalty) {
        assertRefused(
                () -> GREEDY.withPresencePenalty(penalty),
                "presence-penalty is " + penalty + "; accepted: a finite number");
        assertRefused(
                () -> GREEDY.withFrequencyPenalty(penalty),
                "frequency-penalty is " + penalty + "; accepted: a finite number");
    }

    private static void assertRefused(Supplier<SamplingParams> params, String message) {
        assertThatThrownBy(params::get)
                .isInstanceOf(InvalidSamplingParamException.class)
                .hasMessage(message);
    }
}
