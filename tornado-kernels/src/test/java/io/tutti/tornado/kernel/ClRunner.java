package io.tutti.tornado.kernel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import uk.ac.manchester.tornado.api.common.TaskPackage;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/**
 * Runs the kernel in OpenCL C in place of those in Java, with the arguments that these would have: checks see no difference.
 * What Java has two kernels for, attention, is done by the first of them.
 */
final class ClRunner implements KernelRunner {

    /** Tiles and tokens of a product's work-item: more than one, and no divisors of what there are. */
    private static final int TILES_EACH = 2;

    private static final int TOKENS_EACH = 7;

    /** Where the kernel runs. */
    interface Device {
        /**
         * Makes a launch ready.
         *
         * @param arrays the kernel's, in its order: the table of ops, step, launches, values, and the op's own five
         */
        Launch prepare(List<TornadoNativeArray> arrays, int task);
    }

    /** The arrays of an op's own, in the kernel's order. */
    private static final int ANGLES = 4;

    private static final int WEIGHTS = 5;
    private static final int SCALES = 6;
    private static final int KEYS = 7;
    private static final int SLAB_VALUES = 8;

    private final Device device;
    /** The arguments of the last combination that was prepared. */
    private Arguments combination;

    ClRunner(Device device) {
        this.device = device;
    }

    /** A Java kernel's, without its context. */
    private record Arguments(Object[] all) {
        int integer(int i) {
            return (Integer) all[i];
        }

        TornadoNativeArray array(int i) {
            return (TornadoNativeArray) all[i];
        }

        int last() {
            return integer(all.length - 1);
        }
    }

    @Override
    public Launch prepare(TaskPackage task, Object... written) {
        Object[] parameters = task.getTaskParameters();
        Arguments a = new Arguments(Arrays.copyOfRange(parameters, 2, parameters.length));
        return switch (task.getId()) {
            case "embed" -> embed(a);
            case "rms" -> rmsNorm(a);
            case "matMul" -> matMul(a);
            case "rotate" ->
                rows(a, 1, grid -> ClKernel.rotate(grid.y(), a.integer(6), a.integer(4), a.integer(5)), Grid::z)
                        .with(ANGLES, a.array(3));
            case "write" -> write(a);
            case "attend" -> attend(a);
            case "combine" -> {
                combination = a;
                yield rows(a, 1, grid -> ClKernel.nothing(), grid -> 1);
            }
            case "swiGlu" ->
                rows(
                        a,
                        1,
                        grid -> ClKernel.swiGlu(
                                a.integer(4),
                                a.integer(5),
                                a.integer(6),
                                a.integer(7),
                                a.integer(8),
                                a.integer(9),
                                a.integer(10),
                                a.integer(11)),
                        Grid::y);
            case "add" ->
                rows(
                        a,
                        1,
                        grid -> ClKernel.add(
                                a.integer(3), a.integer(4), a.integer(5), a.integer(6), a.integer(7), a.integer(8)),
                        Grid::y);
            case "select" ->
                rows(
                        a,
                        1,
                        grid -> ClKernel.selectOutputs(
                                a.integer(4), a.integer(3), a.integer(5), a.integer(6), a.integer(7), a.integer(8)),
                        Grid::y);
            default -> throw new IllegalArgumentException(task.getId());
        };
    }

    private ClLaunch embed(Arguments a) {
        boolean f32 = a.array(3) instanceof FloatArray;
        int format = f32 ? ClKernel.F32 : half(a.integer(5));
        int at = f32 ? 4 : 6;
        return rows(
                        a,
                        1,
                        grid -> ClKernel.embed(
                                format, a.integer(at + 1), a.integer(at), a.integer(at + 2), a.integer(at + 3)),
                        Grid::y)
                .with(WEIGHTS, a.array(3));
    }

    private static int half(int format) {
        return format == Tables.F16 ? ClKernel.F16 : ClKernel.BF16;
    }

    private ClLaunch rmsNorm(Arguments a) {
        IntArray layer = (IntArray) a.array(1);
        int heads = a.integer(7);
        int width = a.integer(8);
        return rows(
                a,
                2,
                grid -> ClKernel.rmsNorm(
                        a.integer(6),
                        heads,
                        width,
                        a.integer(4) + layer.get(0) * heads * width,
                        (Float) a.all()[5],
                        a.integer(9),
                        a.integer(10),
                        a.integer(11),
                        a.integer(12)),
                grid -> grid.x() / grid.localX());
    }

