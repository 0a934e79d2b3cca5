package io.tutti.cli.bench;

import java.util.Map;

/**
 * What was measured of a device in one round.
 *
 * @param prefill the prompt, beside the operations that all threads do
 * @param decode the new tokens of all sequences, by the context before them, beside the bytes that all threads read
 */
public record Round(Timed prefill, Map<Integer, Timed> decode) {

    public Round {
        decode = Map.copyOf(decode);
    }

    /**
     * Some work.
     *
     * @param seconds that it took
     * @param limit what the processor does a second at most, measured right before and after it: the mean
     */
    public record Timed(double seconds, double limit) {}
}
