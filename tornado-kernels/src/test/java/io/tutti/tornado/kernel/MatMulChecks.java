package io.tutti.tornado.kernel;

import io.tutti.engine.numerics.Numerics;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

/** All weights in both mappings, over columns that fill no segment, rows that fill no tile, tokens that fill no block. */
final class MatMulChecks {

    private static final int MAX_TOKENS = 17;
    private static final int LAYERS = 2;

    /** More segments than {@link MatMulLanes} sums side by side. */
    private static final int MANY_COLS = 8 * 256 + 257;

    private enum Mapping {
        TILES,
        LANES;

        Grid grid(int tokens, int rows) {
            return this == TILES ? MatMulTiles.grid(tokens, rows) : MatMulLanes.grid(tokens, rows);
        }
    }

    private MatMulChecks() {}

    static Stream<Check> all() {
        return Stream.of(Mapping.values()).flatMap(MatMulChecks::of);
    }

    /** Those of one mapping. */
    static Stream<Check> tiles() {
        return of(Mapping.TILES);
    }

    private static Stream<Check> of(Mapping mapping) {
        List<Check> checks = new ArrayList<>();
        int[][] shapes = {{1, 31, 1}, {255, 33, 0}, {256, 1, 1}, {257, 32, 1}, {600, 31, 0}};
        for (int[] shape : shapes) {
            int cols = shape[0];
            int rows = shape[1];
            boolean bias = shape[2] == 1;
            checks.add(new Check(name("f32", bias, mapping, cols, rows), r -> f32(r, mapping, bias, cols, rows)));
            for (int format : new int[] {Tables.F16, Tables.BF16}) {
                // Every format and mapping meets both forms of the tables, and sums with and without bias, kept and
                // added.
                int compact = (rows + format) % 2;
                boolean biased = bias == (format == Tables.F16);
                String name = (format == Tables.F16 ? "f16" : "bf16") + (compact == 1 ? " compact" : " full");
                checks.add(new Check(
                        name(name, biased, mapping, cols, rows),
                        cols == 600,
                        r -> halves(r, mapping, format, compact, biased, cols, rows)));
            }
        }
        int[][] groups = {
            {2, 2, 31, 1}, {2, 258, 33, 0}, {12, 252, 1, 1}, {12, 600, 32, 0}, {32, 288, 31, 1}, {300, 600, 33, 1}
        };
        for (int[] shape : groups) {
            int group = shape[0];
            int cols = shape[1];
            int rows = shape[2];
            boolean bias = shape[3] == 1;
            checks.add(new Check(
                    name("int4 group " + group, bias, mapping, cols, rows),
                    r -> int4(r, mapping, group, rows % 2, bias, cols, rows)));
        }
        checks.add(new Check(name("f32", true, mapping, MANY_COLS, 3), r -> f32(r, mapping, true, MANY_COLS, 3)));
        return checks.stream();
    }

    private static String name(String weights, boolean bias, Mapping mapping, int cols, int rows) {
        return "matMul %s %s%s, %d x %d"
                .formatted(mapping, weights, bias ? " with bias" : "", rows, cols)
                .toLowerCase(Locale.ROOT);
    }

    private static void f32(KernelRunner runner, Mapping mapping, boolean bias, int cols, int rows) {
        Packed weights = Packed.f32(new Random(cols), LAYERS, rows, cols);
        new Shape(cols, rows, bias, cols % 2, rows % 2)
                .check(
                        runner,
                        mapping,
                        weights,
                        (work, shape, in, out, biasAt) -> mapping == Mapping.TILES
                                ? new TaskPackage(
                                        "matMul",
                                        MatMulTiles::f32,
                                        work.context,
                                        work.step,
                                        work.layer,
                                        work.launches,
                                        work.values,
                                        weights.data(),
                                        cols,
                                        rows,
                                        shape.count,
                                        in,
                                        Workspace.stride(cols),
                                        out,
                                        Workspace.stride(rows),
                                        biasAt,
                                        shape.add,
                                        work.task)
                                : new TaskPackage(
                                        "matMul",
                                        MatMulLanes::f32,
                                        work.context,
                                        work.step,
                                        work.layer,
                                        work.launches,
                                        work.values,
                                        weights.data(),
                                        cols,
                                        rows,
                                        shape.count,
                                        in,
                                        Workspace.stride(cols),
                                        out,
                                        Workspace.stride(rows),
                                        biasAt,
                                        shape.add,
                                        work.task));
    }

