package io.tutti.engine.host;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.host.kernel.Attend;
import io.tutti.engine.host.kernel.CacheReads;
import io.tutti.engine.host.kernel.CacheWrites;
import io.tutti.engine.host.kernel.Elementwise;
import io.tutti.engine.host.kernel.Rotate;
import io.tutti.engine.host.kernel.ScaleRuns;
import io.tutti.engine.host.kernel.Softmax;
import io.tutti.engine.host.kernel.Squares;
import io.tutti.engine.numerics.Int8Activations;
import io.tutti.engine.numerics.Numerics;
import io.tutti.engine.numerics.RopeTable;
import io.tutti.engine.parallel.Workers;
import io.tutti.kv.KvDtype;
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
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Compares every kernel with {@link Numerics}, bit for bit. Public, so that a test can run it in another class loader. */
public final class KernelChecks implements Runnable {

    private static final Path FILE = Path.of("random");
    private static final int[] ROWS = {1, 31, 32, 33, 100};
    private static final int[] COLS = {1, 7, 255, 256, 257, 600, 1300};
    private static final int[] TOKENS = {1, 2, 3, 4, 5, 13};

    private final Random random = new Random(42);

    @Override
    public void run() {
        for (Dtype dtype : new Dtype[] {Dtype.F32, Dtype.F16, Dtype.BF16}) {
            for (int rows : ROWS) {
                for (int cols : COLS) {
                    matMul(dense(dtype, rows, cols));
                }
            }
        }
        for (int group : new int[] {2, 6, 32, 64}) {
            for (int rows : ROWS) {
                for (int groups : new int[] {1, 3, 11}) {
                    matMul(int4(rows, groups * group, group));
                }
            }
        }
        for (int group : new int[] {2, 6, 8, 12, 16, 20, 32, 44, 64, 96, 300}) {
            for (int rows : new int[] {1, 33, 100}) {
                for (int groups : new int[] {1, 3, 9}) {
                    int8(int4(rows, groups * group, group));
                }
            }
        }
        exponentials();
        swiGlu();
        rows();
        squares();
        rotations();
        attention();
        cacheReads();
        cacheWrites();
    }

    private void matMul(Weight stored) {
        String what = stored.getClass().getSimpleName() + " " + stored.rows() + " x " + stored.cols();
        float[] plain = plain(stored);
        try (Workers workers = new Workers(2);
                Arena arena = Arena.ofShared();
                stored) {
            PackedMatrix packed = Packed.of(stored, workers, arena);
            float[] row = new float[stored.cols()];
            for (int r = 0; r < stored.rows(); r++) {
                packed.row(r, row, 0);
                same(what + ", row " + r, Arrays.copyOfRange(plain, r * row.length, (r + 1) * row.length), row);
            }
            Buffer in = Buffer.ofTokens("in", stored.cols());
            Buffer out = Buffer.ofTokens("out", stored.rows());
            LinearOp op = new LinearOp(in, List.of(new LinearOp.Part.Store(new LinearOp.Layer(packed), out)));
            for (int tokens : TOKENS) {
                Step step = step(workers, tokens);
                float[] x = random(tokens * stored.cols());
                System.arraycopy(x, 0, step.data(in), 0, x.length);
                op.run(step);
                float[] want = new float[tokens * stored.rows()];
                for (int i = 0; i < want.length; i++) {
                    int t = i / stored.rows();
                    int r = i % stored.rows();
                    want[i] = Numerics.dot(plain, r * stored.cols(), x, t * stored.cols(), stored.cols());
                }
                same(what + ", " + tokens + " tokens", want, Arrays.copyOf(step.data(out), want.length));
            }
        }
    }

