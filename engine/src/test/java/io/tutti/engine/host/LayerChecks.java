package io.tutti.engine.host;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Op.HeadNorm;
import io.tutti.engine.graph.Op.Rope;
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.graph.Weight.Vector;
import io.tutti.engine.host.LinearOp.Layer;
import io.tutti.engine.host.LinearOp.Part;
import io.tutti.engine.host.kernel.ScaleRuns;
import io.tutti.engine.numerics.Numerics;
import io.tutti.engine.numerics.RopeTable;
import io.tutti.engine.parallel.Workers;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.dtype.Halves;
import io.tutti.modelio.int4.Int4;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Floats;
import io.tutti.modelio.weights.Int4Weight;
import io.tutti.modelio.weights.Weight;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Compares what the ops of a layer do around their kernels with {@link Numerics}, bit for bit: biases, in each of the ways in
 * which a product ends, and norms of heads ahead of their rotation. Public, so that a test can run it in another class loader.
 */
public final class LayerChecks implements Runnable {

    private static final Path FILE = Path.of("random");
    private static final int COLS = 288; // a segment and a rest, and whole groups
    private static final int GROUP = 32;

    private final Random random = new Random(7);

    @Override
    public void run() {
        for (int rows : new int[] {1, 31, 32, 33, 64, 100}) {
            for (int tokens : new int[] {1, 2, 5, 13}) {
                biases(dense(Dtype.F32, rows), false, tokens);
                biases(dense(Dtype.F16, rows), false, tokens);
                biases(int4(rows), false, tokens);
                biases(int4(rows), true, tokens);
            }
        }
        for (int headDim : new int[] {2, 14, 64, 80, 128, 300}) {
            for (int heads : new int[] {1, 3, 8}) {
                headNorms(headDim, heads);
            }
        }
    }

    /** A product without bias is checked elsewhere: here it says what one with a bias must be. */
    private void biases(Weight stored, boolean int8, int tokens) {
        int rows = stored.rows();
        try (Workers workers = new Workers(2);
                Arena arena = Arena.ofShared();
                stored) {
            PackedMatrix packed = Packed.of(stored, workers, arena);
            LinearWeight weight = int8
                    ? new Int8Matrix((PackedMatrix.Int4) packed, new QuantizedRows(new ScaleRuns(stored.cols(), GROUP)))
                    : packed;
            float[] bias = random(rows);
            float[] upBias = random(rows);
            Layer biased = Layer.of(weight, bias);
            Buffer in = Buffer.ofTokens("in", stored.cols());
            Buffer product = Buffer.ofTokens("product", rows);
            Buffer kept = Buffer.ofTokens("kept", rows);
            Buffer residual = Buffer.ofTokens("residual", rows);
            Buffer gated = Buffer.ofTokens("gated", rows);
            Step step = step(workers, tokens, 0);
            float[] x = random(tokens * stored.cols());
            System.arraycopy(x, 0, step.data(in), 0, x.length);
            float[] before = random(tokens * rows);
            System.arraycopy(before, 0, step.data(residual), 0, before.length);
            new LinearOp(
                            in,
                            List.of(
                                    new Part.Store(new Layer(weight), product),
                                    new Part.Store(biased, kept),
                                    new Part.AddTo(biased, residual),
                                    new Part.Gate(biased, Layer.of(weight, upBias), gated)))
                    .run(step);
            for (int i = 0; i < tokens * rows; i++) {
                String what = "%s%s, %d rows, %d tokens, element %d"
                        .formatted(stored.getClass().getSimpleName(), int8 ? " x int8" : "", rows, tokens, i);
                float sum = step.data(product)[i] + bias[i % rows];
                same(what, sum, step.data(kept)[i]);
                same(what + ", added", before[i] + sum, step.data(residual)[i]);
                float up = step.data(product)[i] + upBias[i % rows];
                same(what + ", gated", Numerics.swiGlu(sum, up), step.data(gated)[i]);
            }
        }
    }

