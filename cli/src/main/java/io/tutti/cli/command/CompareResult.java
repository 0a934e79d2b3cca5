package io.tutti.cli.command;

import io.tutti.engine.compare.LayerComparison;
import java.util.List;

/**
 * What a comparison found.
 *
 * @param prompt the prompt's tokens
 * @param tokens the new tokens, those of the first lane
 * @param lanes the first is what the others are compared with
 * @param layers layer by layer, for each lane but the first; empty if that was not asked for
 */
record CompareResult(int[] prompt, int[] tokens, List<LaneFigures> lanes, List<LayerComparison.Result> layers) {

    LaneFigures reference() {
        return lanes.getFirst();
    }

    List<LaneFigures> others() {
        return lanes.subList(1, lanes.size());
    }
}