    private void int8(Int4Weight stored) {
        String what = "int4 x int8, " + stored.rows() + " x " + stored.cols() + ", groups of " + stored.group();
        int cols = stored.cols();
        byte[] w = new byte[stored.rows() * cols];
        for (int i = 0; i < w.length; i++) {
            int pair = stored.qweight().get(ValueLayout.JAVA_BYTE, i / 2);
            w[i] = (byte) (i % 2 == 0 ? pair << 28 >> 28 : pair >> 4);
        }
        float[] wScales = new float[w.length / stored.group()];
        for (int i = 0; i < wScales.length; i++) {
            wScales[i] = Halves.f16ToFloat(stored.scales().getAtIndex(Floats.HALF, i));
        }
        try (Workers workers = new Workers(2);
                Arena arena = Arena.ofShared();
                stored) {
            PackedMatrix.Int4 packed = (PackedMatrix.Int4) Packed.of(stored, workers, arena);
            LinearWeight weight = new Int8Matrix(packed, new QuantizedRows(new ScaleRuns(cols, stored.group())));
            Buffer in = Buffer.ofTokens("in", cols);
            Buffer out = Buffer.ofTokens("out", stored.rows());
            LinearOp op = new LinearOp(in, List.of(new LinearOp.Part.Store(new LinearOp.Layer(weight), out)));
            byte[] q = new byte[cols];
            float[] scales = new float[Int8Activations.blocks(cols)];
            for (int tokens : new int[] {1, 2, 4, 5, 8, 13}) {
                Step step = step(workers, tokens);
                float[] x = activations(tokens, cols);
                System.arraycopy(x, 0, step.data(in), 0, x.length);
                op.run(step);
                float[] want = new float[tokens * stored.rows()];
                for (int t = 0; t < tokens; t++) {
                    Int8Activations.quantize(x, t * cols, cols, q, scales);
                    for (int r = 0; r < stored.rows(); r++) {
                        want[t * stored.rows() + r] = Int8Activations.dot(
                                w, r * cols, wScales, r * cols / stored.group(), stored.group(), q, scales, cols);
                    }
                }
                same(what + ", " + tokens + " tokens", want, Arrays.copyOf(step.data(out), want.length));
            }
        }
    }

    /** Blocks of very unlike sizes: some zero, subnormal, halfway between integers or not finite. */
    private float[] activations(int tokens, int cols) {
        float[] x = random(tokens * cols);
        for (int t = 0; t < tokens; t++) {
            for (int from = 0; from < cols; from += Int8Activations.BLOCK) {
                int kind = random.nextInt(20);
                int to = Math.min(cols, from + Int8Activations.BLOCK);
                for (int k = from; k < to; k++) {
                    int at = t * cols + k;
                    x[at] = switch (kind) {
                        case 0 -> -0f;
                        case 1 -> (random.nextInt(381) - 190) * Float.MIN_VALUE;
                        case 2 -> k == from ? 127 : random.nextInt(253) - 126.5f;
                        case 3 -> random.nextInt(99) == 0 ? Float.NEGATIVE_INFINITY : x[at];
                        case 4 -> x[at] * 1e-3f;
                        default -> x[at];
                    };
                }
            }
        }
        return x;
    }

    private static Step step(Workers workers, int tokens) {
        Step step = new Step(workers);
        int[] none = {};
        step.begin(new StepInputs(new int[tokens], new int[tokens], none, new int[] {0}, none, new int[] {0}, none));
        return step;
    }

    private void exponentials() {
        float[] special = {
            0f,
            -0f,
            1f,
            -1f,
            88f,
            88.5f,
            Float.MAX_VALUE,
            Float.POSITIVE_INFINITY,
            Math.nextUp(-87f),
            -87f,
            Math.nextDown(-87f),
            -0x1p99f,
            Float.NEGATIVE_INFINITY,
            Float.NaN,
            Float.MIN_VALUE,
            -Float.MIN_VALUE,
            0.3465f,
            -0.3466f
        };
        float[] x = Arrays.copyOf(special, 5003);
        for (int i = special.length; i < x.length; i++) {
            x[i] = (random.nextFloat() - 0.75f) * 120;
        }
        for (int n : new int[] {1, 15, 16, 17, x.length}) {
            for (float shift : new float[] {0f, 3.7f}) {
                float[] got = x.clone();
                Elementwise.expShifted(got, 0, n, shift);
                float[] want = x.clone();
                for (int i = 0; i < n; i++) {
                    want[i] = Numerics.exp(x[i] - shift);
                }
                same("exp of " + n, want, got);
            }
        }
    }