    private void headNorms(int headDim, int heads) {
        int tokens = 5;
        int position = 90;
        float eps = 1e-5f;
        RopeTable table = new RopeTable(new RopeParameters(headDim, 1e4));
        Buffer x = Buffer.ofTokens("x", heads * headDim);
        Buffer turned = Buffer.ofTokens("turned", heads * headDim);
        HeadNorm norm = new HeadNorm(x, heads, new Vector("norm", headDim), eps);
        HeadNorm turnedNorm = new HeadNorm(turned, heads, new Vector("norm", headDim), eps);
        float[] scale = random(headDim);
        try (Workers workers = new Workers(2)) {
            Step step = step(workers, tokens, position);
            float[] input = random(tokens * heads * headDim);
            System.arraycopy(input, 0, step.data(x), 0, input.length);
            System.arraycopy(input, 0, step.data(turned), 0, input.length);
            new RopeKvOp(
                            List.of(new RopeKvOp.Norm(norm, scale), new RopeKvOp.Norm(turnedNorm, scale)),
                            List.of(new RopeKvOp.Rotation(
                                    new Rope(turned, heads, new RopeParameters(headDim, 1e4)), table)),
                            Optional.empty())
                    .run(step);
            float[] want = new float[input.length];
            for (int at = 0; at < input.length; at += headDim) {
                Numerics.rmsNorm(input, at, scale, eps, want, at);
            }
            String what = "%d heads of %d, element %d";
            for (int i = 0; i < want.length; i++) {
                same(what.formatted(heads, headDim, i), want[i], step.data(x)[i]);
            }
            for (int h = 0; h < tokens * heads; h++) {
                Numerics.rope(want, h * headDim, table, position + h / heads);
            }
            for (int i = 0; i < want.length; i++) {
                same("rotated, " + what.formatted(heads, headDim, i), want[i], step.data(turned)[i]);
            }
        }
    }

    private static Step step(Workers workers, int tokens, int first) {
        Step step = new Step(workers);
        int[] none = {};
        int[] positions = IntStream.range(first, first + tokens).toArray();
        step.begin(new StepInputs(new int[tokens], positions, none, new int[] {0}, none, new int[] {0}, none));
        return step;
    }

    private DenseWeight dense(Dtype dtype, int rows) {
        TensorWindow window = TensorWindow.allocate((long) rows * COLS * dtype.bytes());
        for (long i = 0; i < (long) rows * COLS; i++) {
            float value = (float) random.nextGaussian();
            if (dtype == Dtype.F32) {
                window.data().setAtIndex(Floats.F32, i, value);
            } else {
                window.data().setAtIndex(Floats.HALF, i, Halves.floatToF16(value));
            }
        }
        return new DenseWeight("w", FILE, dtype, rows, COLS, window);
    }

    private Int4Weight int4(int rows) {
        TensorWindow q = TensorWindow.allocate((long) rows * COLS / 2);
        TensorWindow scales = TensorWindow.allocate((long) rows * COLS / GROUP * Short.BYTES);
        byte[] packed = new byte[COLS / 2];
        short[] rowScales = new short[COLS / GROUP];
        for (int r = 0; r < rows; r++) {
            Int4.quantizeRow(random(COLS), GROUP, packed, rowScales);
            MemorySegment.copy(MemorySegment.ofArray(packed), 0, q.data(), (long) r * packed.length, packed.length);
            for (int g = 0; g < rowScales.length; g++) {
                scales.data().setAtIndex(Floats.HALF, (long) r * rowScales.length + g, rowScales[g]);
            }
        }
        return new Int4Weight("w", FILE, rows, COLS, GROUP, q, scales);
    }

    /** One in twenty is a signed zero, one in twenty tiny. */
    private float[] random(int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = switch (random.nextInt(40)) {
                case 0 -> 0f;
                case 1 -> -0f;
                case 2, 3 -> (float) random.nextGaussian() * 1e-38f;
                default -> (float) random.nextGaussian();
            };
        }
        return values;
    }

    private static void same(String what, float want, float got) {
        if (Float.floatToIntBits(want) != Float.floatToIntBits(got)) {
            throw new AssertionError(what + " is " + got + ", must be " + want);
        }
    }
}