    private static void halves(
            KernelRunner runner, Mapping mapping, int format, int compact, boolean bias, int cols, int rows) {
        Packed weights = Packed.halves(new Random(cols), format, true, LAYERS, rows, cols);
        FloatArray tables = Tables.make(compact);
        new Shape(cols, rows, bias, (cols + format) % 2, rows % 2)
                .check(
                        runner,
                        mapping,
                        weights,
                        (work, shape, in, out, biasAt) -> mapping == Mapping.TILES
                                ? new TaskPackage(
                                        "matMul",
                                        MatMulTiles::halves,
                                        work.context,
                                        work.step,
                                        work.layer,
                                        work.launches,
                                        work.values,
                                        weights.words(),
                                        tables,
                                        format,
                                        cols,
                                        rows,
                                        shape.count,
                                        in,
                                        Workspace.stride(cols),
                                        out,
                                        Workspace.stride(rows),
                                        biasAt,
                                        shape.add,
                                        work.task)
                                : new TaskPackage(
                                        "matMul",
                                        MatMulLanes::halves,
                                        work.context,
                                        work.step,
                                        work.layer,
                                        work.launches,
                                        work.values,
                                        weights.words(),
                                        tables,
                                        format,
                                        cols,
                                        rows,
                                        shape.count,
                                        in,
                                        Workspace.stride(cols),
                                        out,
                                        Workspace.stride(rows),
                                        biasAt,
                                        shape.add,
                                        work.task));
    }

    private static void int4(
            KernelRunner runner, Mapping mapping, int group, int compact, boolean bias, int cols, int rows) {
        Packed weights = Packed.int4(new Random(cols), group, LAYERS, rows, cols);
        FloatArray tables = Tables.make(compact);
        new Shape(cols, rows, bias, group % 4 == 0 ? 1 : 0, rows % 2)
                .check(
                        runner,
                        mapping,
                        weights,
                        (work, shape, in, out, biasAt) -> mapping == Mapping.TILES
                                ? new TaskPackage(
                                        "matMul",
                                        MatMulTiles::nibbles,
                                        work.context,
                                        work.step,
                                        work.layer,
                                        work.launches,
                                        work.values,
                                        weights.words(),
                                        weights.scales(),
                                        tables,
                                        group,
                                        cols,
                                        rows,
                                        shape.count,
                                        in,
                                        Workspace.stride(cols),
                                        out,
                                        Workspace.stride(rows),
                                        biasAt,
                                        shape.add,
                                        work.task)
                                : new TaskPackage(
                                        "matMul",
                                        MatMulLanes::nibbles,
                                        work.context,
                                        work.step,
                                        work.layer,
                                        work.launches,
                                        work.values,
                                        weights.words(),
                                        weights.scales(),
                                        tables,
                                        group,
                                        cols,
                                        rows,
                                        shape.count,
                                        in,
                                        Workspace.stride(cols),
                                        out,
                                        Workspace.stride(rows),
                                        biasAt,
                                        shape.add,
                                        work.task));
    }

    private interface TaskOf {
        TaskPackage task(Workspace work, Shape shape, int in, int out, int biasAt);
    }

    /**
     * One check.
     *
     * @param bias whether there is one
     * @param add 1 if the product is added
     * @param count what rows are
     */
    private record Shape(int cols, int rows, boolean bias, int add, int count) {

        void check(KernelRunner runner, Mapping mapping, Packed weights, TaskOf kernel) {
            int inStride = Workspace.stride(cols);
            int outStride = Workspace.stride(rows);
            Workspace work =
                    new Workspace(MAX_TOKENS, 0, MAX_TOKENS * (inStride + outStride) + LAYERS * Bias.stride(rows) + 64);
            int in = work.view(MAX_TOKENS, cols);
            int out = work.view(MAX_TOKENS, rows);
            int biasAt = bias ? work.view(1, LAYERS * Bias.stride(rows)) : Bias.NONE;
            try (KernelRunner.Launch launch = runner.prepare(kernel.task(work, this, in, out, biasAt))) {
                for (int tokens : cols == MANY_COLS ? new int[] {3, 5} : new int[] {1, 3, 4, 5, MAX_TOKENS}) {
                    int layer = tokens % LAYERS;
                    work.layer.set(0, layer);
                    work.clear();
                    work.step.set(count, tokens);
                    fill(work, new Random(tokens), in, out);
                    if (bias) {
                        work.set(biasAt, Workspace.row(new Random(rows), LAYERS * Bias.stride(rows)));
                    }
                    for (int t = 0; t < tokens; t++) {
                        for (int r = 0; r < rows; r++) {
                            int at = out + t * outStride + r;
                            float y = Numerics.dot(
                                    weights.widened()[layer][r], 0, work.expected, in + t * inStride, cols);
                            y = bias ? y + work.expected[biasAt + layer * Bias.stride(rows) + r] : y;
                            work.expected[at] = add == 0 ? y : work.expected[at] + y;
                        }
                    }
                    work.check(launch, mapping.grid(tokens, rows), tokens + " tokens");
                }
            }
        }

        private void fill(Workspace work, Random random, int in, int out) {
            for (int t = 0; t < MAX_TOKENS; t++) {
                float[] row = Workspace.row(random, cols);
                switch (t) {
                    case 1 -> row[cols - 1] = Float.POSITIVE_INFINITY;
                    case 3 -> row[cols / 2] = Float.NaN;
                    default -> {}
                }
                work.set(in + t * Workspace.stride(cols), row);
                work.set(out + t * Workspace.stride(rows), Workspace.row(random, rows));
            }
        }
    }
}
