package io.tutti.modelio.weights;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.int4.Int4;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.TensorWindow;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Weights whose layers' projections are quantized to int4 as they are asked for, on all cores; bit for bit what an int4 file
 * holds.
 */
public final class QuantizedWeights implements WeightSource {
    /** Rows that one task of the common pool quantizes: enough work for a task, and enough tasks for all cores. */
    private static final int ROWS_AT_ONCE = 16;

    private final Checkpoint checkpoint;
    private final WeightSource floats;
    private final Set<String> projections;
    private final int group;

    private QuantizedWeights(Checkpoint checkpoint, WeightSource floats, Set<String> projections, int group) {
        this.checkpoint = checkpoint;
        this.floats = floats;
        this.projections = projections;
        this.group = group;
    }

    /**
     * Quantizes {@code floats} in groups of {@code group} columns.
     *
     * @param projections the names of the matrices to quantize; all others stay as they are stored
     * @throws ModelException if they are int4 already
     */
    public static QuantizedWeights of(Weights floats, Set<String> projections, int group) {
        return of(floats, floats, projections, group);
    }

    /**
     * The same for weights that are made of {@code stored}.
     *
     * @throws ModelException if those are int4 already
     */
    public static QuantizedWeights of(Weights stored, WeightSource floats, Set<String> projections, int group) {
        if (group < 1) {
            throw new IllegalArgumentException("group = " + group + "; accepted: at least 1");
        }
        if (stored.int4Group().isPresent()) {
            throw ModelException.of(
                    stored.checkpoint().directory(),
                    "is an int4 model already (groups of " + stored.int4Group().getAsInt()
                            + "); quantize the model it was made from");
        }
        return new QuantizedWeights(stored.checkpoint(), floats, projections, group);
    }

    /** An {@link Int4Weight} in memory of its own for a layer's projection, else the matrix as it is stored. */
    @Override
    public Weight matrix(String name, int rows, int cols) {
        Weight weight = floats.matrix(name, rows, cols);
        if (!projections.contains(name) || !(weight instanceof DenseWeight dense)) {
            return weight;
        }
        try (dense) {
            return quantize(dense);
        }
    }

    @Override
    public WeightFormat format(String name, int rows, int cols) {
        WeightFormat stored = floats.format(name, rows, cols);
        if (!projections.contains(name)) {
            return stored;
        }
        Path file = checkpoint.contains(name) ? checkpoint.tensor(name).file() : checkpoint.source();
        requireGroups(file, name, cols, group);
        return new WeightFormat.Int4(group);
    }

    @Override
    public float[] vector(String name, int size) {
        return floats.vector(name, size);
    }

    /**
     * Refuses a matrix whose columns do not divide into pairs and groups.
     *
     * @throws ModelException naming {@code file} and {@code tensor}
     */
    public static void requireGroups(Path file, String tensor, long cols, int group) {
        if (cols % 2 != 0 || cols % group != 0) {
            throw ModelException.of(
                    file,
                    "tensor " + ModelException.quote(tensor) + " has " + cols
                            + " columns; int4 needs an even number that is a multiple of the group, " + group);
        }
    }

    private Int4Weight quantize(DenseWeight dense) {
        int cols = dense.cols();
        requireGroups(dense.file(), dense.name(), cols, group);
        TensorWindow qweight = TensorWindow.allocate((long) dense.rows() * (cols / 2));
        TensorWindow scales = null;
        try {
            scales = TensorWindow.allocate((long) dense.rows() * (cols / group) * Short.BYTES);
            quantizeRows(dense, qweight.data(), scales.data());
            return new Int4Weight(dense.name(), dense.file(), dense.rows(), cols, group, qweight, scales);
        } catch (RuntimeException | Error e) {
            qweight.close();
            if (scales != null) {
                scales.close();
            }
            throw e;
        }
    }

    /** In parallel; what is refused is the first row that must be, whoever finds it. */
    private void quantizeRows(DenseWeight dense, MemorySegment qweight, MemorySegment scales) {
        int ranges = Math.ceilDiv(dense.rows(), ROWS_AT_ONCE);
        IntStream.range(0, ranges)
                .parallel()
                .mapToObj(range -> {
                    int first = range * ROWS_AT_ONCE;
                    int end = Math.min(dense.rows(), first + ROWS_AT_ONCE);
                    try {
                        quantizeRows(dense, first, end, qweight, scales);
                        return Optional.<ModelException>empty();
                    } catch (ModelException e) {
                        return Optional.of(e);
                    }
                })
                .flatMap(Optional::stream)
                .findFirst()
                .ifPresent(refusal -> {
                    throw refusal;
                });
    }

    private void quantizeRows(DenseWeight dense, int first, int end, MemorySegment qweight, MemorySegment scales) {
        float[] row = new float[dense.cols()];
        byte[] packed = new byte[dense.cols() / 2];
        short[] rowScales = new short[dense.cols() / group];
        for (int r = first; r < end; r++) {
            dense.row(r, row);
            int tooLarge = Int4.quantizeRow(row, group, packed, rowScales);
            if (tooLarge >= 0) {
                throw ModelException.of(
                        dense.file(),
                        "tensor " + ModelException.quote(dense.name()) + ", row " + r + ": the weights from column "
                                + tooLarge + " are too large for an int4 scale; accepted: magnitudes to 458640");
            }
            MemorySegment.copy(packed, 0, qweight, ValueLayout.JAVA_BYTE, (long) r * packed.length, packed.length);
            MemorySegment.copy(
                    rowScales, 0, scales, Floats.HALF, (long) r * rowScales.length * Short.BYTES, rowScales.length);
        }
    }
}
