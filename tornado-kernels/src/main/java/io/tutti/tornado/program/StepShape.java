package io.tutti.tornado.program;

import io.tutti.engine.graph.Rows;

/**
 * What the sizes of a step's launches follow from.
 *
 * @param tokens new tokens
 * @param sequences that they belong to
 * @param outputs tokens whose logits are wanted
 * @param segments segments of the longest context
 */
record StepShape(int tokens, int sequences, int outputs, int segments) {

    /** A step of nothing, in which every kernel runs and writes no number. */
    static final StepShape EMPTY = new StepShape(0, 0, 0, 0);

    int rows(Rows rows) {
        return switch (rows) {
            case TOKENS -> tokens;
            case OUTPUTS -> outputs;
        };
    }
}
