package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/**
 * The arrays that kernels share, and what {@code values} must hold after a launch: every element, so that whatever a kernel
 * writes beyond its rows is found.
 */
final class Workspace {

    /** Elements ahead of, between and behind the rows of a view. */
    static final int GAP = 3;

    private static final float UNTOUCHED = -12345.625f;
    private static final int TASKS = 4;
    private static final int TASK = 2;

    final KernelContext context = new KernelContext();
    final IntArray step;
    final IntArray layer = new IntArray(2);
    final IntArray launches = new IntArray(TASKS);
    final FloatArray values;
    final float[] expected;
    final int maxTokens;

    /** The task that kernels are told they are. */
    final int task = TASK;

    private int next = GAP;

    /**
     * @param maxTokens of a step
     * @param blocks entries of all block tables
     * @param floats of {@code values}
     */
    Workspace(int maxTokens, int blocks, int floats) {
        this.maxTokens = maxTokens;
        step = new IntArray(StepLayout.size(maxTokens, blocks));
        step.init(0);
        layer.init(0);
        launches.init(0);
        values = new FloatArray(floats);
        expected = new float[floats];
        clear();
    }

    /** Where a view begins that has {@code rows} rows, {@link #stride} apart. */
    int view(int rows, int width) {
        int at = next;
        next += rows * stride(width) + GAP;
        assertThat(next).isLessThanOrEqualTo(expected.length);
        return at;
    }

    static int stride(int width) {
        return width + GAP;
    }

    /** Leaves nothing of earlier launches. */
    void clear() {
        values.init(UNTOUCHED);
        Arrays.fill(expected, UNTOUCHED);
    }

    /** Puts an input. */
    void set(int at, float value) {
        values.set(at, value);
        expected[at] = value;
    }

    /** Puts a row of inputs. */
    void set(int at, float[] row) {
        for (int i = 0; i < row.length; i++) {
            set(at + i, row[i]);
        }
    }

    /** Launches, and checks that it was launched. */
    void run(KernelRunner.Launch launch, Grid grid) {
        int[] before = launches.toHeapArray();
        launch.run(grid);
        before[TASK]++;
        assertThat(launches.toHeapArray()).as("launches of each task").isEqualTo(before);
    }

    /** Launches, and checks every element of {@code values}. */
    void check(KernelRunner.Launch launch, Grid grid, String what) {
        run(launch, grid);
        Bits.assertEqual(values.toHeapArray(), expected, what);
    }

    /** Numbers of every size: mostly of ordinary ones, some zeros, subnormals and numbers that cancel. */
    static float[] row(Random random, int n) {
        float[] row = new float[n];
        for (int i = 0; i < n; i++) {
            row[i] = switch (random.nextInt(16)) {
                case 0 -> random.nextBoolean() ? 0f : -0f;
                case 1 -> (random.nextFloat() - 0.5f) * Float.MIN_NORMAL;
                case 2 -> (random.nextFloat() - 0.5f) * 0x1p20f;
                default -> random.nextFloat() * 2 - 1;
            };
        }
        return row;
    }
}
