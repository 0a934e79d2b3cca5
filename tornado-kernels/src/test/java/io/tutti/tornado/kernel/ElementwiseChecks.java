package io.tutti.tornado.kernel;

import io.tutti.engine.numerics.Numerics;
import java.util.Random;
import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

final class ElementwiseChecks {

    private static final int MAX_ROWS = 5;

    private ElementwiseChecks() {}

    static Stream<Check> all() {
        return Stream.of(
                new Check("swiGlu, width 1", runner -> swiGlu(runner, 1)),
                new Check("swiGlu, width 2000", runner -> swiGlu(runner, 2000)),
                new Check("add, width 65", runner -> add(runner, 65)),
                new Check("selectOutputs, width 65", runner -> selectOutputs(runner, 65)));
    }

    private static void swiGlu(KernelRunner runner, int width) {
        int stride = Workspace.stride(width);
        Workspace work = new Workspace(MAX_ROWS, 0, 3 * MAX_ROWS * stride + 64);
        int gate = work.view(MAX_ROWS, width);
        int up = work.view(MAX_ROWS, width);
        int out = work.view(MAX_ROWS, width);
        FloatArray tables = Tables.make(Tables.COMPACT);
        TaskPackage task = new TaskPackage(
                "swiGlu",
                Elementwise::swiGlu,
                work.context,
                work.step,
                work.launches,
                work.values,
                tables,
                StepLayout.TOKENS,
                width,
                gate,
                stride,
                up,
                stride,
                out,
                stride,
                work.task);
        try (KernelRunner.Launch launch = runner.prepare(task)) {
            for (int rows : new int[] {MAX_ROWS, 1}) {
                work.clear();
                work.step.set(StepLayout.TOKENS, rows);
                Random random = new Random(width);
                for (int t = 0; t < MAX_ROWS; t++) {
                    for (int i = 0; i < width; i++) {
                        float g = gate(random);
                        float u = random.nextFloat() * 2 - 1;
                        work.set(gate + t * stride + i, g);
                        work.set(up + t * stride + i, u);
                        if (t < rows) {
                            work.expected[out + t * stride + i] = Numerics.swiGlu(g, u);
                        }
                    }
                }
                work.check(launch, Elementwise.grid(MAX_ROWS, width), rows + " rows");
            }
        }
    }

    /** Gates for which exp is every power of two, and those at which it has its edges. */
    private static float gate(Random random) {
        float[] edges = {
            0f,
            -0f,
            87f,
            Math.nextUp(87f),
            88f,
            -88f,
            Math.nextDown(-88f),
            Float.NaN,
            Float.POSITIVE_INFINITY,
            Float.NEGATIVE_INFINITY,
            Float.MIN_VALUE,
            Float.MAX_VALUE,
            -Float.MAX_VALUE
        };
        return switch (random.nextInt(8)) {
            case 0 -> edges[random.nextInt(edges.length)];
            case 1 -> Float.intBitsToFloat(random.nextInt());
            default -> random.nextFloat(-90f, 90f);
        };
    }

    private static void add(KernelRunner runner, int width) {
        int stride = Workspace.stride(width);
        Workspace work = new Workspace(MAX_ROWS, 0, 2 * MAX_ROWS * stride + 64);
        int x = work.view(MAX_ROWS, width);
        int y = work.view(MAX_ROWS, width);
        TaskPackage task = new TaskPackage(
                "add",
                Elementwise::add,
                work.context,
                work.step,
                work.launches,
                work.values,
                StepLayout.OUTPUTS,
                width,
                x,
                stride,
                y,
                stride,
                work.task);
        try (KernelRunner.Launch launch = runner.prepare(task)) {
            for (int rows : new int[] {MAX_ROWS, 2}) {
                work.clear();
                work.step.set(StepLayout.OUTPUTS, rows);
                Random random = new Random(rows);
                for (int t = 0; t < MAX_ROWS; t++) {
                    work.set(x + t * stride, Workspace.row(random, width));
                    work.set(y + t * stride, Workspace.row(random, width));
                    for (int i = 0; i < width && t < rows; i++) {
                        work.expected[x + t * stride + i] += work.expected[y + t * stride + i];
                    }
                }
                work.check(launch, Elementwise.grid(MAX_ROWS, width), rows + " rows");
            }
        }
    }

    private static void selectOutputs(KernelRunner runner, int width) {
        int stride = Workspace.stride(width);
        Workspace work = new Workspace(MAX_ROWS, 0, 2 * MAX_ROWS * stride + 64);
        int in = work.view(MAX_ROWS, width);
        int out = work.view(MAX_ROWS, width);
        TaskPackage task = new TaskPackage(
                "select",
                Elementwise::selectOutputs,
                work.context,
                work.step,
                work.launches,
                work.values,
                MAX_ROWS,
                width,
                in,
                stride,
                out,
                stride,
                work.task);
        int[] outputs = {4, 0, 2};
        try (KernelRunner.Launch launch = runner.prepare(task)) {
            for (int rows : new int[] {3, 1}) {
                work.clear();
                work.step.set(StepLayout.OUTPUTS, rows);
                Random random = new Random(rows);
                for (int t = 0; t < MAX_ROWS; t++) {
                    work.set(in + t * stride, Workspace.row(random, width));
                }
                for (int i = 0; i < rows; i++) {
                    work.step.set(StepLayout.output(MAX_ROWS, i), outputs[i]);
                    System.arraycopy(work.expected, in + outputs[i] * stride, work.expected, out + i * stride, width);
                }
                work.check(launch, Elementwise.grid(MAX_ROWS, width), rows + " rows");
            }
        }
    }
}
