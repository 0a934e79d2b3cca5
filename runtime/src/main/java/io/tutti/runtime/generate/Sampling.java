package io.tutti.runtime.generate;

import io.tutti.modelio.config.GenerationConfig;
import io.tutti.sample.SamplingParams;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * What a caller says about how tokens are chosen. What it does not say is the model's: see
 * {@link #over(GenerationConfig)}. Immutable.
 */
public final class Sampling {

    /** Everything is the model's. */
    public static final Sampling DEFAULTS = new Sampling(new EnumMap<>(SamplingParameter.class));

    private final Map<SamplingParameter, Double> given;

    private Sampling(EnumMap<SamplingParameter, Double> given) {
        this.given = Collections.unmodifiableMap(given);
    }

    /** The likeliest token, always; the model's repetition penalty counts. */
    public static Sampling greedy() {
        return DEFAULTS.with(SamplingParameter.TEMPERATURE, 0);
    }

    /**
     * This and another value.
     *
     * @throws io.tutti.sample.InvalidSamplingParamException if the value is not accepted
     */
    public Sampling with(SamplingParameter parameter, double value) {
        var _ = parameter.set(SamplingParams.greedy(), value);
        EnumMap<SamplingParameter, Double> more = new EnumMap<>(SamplingParameter.class);
        more.putAll(given);
        more.put(parameter, value);
        return new Sampling(more);
    }

    /** Whether the caller gives this one. */
    public boolean gives(SamplingParameter parameter) {
        return given.containsKey(parameter);
    }

    /** {@code defaults}, but for what is given. */
    public SamplingParams over(SamplingParams defaults) {
        SamplingParams params = defaults;
        for (Map.Entry<SamplingParameter, Double> entry : given.entrySet()) {
            params = entry.getKey().set(params, entry.getValue());
        }
        return params;
    }

    /**
     * How tokens are chosen: as given here, the rest as {@code file} says.
     *
     * @throws io.tutti.modelio.ModelException if a value of the file counts and is not accepted
     */
    public ResolvedSampling over(GenerationConfig file) {
        SamplingDefaults found = defaults(file);
        SamplingParams params = over(found.params());
        return new ResolvedSampling(
                params, found.params(), this, found.note(), file.unapplied().counting(!params.isGreedy()));
    }

    private SamplingDefaults defaults(GenerationConfig file) {
        boolean cold = gives(SamplingParameter.TEMPERATURE)
                && over(SamplingParams.greedy()).isGreedy();
        return cold ? SamplingDefaults.greedy(file, this::givesKey) : SamplingDefaults.of(file, this::givesKey);
    }

    private boolean givesKey(String key) {
        return given.keySet().stream().anyMatch(parameter -> parameter.key().equals(key));
    }
}