    private void swiGlu() {
        for (int n : new int[] {1, 16, 75, 1000}) {
            float[] gate = random(n + 2);
            float[] up = random(n + 2);
            gate[1] = -200;
            float[] want = gate.clone();
            for (int i = 1; i <= n; i++) {
                want[i] = Numerics.swiGlu(gate[i], up[i]);
            }
            Elementwise.swiGlu(gate, 1, up, 1, gate, 1, n, new float[n]);
            same("swiglu of " + n, want, gate);
        }
    }

    private void rows() {
        for (int n : new int[] {1, 16, 75, 300}) {
            float[] x = random(n + 3);
            float[] y = random(n + 3);
            float[] scale = random(n);
            float[] want = new float[n + 5];
            Numerics.rmsNorm(x, 3, scale, 1e-5f, want, 5);
            float[] got = new float[n + 5];
            float factor = Numerics.rmsFactor(Numerics.dot(x, 3, x, 3, n), n, 1e-5f);
            Elementwise.scaleRow(x, 3, factor, scale, got, 5, n);
            same("rms norm of " + n, want, got);

            float[] scaled = new float[n];
            float[] divided = new float[n];
            for (int i = 0; i < n; i++) {
                scaled[i] = x[i + 3] * 0.7f;
                divided[i] = x[i] / 0.7f;
            }
            Elementwise.scale(x, 3, 0.7f, got, 2, n);
            same("scaled row of " + n, scaled, Arrays.copyOfRange(got, 2, 2 + n));
            Elementwise.divide(x, 0.7f, got, 2, n);
            same("divided row of " + n, divided, Arrays.copyOfRange(got, 2, 2 + n));

            float[] sum = x.clone();
            for (int i = 3; i < n + 3; i++) {
                sum[i] += y[i];
            }
            Elementwise.add(x, 3, y, 3, n);
            same("sum of " + n, sum, x);
        }
    }

    private void squares() {
        for (int n : new int[] {1, 255, 256, 257, 576, 1024, 2100}) {
            for (int rows : new int[] {1, 2, 3, 4, 7, 8}) {
                float[] x = random(rows * n + 3);
                float[] want = new float[rows];
                for (int row = 0; row < rows; row++) {
                    want[row] = Numerics.dot(x, 3 + row * n, x, 3 + row * n, n);
                }
                float[] sums = random(Squares.room(rows, n));
                Squares.sum(x, 3, rows, n, sums);
                same("squares of " + rows + " rows of " + n, want, Arrays.copyOf(sums, rows));
            }
        }
    }

    private void rotations() {
        for (int headDim : new int[] {2, 14, 64, 80, 128, 300}) {
            RopeTable table = new RopeTable(new RopeParameters(headDim, 1e4));
            table.extendTo(100);
            float[] want = random(3 * headDim + 2);
            float[] got = want.clone();
            for (int head = 0; head < 3; head++) {
                Numerics.rope(want, 1 + head * headDim, table, 91);
            }
            int row = 91 * table.pairs();
            Rotate.heads(got, 1, 3, table.cos(), table.sin(), row, table.pairs());
            same("rotation of heads of " + headDim, want, got);
        }
    }

    private void attention() {
        for (int headDim : new int[] {2, 14, 64, 80, 128, 300}) {
            for (int n : new int[] {1, 15, 64, 65, 256}) {
                scores(headDim, n);
                values(headDim, n);
            }
            int width = Attend.padded(headDim);
            float[] part = random(width + 3);
            float[] total = random(width);
            float[] joined = new float[headDim];
            for (int d = 0; d < headDim; d++) {
                joined[d] = Math.fma(0.3f, part[3 + d], total[d]);
            }
            Attend.join(0.3f, part, 3, total, width);
            same("join of " + headDim, joined, Arrays.copyOf(total, headDim));
        }
        for (int n : new int[] {1, 15, 16, 17, 100, 256}) {
            softmax(n);
        }
    }

