package io.tutti.cli.bench;

import java.util.Map;

/**
 * What was measured of a device in one round, and of the processor beside it.
 *
 * @param readBytesPerSecond that all threads together read from memory
 * @param flopsPerSecond that all threads together do
 * @param prefillSeconds of the prompt
 * @param decodeSeconds of the new tokens of all sequences, by the context before them
 */
public record Round(
        double readBytesPerSecond, double flopsPerSecond, double prefillSeconds, Map<Integer, Double> decodeSeconds) {

    public Round {
        decodeSeconds = Map.copyOf(decodeSeconds);
    }
}