    private ClLaunch matMul(Arguments a) {
        IntArray layer = (IntArray) a.array(1);
        boolean f32 = a.array(4) instanceof FloatArray;
        boolean int4 = a.all()[5] instanceof IntArray;
        int at = f32 ? 5 : int4 ? 8 : 7;
        int format = f32 ? ClKernel.F32 : int4 ? ClKernel.INT4 : half(a.integer(6));
        int rows = a.integer(at + 1);
        int biasAt = a.integer(at + 7);
        ClLaunch launch = launch(
                        a,
                        2,
                        grid -> ClKernel.matMul(
                                format,
                                int4 ? a.integer(7) : 0,
                                a.integer(at + 2),
                                layer.get(0),
                                a.integer(at),
                                rows,
                                a.integer(at + 8) == 0 ? ClKernel.REPLACE : ClKernel.ADD_TO,
                                TILES_EACH,
                                TOKENS_EACH,
                                a.integer(at + 3),
                                a.integer(at + 4),
                                a.integer(at + 5),
                                a.integer(at + 6),
                                biasAt == Bias.NONE ? Bias.NONE : biasAt + layer.get(0) * Bias.stride(rows)),
                        grid -> ClKernel.matMulGrid(
                                Tiles.count(rows),
                                TILES_EACH,
                                ((IntArray) a.array(0)).get(a.integer(at + 2)),
                                TOKENS_EACH))
                .with(WEIGHTS, a.array(4));
        return int4 ? launch.with(SCALES, a.array(5)) : launch;
    }

    private ClLaunch write(Arguments a) {
        IntArray layer = (IntArray) a.array(1);
        return rows(
                        a,
                        2,
                        grid -> ClKernel.writeKv(
                                ClKernel.cache(
                                        cacheFormat(a),
                                        a.integer(11),
                                        a.integer(12),
                                        a.integer(13),
                                        layer.get(1),
                                        a.integer(14)),
                                a.integer(7),
                                a.integer(8),
                                a.integer(9),
                                a.integer(10)),
                        Grid::z)
                .with(KEYS, a.array(4))
                .with(SLAB_VALUES, a.array(5));
    }

    private static int cacheFormat(Arguments a) {
        return a.array(4) instanceof FloatArray ? ClKernel.F32 : ClKernel.F16;
    }

    private ClLaunch attend(Arguments a) {
        IntArray layer = (IntArray) a.array(1);
        return launch(
                        a,
                        2,
                        grid -> ClKernel.attention(
                                ClKernel.cache(
                                        cacheFormat(a),
                                        a.integer(9),
                                        a.integer(10),
                                        a.integer(12),
                                        layer.get(1),
                                        a.integer(13)),
                                a.integer(8),
                                a.integer(14),
                                a.integer(17),
                                (Float) a.all()[7],
                                a.integer(11),
                                a.integer(15),
                                a.integer(16),
                                combination.integer(10),
                                combination.integer(11)),
                        grid -> ClKernel.attentionGrid(a.integer(9), grid.z()))
                .with(KEYS, a.array(4))
                .with(SLAB_VALUES, a.array(5));
    }

    /** @param launches which argument the counts are; values follow them */
    private ClLaunch rows(Arguments a, int launches, Function<Grid, int[]> row, ToIntFunction<Grid> rows) {
        return launch(a, launches, row, grid -> ClKernel.rowGrid(rows.applyAsInt(grid)));
    }

    private ClLaunch launch(Arguments a, int launches, Function<Grid, int[]> row, Function<Grid, Grid> geometry) {
        return new ClLaunch(a.array(0), a.array(launches), a.array(launches + 1), a.last(), row, geometry);
    }

    /** A launch that is made ready when it is run first, by when all its arrays are known. */
    private final class ClLaunch implements Launch {
        private final OpTable table;
        private final List<TornadoNativeArray> arrays;
        private final int task;
        private final Function<Grid, int[]> row;
        private final Function<Grid, Grid> geometry;
        private Launch ready;

        ClLaunch(
                TornadoNativeArray step,
                TornadoNativeArray launches,
                TornadoNativeArray values,
                int task,
                Function<Grid, int[]> row,
                Function<Grid, Grid> geometry) {
            this.task = task;
            this.row = row;
            this.geometry = geometry;
            table = new OpTable(task + 1);
            arrays = new ArrayList<>(Collections.nCopies(SLAB_VALUES + 1, table.array()));
            arrays.set(1, step);
            arrays.set(2, launches);
            arrays.set(3, values);
        }

        ClLaunch with(int place, TornadoNativeArray array) {
            arrays.set(place, array);
            return this;
        }

        @Override
        public void run(Grid grid) {
            if (ready == null) {
                ready = device.prepare(arrays, task);
            }
            table.set(task, row.apply(grid));
            ready.run(geometry.apply(grid));
        }

        @Override
        public void close() {
            if (ready != null) {
                ready.close();
            }
        }
    }
}
