package io.tutti.engine.generate;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.GenerationConfig;
import io.tutti.sample.InvalidSamplingParamException;
import io.tutti.sample.SamplingParams;
import java.util.Optional;
import java.util.function.BiFunction;

/** How a model wants its tokens chosen where its user does not say. */
public final class SamplingDefaults {

    /** Sampling without a temperature is from the model's own probabilities, as in transformers. */
    private static final double UNSCALED = 1;

    private SamplingDefaults() {}

    /**
     * What {@code config} comes to: greedy unless it says to sample, and every value that it leaves out off. Values
     * that do not count are checked all the same.
     *
     * @throws ModelException if the sampler does not accept a value; the message names file, key, value and what is
     *     accepted
     */
    public static SamplingParams of(GenerationConfig config) {
        SamplingParams greedy = SamplingParams.greedy();
        greedy = with(config, greedy, config.repetitionPenalty(), SamplingParams::withRepetitionPenalty);
        SamplingParams drawn = greedy.withTemperature(UNSCALED);
        drawn = with(config, drawn, config.temperature(), SamplingParams::withTemperature);
        drawn = with(config, drawn, config.topK(), SamplingParams::withTopK);
        drawn = with(config, drawn, config.topP(), SamplingParams::withTopP);
        drawn = with(config, drawn, config.minP(), SamplingParams::withMinP);
        return config.doSample() ? drawn : greedy;
    }

    private static <T> SamplingParams with(
            GenerationConfig config,
            SamplingParams params,
            Optional<T> value,
            BiFunction<SamplingParams, T, SamplingParams> setter) {
        try {
            return value.map(given -> setter.apply(params, given)).orElse(params);
        } catch (InvalidSamplingParamException e) {
            throw ModelException.of(
                    config.file(),
                    e.parameter().replace('-', '_') + " = " + value.orElseThrow() + " is not supported; accepted: "
                            + e.accepted());
        }
    }
}
