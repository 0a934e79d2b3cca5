package io.tutti.tornado.program;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.numerics.RopeTable;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

/**
 * The cosines and sines of a step's positions, made on the host so that every device rotates by the same values:
 * {@code [tokens][3][pairs]}, cosines, sines, and the sines negated, since a device may fuse what it negates itself.
 */
final class RopeAngles {

    private final RopeTable table;
    private final FloatArray array;

    RopeAngles(RopeParameters rope, int maxTokens) {
        table = new RopeTable(rope);
        array = new FloatArray(Math.multiplyExact(3 * maxTokens, table.pairs()));
        array.init(0f);
    }

    FloatArray array() {
        return array;
    }

    /** Writes the rows of the step's tokens. */
    void fill(StepInputs inputs) {
        table.extendTo(inputs.positionsEnd());
        int pairs = table.pairs();
        for (int t = 0; t < inputs.tokens().length; t++) {
            int from = inputs.positions()[t] * pairs;
            int to = 3 * t * pairs;
            for (int i = 0; i < pairs; i++) {
                float sine = table.sin()[from + i];
                array.set(to + i, table.cos()[from + i]);
                array.set(to + pairs + i, sine);
                array.set(to + 2 * pairs + i, -sine);
            }
        }
    }
}
