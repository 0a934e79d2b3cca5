package io.tutti.runtime.generate;

import io.tutti.sample.SamplingParams;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * How tokens are chosen, and what of it the model decides.
 *
 * @param params how they are chosen
 * @param defaults what the model's file comes to
 * @param given what the caller gives
 * @param note why the likeliest token is taken although the file says to draw
 * @param unapplied keys of the file that would count and are not applied
 */
public record ResolvedSampling(
        SamplingParams params, SamplingParams defaults, Sampling given, Optional<String> note, List<String> unapplied) {

    public ResolvedSampling {
        unapplied = List.copyOf(unapplied);
    }

    /** The parameters that the model's file decides, and that do anything. */
    public List<SamplingParameter> taken() {
        SamplingParams off = SamplingParams.greedy();
        return Arrays.stream(SamplingParameter.values())
                .filter(parameter -> parameter.get(defaults) != parameter.get(off))
                .filter(parameter -> !given.gives(parameter))
                .filter(parameter -> !params.isGreedy() || parameter.countsWhenGreedy())
                .toList();
    }
}
