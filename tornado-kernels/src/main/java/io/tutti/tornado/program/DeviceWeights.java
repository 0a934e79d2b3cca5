package io.tutti.tornado.program;

import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.layout.TilePacker;
import io.tutti.engine.parallel.Workers;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Int4Weight;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.tornado.program.FusedOp.HeadNorms;
import io.tutti.tornado.program.FusedOp.Linear;
import io.tutti.tornado.program.FusedOp.Plain;
import io.tutti.tornado.program.FusedOp.Rotation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The arrays that hold a program's matrices: for each op of each section its own, of every layer. They are filled once and
 * uploaded once; then the host's copy may go.
 */
final class DeviceWeights implements AutoCloseable {

    private final Arena arena = Arena.ofShared();
    /** By the names of the tensors in them: a matrix that two sections use, as a tied embedding, is there once. */
    private final Map<List<String>, MatrixShape> shapes = new LinkedHashMap<>();

    private final Map<List<String>, DeviceMatrix> matrices = new HashMap<>();

    /** Sizes the arrays of all sections; none is there yet. */
    DeviceWeights(SectionPlan plan, List<Section> sections) {
        for (Section section : sections) {
            for (FusedOp op : section.ops()) {
                List<Matrix> parts = parts(op);
                if (!parts.isEmpty()) {
                    int rows = parts.stream().mapToInt(Matrix::rows).sum();
                    Matrix any = parts.getFirst();
                    WeightFormat format = plan.format(any, section.firstLayer());
                    shapes.put(names(section, parts), new MatrixShape(format, rows, any.cols(), section.layers()));
                }
            }
        }
    }

    /** The matrices of one op in each of some layers. */
    private record MatrixShape(WeightFormat format, int rows, int cols, int layers) {
        long bytes() {
            long scales =
                    format instanceof WeightFormat.Int4(int group) ? DeviceMatrix.scaleBytes(rows, cols, group) : 0;
            return layers * (DeviceMatrix.bytes(format, rows, cols) + scales);
        }
    }

    /** Bytes of all matrices. */
    long bytes() {
        return shapes.values().stream().mapToLong(MatrixShape::bytes).sum();
    }

    /** Allocates the arrays; nothing is in them yet. */
    void allocate() {
        shapes.forEach((names, shape) -> matrices.put(
                names, DeviceMatrix.allocate(arena, shape.format(), shape.rows(), shape.cols(), shape.layers())));
    }

    /** The matrices that one kernel of the op reads. */
    private static List<Matrix> parts(FusedOp op) {
        return switch (op) {
            case Linear linear -> linear.weights();
            case Plain(Embed embed) -> List.of(embed.table());
            case Plain _, HeadNorms _, Rotation _ -> List.of();
        };
    }

    private static List<String> names(Section section, List<Matrix> parts) {
        return section.eachLayer()
                .flatMap(layer -> parts.stream().map(part -> part.name(layer)))
                .toList();
    }

    DeviceMatrix matrix(Section section, Linear linear) {
        return matrices.get(names(section, linear.weights()));
    }

    DeviceMatrix matrix(Section section, Embed embed) {
        return matrices.get(names(section, List.of(embed.table())));
    }

    /** Fills the arrays with the weights of {@code source}. */
    void load(List<Section> sections, WeightSource source, Workers workers, Loading loading) {
        new Loader(source, new TilePacker(workers), loading).load(sections);
    }

    /** Lets the host's copy go. */
    @Override
    public void close() {
        arena.close();
    }

    /** Packs tensor after tensor. */
    private final class Loader {
        private final WeightSource source;
        private final TilePacker packer;
        private final Loading loading;
        private final Set<List<String>> done = new HashSet<>();

        Loader(WeightSource source, TilePacker packer, Loading loading) {
            this.source = source;
            this.packer = packer;
            this.loading = loading;
        }

        void load(List<Section> sections) {
            for (Section section : sections) {
                for (FusedOp op : section.ops()) {
                    List<Matrix> parts = parts(op);
                    if (!parts.isEmpty() && done.add(names(section, parts))) {
                        load(section, parts);
                    }
                }
            }
        }

        private void load(Section section, List<Matrix> parts) {
            DeviceMatrix matrix = matrices.get(names(section, parts));
            Cursor tiles = new Cursor(NativeArrays.data(matrix.arrays().getFirst()));
            Cursor scales = new Cursor(NativeArrays.data(matrix.arrays().getLast()));
            section.eachLayer().forEach(layer -> {
                for (Matrix part : parts) {
                    try (Weight stored = source.matrix(part.name(layer), part.rows(), part.cols())) {
                        pack(stored, matrix, tiles, scales);
                    }
                    loading.loaded();
                }
            });
        }

        private void pack(Weight stored, DeviceMatrix matrix, Cursor tiles, Cursor scales) {
            int rows = stored.rows();
            int cols = stored.cols();
            switch (matrix) {
                case DeviceMatrix.F32 _ ->
                    packer.packF32((DenseWeight) stored, tiles.next(TilePacker.f32Bytes(rows, cols)));
                case DeviceMatrix.Half _ ->
                    packer.packHalves((DenseWeight) stored, tiles.next(TilePacker.halfBytes(rows, cols)));
                case DeviceMatrix.Int4 int4 ->
                    packer.packInt4(
                            (Int4Weight) stored,
                            tiles.next(TilePacker.int4Bytes(rows, cols)),
                            scales.next(DeviceMatrix.scaleBytes(rows, cols, int4.group())));
            }
        }
    }

    /** Hands out a segment piece by piece. */
    private static final class Cursor {
        private final MemorySegment all;
        private long at;

        Cursor(MemorySegment all) {
            this.all = all;
        }

        MemorySegment next(long bytes) {
            MemorySegment piece = all.asSlice(at, bytes);
            at += bytes;
            return piece;
        }
    }
}
