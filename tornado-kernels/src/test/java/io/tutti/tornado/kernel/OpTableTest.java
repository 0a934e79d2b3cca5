package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** An op's row holds all of its fields, or is refused. */
class OpTableTest {

    private final OpTable table = new OpTable(3);

    @Test
    void aRowWithMoreFieldsThanThereIsRoomForIsRefusedAndNothingIsWritten() {
        int[] row = new int[OpTable.ROW + 1];
        Arrays.fill(row, 7);
        assertThatThrownBy(() -> table.set(1, row))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("task 1 has 33 fields; accepted: at most 32");
        assertThat(table.array().toHeapArray()).containsOnly(0);
    }

    @Test
    void aFullRowIsWrittenWholeAndAShorterOneLeavesNothingOfItBehind() {
        int[] row = new int[OpTable.ROW];
        Arrays.setAll(row, i -> i + 1);
        table.set(1, row);
        assertThat(row(1)).isEqualTo(row);
        assertThat(row(0)).containsOnly(0);
        assertThat(row(2)).containsOnly(0);
        table.set(1, new int[] {5});
        assertThat(row(1)).startsWith(5, 0).doesNotContain(OpTable.ROW);
    }

    private int[] row(int task) {
        return Arrays.copyOfRange(table.array().toHeapArray(), task * OpTable.ROW, (task + 1) * OpTable.ROW);
    }
}
