package io.tutti.engine.backend;

import io.tutti.engine.graph.Buffer;

/**
 * What changes from step to step, as flat arrays that a device can take: T new tokens of S sequences, and O of the tokens
 * whose logits are wanted.
 *
 * @param tokens {@code [T]} token ids, sequence after sequence
 * @param positions {@code [T]} absolute positions
 * @param slots {@code [T]} where a token's key and value go: {@code block index * block tokens + slot in the block}
 * @param sequenceStarts {@code [S + 1]}; sequence s has tokens {@code sequenceStarts[s]} to {@code sequenceStarts[s + 1]}
 * @param blockTables all sequences' block indices, one table after the other
 * @param tableStarts {@code [S + 1]}; sequence s has block table {@code tableStarts[s]} to {@code tableStarts[s + 1]}
 * @param outputs {@code [O]} rows of {@code tokens} whose logits are wanted, ascending
 */
public record StepInputs(
        int[] tokens,
        int[] positions,
        int[] slots,
        int[] sequenceStarts,
        int[] blockTables,
        int[] tableStarts,
        int[] outputs) {

    /** Rows that a buffer has in this step. */
    public int rows(Buffer buffer) {
        return switch (buffer.rows()) {
            case TOKENS -> tokens.length;
            case OUTPUTS -> outputs.length;
        };
    }

    /** S. */
    public int sequences() {
        return sequenceStarts.length - 1;
    }

    /** One more than the largest position. */
    public int positionsEnd() {
        int end = 0;
        for (int position : positions) {
            end = Math.max(end, position + 1);
        }
        return end;
    }
}
