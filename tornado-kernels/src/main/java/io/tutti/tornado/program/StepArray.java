package io.tutti.tornado.program;

import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.numerics.Numerics;
import io.tutti.tornado.kernel.StepLayout;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/** A step's inputs as the one array of ints that kernels take, {@link StepLayout}. */
final class StepArray {

    private final int maxTokens;
    private final IntArray array;

    /** @param blockTokens positions in a block of the cache */
    StepArray(ProgramLimits limits, int blockTokens) {
        maxTokens = limits.maxTokens();
        int blocks = Math.multiplyExact(limits.maxSequences(), Math.ceilDiv(limits.maxPositions(), blockTokens));
        array = new IntArray(StepLayout.size(maxTokens, blocks));
        array.init(0);
    }

    IntArray array() {
        return array;
    }

    /** Writes a step's numbers. */
    StepShape fill(StepInputs inputs) {
        int tokens = inputs.tokens().length;
        int outputs = inputs.outputs().length;
        int segments = Math.ceilDiv(inputs.positionsEnd(), Numerics.SEGMENT);
        array.set(StepLayout.TOKENS, tokens);
        array.set(StepLayout.OUTPUTS, outputs);
        array.set(StepLayout.SEGMENTS, segments);
        for (int t = 0; t < tokens; t++) {
            array.set(StepLayout.id(maxTokens, t), inputs.tokens()[t]);
            array.set(StepLayout.position(maxTokens, t), inputs.positions()[t]);
            array.set(StepLayout.slot(maxTokens, t), inputs.slots()[t]);
        }
        for (int s = 0; s < inputs.sequences(); s++) {
            for (int t = inputs.sequenceStarts()[s]; t < inputs.sequenceStarts()[s + 1]; t++) {
                array.set(StepLayout.table(maxTokens, t), inputs.tableStarts()[s]);
            }
        }
        for (int i = 0; i < outputs; i++) {
            array.set(StepLayout.output(maxTokens, i), inputs.outputs()[i]);
        }
        for (int i = 0; i < inputs.blockTables().length; i++) {
            array.set(StepLayout.block(maxTokens, i), inputs.blockTables()[i]);
        }
        return new StepShape(tokens, inputs.sequences(), outputs, segments);
    }
}