    /** Four rows out of six, and one of them four times. */
    private void scores(int headDim, int n) {
        float[] q = random(6 * headDim);
        float[] keys = random(n * headDim);
        float[] columns = new float[Attend.POSITIONS * headDim];
        for (int i = 0; i < keys.length; i++) {
            int position = i / headDim;
            int column = position / Attend.COLUMN;
            columns[(column * headDim + i % headDim) * Attend.COLUMN + position % Attend.COLUMN] = keys[i];
        }
        for (int[] rows : new int[][] {{1, 2, 4, 5}, {3, 3, 3, 3}}) {
            float[] z = new float[6 * Attend.POSITIONS];
            for (int d = 0; d < headDim; d += Numerics.SEGMENT) {
                int to = Math.min(headDim, d + Numerics.SEGMENT);
                Attend.scores(q, headDim, rows[0], rows[1], rows[2], rows[3], d, to, columns, n, z, 0);
            }
            for (int row : rows) {
                float[] want = new float[n];
                for (int j = 0; j < n; j++) {
                    want[j] = Numerics.dot(q, row * headDim, keys, j * headDim, headDim);
                }
                int at = row * Attend.POSITIONS;
                same("scores of " + n + " keys of " + headDim, want, Arrays.copyOfRange(z, at, at + n));
            }
        }
    }

    /** From the second position on, added to what is there already. */
    private void values(int headDim, int n) {
        int width = Attend.padded(headDim);
        int stride = width + 3;
        float[] p = random(6 * Attend.POSITIONS);
        float[] values = random(n * headDim + width);
        for (int[] rows : new int[][] {{1, 2, 4, 5}, {3, 3, 3, 3}}) {
            float[] out = random(6 * stride);
            float[] before = out.clone();
            int o0 = rows[0] * stride;
            int o1 = rows[1] * stride;
            int o2 = rows[2] * stride;
            int o3 = rows[3] * stride;
            Attend.values(p, 0, rows[0], rows[1], rows[2], rows[3], 1, n, values, headDim, width, out, o0, o1, o2, o3);
            for (int row : rows) {
                float[] want = Arrays.copyOfRange(before, row * stride, row * stride + headDim);
                for (int j = 1; j < n; j++) {
                    for (int d = 0; d < headDim; d++) {
                        want[d] = Math.fma(p[row * Attend.POSITIONS + j], values[j * headDim + d], want[d]);
                    }
                }
                same("values of " + n, want, Arrays.copyOfRange(out, row * stride, row * stride + headDim));
            }
        }
    }

    private void softmax(int n) {
        float[] scores = random(4 * Attend.POSITIONS);
        scores[n - 1] = Float.NEGATIVE_INFINITY;
        scores[Attend.POSITIONS + n / 2] = 3e4f;
        float[] z = scores.clone();
        int[] counts = {n / 2, n, n / 3 * 2, n};
        float[] sums = new float[4];
        for (int row = 0; row < 4; row++) {
            int at = row * Attend.POSITIONS;
            float max = Float.NEGATIVE_INFINITY;
            for (int j = 0; j < n; j++) {
                max = Math.max(max, scores[at + j]);
            }
            float[] want = new float[n];
            for (int j = 0; j < n; j++) {
                want[j] = Numerics.exp(scores[at + j] - max);
                sums[row] += j < counts[row] ? want[j] : 0f;
            }
            same("largest score", new float[] {max}, new float[] {Softmax.weights(z, at, n)});
            same("weights of " + n, want, Arrays.copyOfRange(z, at, at + n));
        }
        float[] got = new float[4];
        int row = Attend.POSITIONS;
        Softmax.sums(z, 0, row, 2 * row, 3 * row, counts[0], counts[1], counts[2], counts[3], got, 3, 2, 1, 0);
        same("sums of " + n, sums, new float[] {got[3], got[2], got[1], got[0]});
    }

