package io.tutti.cli.command;

import io.tutti.engine.selftest.Comparison;

/**
 * What one track of a comparison came to.
 *
 * @param name the device, or the way it was used
 * @param logits its logits beside the first track's; empty for the first
 * @param differences {@code [positions]} the largest difference of a position's logits
 * @param firstDifferingPosition -1 if there is none
 * @param sameGreedyTokens new tokens that it would have chosen as the first track did
 * @param promptMillis mean time of a prompt token
 * @param newMillis median time of a new token; NaN if none was run
 */
record TrackFigures(
        String name,
        Comparison logits,
        double[] differences,
        int firstDifferingPosition,
        int sameGreedyTokens,
        double promptMillis,
        double newMillis) {}
