package io.tutti.engine.reference;

import io.tutti.modelio.dtype.Halves;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Floats;
import io.tutti.modelio.weights.Int4Weight;
import io.tutti.modelio.weights.Weight;
import java.lang.foreign.ValueLayout;

/** A weight matrix that is widened to f32 row by row. */
sealed interface Matrix extends AutoCloseable {

    int cols();

    /** Widens one row. */
    void row(int row, float[] to);

    /** Bytes that it takes. */
    long bytes();

    @Override
    void close();

    /**
     * Takes over {@code stored}.
     *
     * @throws io.tutti.modelio.ModelException if a value is not finite
     */
    static Matrix of(Weight stored) {
        return switch (stored) {
            case DenseWeight dense -> Dense.checked(dense);
            case Int4Weight int4 -> {
                try (int4) {
                    yield Nibbles.of(int4);
                }
            }
        };
    }

    /** Floats as they are stored. */
    record Dense(DenseWeight stored) implements Matrix {

        static Dense checked(DenseWeight stored) {
            float[] row = new float[stored.cols()];
            try {
                for (int r = 0; r < stored.rows(); r++) {
                    stored.row(r, row);
                }
            } catch (RuntimeException | Error e) {
                stored.close();
                throw e;
            }
            return new Dense(stored);
        }

        @Override
        public int cols() {
            return stored.cols();
        }

        @Override
        public void row(int row, float[] to) {
            Floats.widen(stored.data(), stored.dtype(), (long) row * cols(), to, 0, cols());
        }

        @Override
        public long bytes() {
            return stored.data().byteSize();
        }

        @Override
        public void close() {
            stored.close();
        }
    }

    /**
     * Four-bit integers, one to a byte.
     *
     * @param q {@code [rows, cols]}, -8 to 7
     * @param scales {@code [rows, cols / group]}
     */
    record Nibbles(byte[] q, float[] scales, int cols, int group) implements Matrix {

        static Nibbles of(Int4Weight weight) {
            byte[] q = new byte[Math.multiplyExact(weight.rows(), weight.cols())];
            for (int i = 0; i < q.length; i++) {
                int pair = weight.qweight().get(ValueLayout.JAVA_BYTE, i / 2);
                q[i] = (byte) (i % 2 == 0 ? pair << 28 >> 28 : pair >> 4);
            }
            float[] scales = new float[q.length / weight.group()];
            for (int i = 0; i < scales.length; i++) {
                scales[i] = Halves.f16ToFloat(weight.scales().getAtIndex(Floats.HALF, i));
            }
            return new Nibbles(q, scales, weight.cols(), weight.group());
        }

        @Override
        public void row(int row, float[] to) {
            int at = row * cols;
            for (int i = 0; i < cols; i++) {
                to[i] = (float) q[at + i] * scales[(at + i) / group];
            }
        }

        @Override
        public long bytes() {
            return q.length + (long) scales.length * Float.BYTES;
        }

        @Override
        public void close() {}
    }
}