    /** All f16 patterns, in one run and in many with a stride, from an odd start. */
    private static void cacheReads() {
        int patterns = 1 << 16;
        int run = 61;
        int rows = patterns / run;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment halves = arena.allocate((patterns + 1L) * Short.BYTES);
            MemorySegment floats = arena.allocate((patterns + 1L) * Float.BYTES);
            float[] values = new float[patterns];
            float[] runs = new float[rows * (run + 2)];
            for (int i = 0; i < patterns; i++) {
                values[i] = Halves.f16ToFloat((short) i);
                halves.setAtIndex(ValueLayout.JAVA_SHORT, i + 1L, (short) i);
                floats.setAtIndex(ValueLayout.JAVA_FLOAT, i + 1L, values[i]);
                if (i / run < rows) {
                    runs[i / run * (run + 2) + i % run] = values[i];
                }
            }
            short[] taken = new short[patterns + 3];
            float[] got = new float[patterns + 3];
            CacheReads.copy(halves, Short.BYTES, patterns, taken, 3);
            CacheReads.widen(Arrays.copyOfRange(taken, 3, taken.length), patterns, got);
            same("f16 cache", values, Arrays.copyOf(got, patterns));
            Arrays.fill(got, 0f);
            CacheReads.copy(floats, Float.BYTES, patterns, got, 3);
            same("f32 cache", values, Arrays.copyOfRange(got, 3, got.length));

            got = new float[runs.length];
            CacheReads.f16Runs(halves, Short.BYTES, run * (long) Short.BYTES, rows, run, got, 0, run + 2);
            same("runs of an f16 cache", runs, got);
            Arrays.fill(got, 0f);
            CacheReads.f32Runs(floats, Float.BYTES, run * (long) Float.BYTES, rows, run, got, 0, run + 2);
            same("runs of an f32 cache", runs, got);
        }
    }

    /** One f32 of every exponent, sign and leading fraction, and both sides of each half-way point of f16. */
    private static void cacheWrites() {
        int tops = 1 << 16;
        float[] x = new float[7 * tops + 2];
        for (int i = 0; i < tops; i++) {
            int bits = i << 16;
            int[] ends = {0, 1, 0xFFF, 0x1000, 0x1001, 0x3000, 0xFFFF};
            for (int j = 0; j < ends.length; j++) {
                x[1 + i * ends.length + j] = Float.intBitsToFloat(bits | ends[j]);
            }
        }
        int n = 7 * tops;
        float[] canonical = new float[n];
        CacheWrites.canonical(x, 1, n, canonical);
        short[] halves = new short[n];
        CacheWrites.narrow(canonical, n, halves);
        for (int i = 0; i < n; i++) {
            bits("f32 in the cache", KvDtype.F32.toBits(x[1 + i]), Float.floatToRawIntBits(canonical[i]));
            bits("f16 in the cache", KvDtype.F16.toBits(x[1 + i]), Short.toUnsignedInt(halves[i]));
            bits("f16 in the cache", Short.toUnsignedInt(Halves.floatToF16(x[1 + i])), Short.toUnsignedInt(halves[i]));
        }
        try (Arena arena = Arena.ofConfined()) {
            for (int stride : new int[] {1, 5}) {
                MemorySegment slab = arena.allocate(100L * stride * Float.BYTES + 3);
                CacheWrites.store(canonical, 7, 100, slab, 3, stride * (long) Float.BYTES);
                for (int i = 0; i < 100; i++) {
                    int got = slab.get(ValueLayout.JAVA_INT_UNALIGNED, 3 + (long) i * stride * Float.BYTES);
                    bits("stored f32", Float.floatToRawIntBits(canonical[7 + i]), got);
                }
                CacheWrites.store(halves, 7, 100, slab, 3, stride * (long) Short.BYTES);
                for (int i = 0; i < 100; i++) {
                    int got = slab.get(ValueLayout.JAVA_SHORT_UNALIGNED, 3 + (long) i * stride * Short.BYTES);
                    bits("stored f16", halves[7 + i], got);
                }
            }
        }
    }

    private static void bits(String what, int want, int got) {
        if (want != got) {
            throw new AssertionError("%s is 0x%x, must be 0x%x".formatted(what, got, want));
        }
    }

    private DenseWeight dense(Dtype dtype, int rows, int cols) {
        TensorWindow window = TensorWindow.allocate((long) rows * cols * dtype.bytes());
        MemorySegment data = window.data();
        for (long i = 0; i < (long) rows * cols; i++) {
            float value = value();
            switch (dtype) {
                case F32 -> data.setAtIndex(Floats.F32, i, value);
                case F16 -> data.setAtIndex(Floats.HALF, i, finiteHalf(value));
                default -> data.setAtIndex(Floats.HALF, i, (short) (Float.floatToRawIntBits(value) >>> 16));
            }
        }
        return new DenseWeight("w", FILE, dtype, rows, cols, window);
    }

    private short finiteHalf(float value) {
        // One in ten is subnormal.
        return random.nextInt(10) == 0
                ? (short) (random.nextInt(1024) | random.nextInt(2) << 15)
                : Halves.floatToF16(value);
    }

    private Int4Weight int4(int rows, int cols, int group) {
        TensorWindow q = TensorWindow.allocate((long) rows * cols / 2);
        TensorWindow scales = TensorWindow.allocate((long) rows * cols / group * Short.BYTES);
        byte[] packed = new byte[cols / 2];
        short[] rowScales = new short[cols / group];
        for (int r = 0; r < rows; r++) {
            Int4.quantizeRow(random(cols), group, packed, rowScales);
            MemorySegment.copy(packed, 0, q.data(), ValueLayout.JAVA_BYTE, (long) r * packed.length, packed.length);
            MemorySegment.copy(
                    rowScales,
                    0,
                    scales.data(),
                    Floats.HALF,
                    (long) r * rowScales.length * Short.BYTES,
                    rowScales.length);
        }
        return new Int4Weight("w", FILE, rows, cols, group, q, scales);
    }

    private static float[] plain(Weight weight) {
        float[] out = new float[weight.rows() * weight.cols()];
        switch (weight) {
            case DenseWeight dense -> Floats.widen(dense.data(), dense.dtype(), 0, out, 0, out.length);
            case Int4Weight int4 -> {
                for (int i = 0; i < out.length; i++) {
                    int pair = int4.qweight().get(ValueLayout.JAVA_BYTE, i / 2);
                    int q = i % 2 == 0 ? pair << 28 >> 28 : pair >> 4;
                    out[i] = q * Halves.f16ToFloat(int4.scales().getAtIndex(Floats.HALF, i / int4.group()));
                }
            }
        }
        return out;
    }

    private float[] random(int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = value();
        }
        return values;
    }

    /** Mostly around one, sometimes a signed zero, tiny or large. */
    private float value() {
        return switch (random.nextInt(40)) {
            case 0 -> 0f;
            case 1 -> -0f;
            case 2 -> (float) random.nextGaussian() * 1e-38f;
            case 3 -> (float) random.nextGaussian() * 1e4f;
            default -> (float) random.nextGaussian();
        };
    }

    private static void same(String what, float[] want, float[] got) {
        for (int i = 0; i < want.length; i++) {
            boolean nans = Float.isNaN(want[i]) && Float.isNaN(got[i]);
            if (!nans && Float.floatToRawIntBits(want[i]) != Float.floatToRawIntBits(got[i])) {
                throw new AssertionError(what + ": element " + i + " is " + got[i] + ", must be " + want[i]);
            }
        }
    }
}
