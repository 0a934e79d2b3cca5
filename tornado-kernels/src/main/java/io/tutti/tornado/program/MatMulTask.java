package io.tutti.tornado.program;

import io.tutti.modelio.dtype.Dtype;
import io.tutti.tornado.kernel.MatMulLanes;
import io.tutti.tornado.kernel.MatMulTiles;
import io.tutti.tornado.kernel.Tables;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.TaskGraph;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;

/** A matrix product as a task: what its kernels take, whichever mapping and dtype they are for. */
record MatMulTask(
        String name,
        KernelContext context,
        IntArray step,
        IntArray layer,
        IntArray launches,
        FloatArray values,
        FloatArray tables,
        int cols,
        int rows,
        int count,
        View in,
        View out,
        int biasAt,
        int add,
        int task) {

    TaskGraph addTiles(TaskGraph graph, DeviceMatrix matrix) {
        return switch (matrix) {
            case DeviceMatrix.F32(FloatArray tiles) ->
                graph.task(
                        name,
                        MatMulTiles::f32,
                        context,
                        step,
                        layer,
                        launches,
                        values,
                        tiles,
                        cols,
                        rows,
                        count,
                        in.at(),
                        in.stride(),
                        out.at(),
                        out.stride(),
                        biasAt,
                        add,
                        task);
            case DeviceMatrix.Half(IntArray tiles, Dtype dtype) ->
                graph.task(
                        name,
                        MatMulTiles::halves,
                        context,
                        step,
                        layer,
                        launches,
                        values,
                        tiles,
                        tables,
                        format(dtype),
                        cols,
                        rows,
                        count,
                        in.at(),
                        in.stride(),
                        out.at(),
                        out.stride(),
                        biasAt,
                        add,
                        task);
            case DeviceMatrix.Int4(IntArray tiles, IntArray scales, int group) ->
                graph.task(
                        name,
                        MatMulTiles::nibbles,
                        context,
                        step,
                        layer,
                        launches,
                        values,
                        tiles,
                        scales,
                        tables,
                        group,
                        cols,
                        rows,
                        count,
                        in.at(),
                        in.stride(),
                        out.at(),
                        out.stride(),
                        biasAt,
                        add,
                        task);
        };
    }

    TaskGraph addLanes(TaskGraph graph, DeviceMatrix matrix) {
        return switch (matrix) {
            case DeviceMatrix.F32(FloatArray tiles) ->
                graph.task(
                        name,
                        MatMulLanes::f32,
                        context,
                        step,
                        layer,
                        launches,
                        values,
                        tiles,
                        cols,
                        rows,
                        count,
                        in.at(),
                        in.stride(),
                        out.at(),
                        out.stride(),
                        biasAt,
                        add,
                        task);
            case DeviceMatrix.Half(IntArray tiles, Dtype dtype) ->
                graph.task(
                        name,
                        MatMulLanes::halves,
                        context,
                        step,
                        layer,
                        launches,
                        values,
                        tiles,
                        tables,
                        format(dtype),
                        cols,
                        rows,
                        count,
                        in.at(),
                        in.stride(),
                        out.at(),
                        out.stride(),
                        biasAt,
                        add,
                        task);
            case DeviceMatrix.Int4(IntArray tiles, IntArray scales, int group) ->
                graph.task(
                        name,
                        MatMulLanes::nibbles,
                        context,
                        step,
                        layer,
                        launches,
                        values,
                        tiles,
                        scales,
                        tables,
                        group,
                        cols,
                        rows,
                        count,
                        in.at(),
                        in.stride(),
                        out.at(),
                        out.stride(),
                        biasAt,
                        add,
                        task);
        };
    }

    /** What {@link Tables} calls a 16-bit dtype. */
    static int format(Dtype dtype) {
        return dtype == Dtype.F16 ? Tables.F16 : Tables.BF16;
    }
}
