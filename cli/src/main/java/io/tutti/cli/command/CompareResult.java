package io.tutti.cli.command;

import io.tutti.engine.compare.LayerComparison;
import java.util.List;

/**
 * What a comparison found.
 *
 * @param prompt the prompt's tokens
 * @param tokens the new tokens, those of the first track
 * @param tracks the first is what the others are compared with
 * @param layers layer by layer, for each track but the first; empty if that was not asked for
 */
record CompareResult(int[] prompt, int[] tokens, List<TrackFigures> tracks, List<LayerComparison.Result> layers) {

    TrackFigures reference() {
        return tracks.getFirst();
    }

    List<TrackFigures> others() {
        return tracks.subList(1, tracks.size());
    }
}
