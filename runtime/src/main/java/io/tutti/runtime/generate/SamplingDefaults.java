package io.tutti.runtime.generate;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.GenerationConfig;
import io.tutti.sample.InvalidSamplingParamException;
import io.tutti.sample.SamplingParams;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * How a model's generation_config.json wants its tokens chosen where the user does not say: greedily unless it says to draw,
 * and with every filter and penalty that it leaves out turned off.
 *
 * @param note why the likeliest token is taken although the file says to draw; empty if it is not
 */
public record SamplingDefaults(SamplingParams params, Optional<String> note) {

    /** Sampling without a temperature is from the model's own probabilities, as in transformers. */
    private static final double UNSCALED = 1;

    /** The defaults of a user who gives no values; see {@link #of(GenerationConfig, Predicate)}. */
    public static SamplingDefaults of(GenerationConfig config) {
        return of(config, _ -> false);
    }

    /**
     * The defaults beside a user's values. Ignored values are not read: those of keys that the user gives, and if the likeliest
     * token is taken, all but the repetition penalty.
     *
     * @param given whether the user gives the value of a key, such as {@code top_p}; a temperature that the user gives is above 0
     *     (else {@link #greedy})
     * @throws ModelException if the sampler does not accept a value of the file; the message names file, key, value and
     *     what is accepted
     */
    public static SamplingDefaults of(GenerationConfig config, Predicate<String> given) {
        Reading file = new Reading(config, given);
        SamplingParams greedy = file.penalty();
        if (!config.doSample()) {
            return new SamplingDefaults(greedy, Optional.empty());
        }
        Optional<Double> temperature = file.temperature();
        if (temperature.filter(SamplingDefaults::isGreedy).isPresent()) {
            return new SamplingDefaults(
                    greedy,
                    temperature
                            .filter(t -> t > 0)
                            .map(t -> "temperature = " + text(t) + " is below " + text(SamplingParams.MIN_TEMPERATURE)
                                    + ", so the likeliest token is taken"));
        }
        return new SamplingDefaults(file.drawn(greedy.withTemperature(UNSCALED)), Optional.empty());
    }

    /** The defaults beside a user's temperature of 0: the repetition penalty alone, unless the user gives it too. */
    public static SamplingDefaults greedy(GenerationConfig config, Predicate<String> given) {
        return new SamplingDefaults(new Reading(config, given).penalty(), Optional.empty());
    }

    /** Whether a temperature is 0, or so small that only the likeliest token has a chance. */
    private static boolean isGreedy(double temperature) {
        return temperature >= 0 && temperature < SamplingParams.MIN_TEMPERATURE;
    }

    private static String text(double number) {
        return String.valueOf(number).replace(".0E", "e").replace('E', 'e');
    }

    /** The file's values that the user does not give. */
    private record Reading(GenerationConfig config, Predicate<String> given) {

        SamplingParams penalty() {
            return with(
                    SamplingParams.greedy(),
                    "repetition_penalty",
                    GenerationConfig::repetitionPenalty,
                    SamplingParams::withRepetitionPenalty);
        }

        Optional<Double> temperature() {
            return value("temperature", GenerationConfig::temperature);
        }

        SamplingParams drawn(SamplingParams start) {
            SamplingParams drawn =
                    with(start, "temperature", GenerationConfig::temperature, SamplingParams::withTemperature);
            drawn = with(drawn, "top_k", GenerationConfig::topK, SamplingParams::withTopK);
            drawn = with(drawn, "top_p", GenerationConfig::topP, SamplingParams::withTopP);
            return with(drawn, "min_p", GenerationConfig::minP, SamplingParams::withMinP);
        }

        private <T> Optional<T> value(String key, Function<GenerationConfig, Optional<T>> reader) {
            return given.test(key) ? Optional.empty() : reader.apply(config);
        }

        private <T> SamplingParams with(
                SamplingParams params,
                String key,
                Function<GenerationConfig, Optional<T>> reader,
                BiFunction<SamplingParams, T, SamplingParams> setter) {
            try {
                return value(key, reader)
                        .map(found -> setter.apply(params, found))
                        .orElse(params);
            } catch (InvalidSamplingParamException e) {
                throw config.refuse(key, e.accepted());
            }
        }
    }
}
