package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;

import io.tutti.engine.layout.Tile;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Tiles times up to four tokens: the sums of four {@link Runs} of columns, side by side, each from zero in ascending order. A
 * few sequences that decode together spend their time here, and wait for memory as one does.
 *
 * <p>{@link Gemm} would widen a segment first and multiply then, which leaves memory idle while it multiplies: next to nothing
 * for many tokens, for four nearly half of the time.
 *
 * <p>In every method {@code x} holds the activations, packed by {@link Gemm#pack}, and {@code n} is the runs' number of
 * columns. Each writes all four runs' sums, {@code [runs, 4, 32]}.
 */
public final class SmallGemm {

    private static final VectorSpecies<Float> F = Lanes.FLOATS;
    private static final VectorSpecies<Integer> I = Lanes.INTS;
    private static final int LANES = F.length();

    /** Tokens that the weights meet: for eight, widening them first is as quick. */
    public static final int TOKENS = Gemm.SMALL;

    private SmallGemm() {}

    /** f32 weights. */
    public static void f32(Runs r, float[] x, int n) {
        MemorySegment w0 = r.weights[0];
        MemorySegment w1 = r.weights[1];
        MemorySegment w2 = r.weights[2];
        MemorySegment w3 = r.weights[3];
        int x0 = r.xAt[0] * TOKENS;
        int x1 = r.xAt[1] * TOKENS;
        int x2 = r.xAt[2] * TOKENS;
        int x3 = r.xAt[3] * TOKENS;
        float[] y = r.sums;
        for (int row = 0; row < Tile.ROWS; row += 2 * LANES) {
            long p0 = r.at[0] + row * (long) Float.BYTES;
            long p1 = r.at[1] + row * (long) Float.BYTES;
            long p2 = r.at[2] + row * (long) Float.BYTES;
            long p3 = r.at[3] + row * (long) Float.BYTES;
            FloatVector u00 = FloatVector.zero(F);
            FloatVector v00 = u00;
            FloatVector u01 = u00;
            FloatVector v01 = u00;
            FloatVector u02 = u00;
            FloatVector v02 = u00;
            FloatVector u03 = u00;
            FloatVector v03 = u00;
            FloatVector u10 = u00;
            FloatVector v10 = u00;
            FloatVector u11 = u00;
            FloatVector v11 = u00;
            FloatVector u12 = u00;
            FloatVector v12 = u00;
            FloatVector u13 = u00;
            FloatVector v13 = u00;
            FloatVector u20 = u00;
            FloatVector v20 = u00;
            FloatVector u21 = u00;
            FloatVector v21 = u00;
            FloatVector u22 = u00;
            FloatVector v22 = u00;
            FloatVector u23 = u00;
            FloatVector v23 = u00;
            FloatVector u30 = u00;
            FloatVector v30 = u00;
            FloatVector u31 = u00;
            FloatVector v31 = u00;
            FloatVector u32 = u00;
            FloatVector v32 = u00;
            FloatVector u33 = u00;
            FloatVector v33 = u00;
            for (int k = 0; k < n; k++) {
                long column = k * (long) Tile.F32_COLUMN;
                int token = k * TOKENS;
                FloatVector u = FloatVector.fromMemorySegment(F, w0, p0 + column, Tile.LE);
                FloatVector v = FloatVector.fromMemorySegment(F, w0, p0 + column + 4L * LANES, Tile.LE);
                FloatVector t = FloatVector.broadcast(F, x[x0 + token]);
                u00 = u.fma(t, u00);
                v00 = v.fma(t, v00);
                t = FloatVector.broadcast(F, x[x0 + token + 1]);
                u01 = u.fma(t, u01);
                v01 = v.fma(t, v01);
                t = FloatVector.broadcast(F, x[x0 + token + 2]);
                u02 = u.fma(t, u02);
                v02 = v.fma(t, v02);
                t = FloatVector.broadcast(F, x[x0 + token + 3]);
                u03 = u.fma(t, u03);
                v03 = v.fma(t, v03);
                u = FloatVector.fromMemorySegment(F, w1, p1 + column, Tile.LE);
                v = FloatVector.fromMemorySegment(F, w1, p1 + column + 4L * LANES, Tile.LE);
                t = FloatVector.broadcast(F, x[x1 + token]);
                u10 = u.fma(t, u10);
                v10 = v.fma(t, v10);
                t = FloatVector.broadcast(F, x[x1 + token + 1]);
                u11 = u.fma(t, u11);
                v11 = v.fma(t, v11);
                t = FloatVector.broadcast(F, x[x1 + token + 2]);
                u12 = u.fma(t, u12);
                v12 = v.fma(t, v12);
                t = FloatVector.broadcast(F, x[x1 + token + 3]);
                u13 = u.fma(t, u13);
                v13 = v.fma(t, v13);
                u = FloatVector.fromMemorySegment(F, w2, p2 + column, Tile.LE);
                v = FloatVector.fromMemorySegment(F, w2, p2 + column + 4L * LANES, Tile.LE);
                t = FloatVector.broadcast(F, x[x2 + token]);
                u20 = u.fma(t, u20);
                v20 = v.fma(t, v20);
                t = FloatVector.broadcast(F, x[x2 + token + 1]);
                u21 = u.fma(t, u21);
                v21 = v.fma(t, v21);
                t = FloatVector.broadcast(F, x[x2 + token + 2]);
                u22 = u.fma(t, u22);
                v22 = v.fma(t, v22);
                t = FloatVector.broadcast(F, x[x2 + token + 3]);
                u23 = u.fma(t, u23);
                v23 = v.fma(t, v23);
                u = FloatVector.fromMemorySegment(F, w3, p3 + column, Tile.LE);
                v = FloatVector.fromMemorySegment(F, w3, p3 + column + 4L * LANES, Tile.LE);
                t = FloatVector.broadcast(F, x[x3 + token]);
                u30 = u.fma(t, u30);
                v30 = v.fma(t, v30);
                t = FloatVector.broadcast(F, x[x3 + token + 1]);
                u31 = u.fma(t, u31);
                v31 = v.fma(t, v31);
                t = FloatVector.broadcast(F, x[x3 + token + 2]);
                u32 = u.fma(t, u32);
                v32 = v.fma(t, v32);
                t = FloatVector.broadcast(F, x[x3 + token + 3]);
                u33 = u.fma(t, u33);
                v33 = v.fma(t, v33);
            }
            int to = row;
            u00.intoArray(y, to);
            v00.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u01.intoArray(y, to);
            v01.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u02.intoArray(y, to);
            v02.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u03.intoArray(y, to);
            v03.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u10.intoArray(y, to);
            v10.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u11.intoArray(y, to);
            v11.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u12.intoArray(y, to);
            v12.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u13.intoArray(y, to);
            v13.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u20.intoArray(y, to);
            v20.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u21.intoArray(y, to);
            v21.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u22.intoArray(y, to);
            v22.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u23.intoArray(y, to);
            v23.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u30.intoArray(y, to);
            v30.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u31.intoArray(y, to);
            v31.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u32.intoArray(y, to);
            v32.intoArray(y, to + LANES);
            to += Tile.ROWS;
            u33.intoArray(y, to);
            v33.intoArray(y, to + LANES);
        }
    }

    /** bf16 weights: an f32's upper half. */
    public static void bf16(Runs r, float[] x, int n) {
        MemorySegment w0 = r.weights[0];
        MemorySegment w1 = r.weights[1];
        MemorySegment w2 = r.weights[2];
        MemorySegment w3 = r.weights[3];
        int x0 = r.xAt[0] * TOKENS;
        int x1 = r.xAt[1] * TOKENS;
        int x2 = r.xAt[2] * TOKENS;
        int x3 = r.xAt[3] * TOKENS;
        float[] y = r.sums;
        for (int row = 0; row < Tile.HALF; row += LANES) {
            long p0 = r.at[0] + row * (long) Integer.BYTES;
            long p1 = r.at[1] + row * (long) Integer.BYTES;
            long p2 = r.at[2] + row * (long) Integer.BYTES;
            long p3 = r.at[3] + row * (long) Integer.BYTES;
            FloatVector u00 = FloatVector.zero(F);
            FloatVector v00 = u00;
            FloatVector u01 = u00;
            FloatVector v01 = u00;
            FloatVector u02 = u00;
            FloatVector v02 = u00;
            FloatVector u03 = u00;
            FloatVector v03 = u00;
            FloatVector u10 = u00;
            FloatVector v10 = u00;
            FloatVector u11 = u00;
            FloatVector v11 = u00;
            FloatVector u12 = u00;
            FloatVector v12 = u00;
            FloatVector u13 = u00;
            FloatVector v13 = u00;
            FloatVector u20 = u00;
            FloatVector v20 = u00;
            FloatVector u21 = u00;
            FloatVector v21 = u00;
            FloatVector u22 = u00;
            FloatVector v22 = u00;
            FloatVector u23 = u00;
            FloatVector v23 = u00;
            FloatVector u30 = u00;
            FloatVector v30 = u00;
            FloatVector u31 = u00;
            FloatVector v31 = u00;
            FloatVector u32 = u00;
            FloatVector v32 = u00;
            FloatVector u33 = u00;
            FloatVector v33 = u00;
            for (int k = 0; k < n; k++) {
                long column = k * (long) Tile.HALF_COLUMN;
                int token = k * TOKENS;
                IntVector pair = IntVector.fromMemorySegment(I, w0, p0 + column, Tile.LE);
                FloatVector u = pair.lanewise(LSHL, 16).reinterpretAsFloats();
                FloatVector v = pair.and(Tile.HIGH_HALF).reinterpretAsFloats();
                FloatVector t = FloatVector.broadcast(F, x[x0 + token]);
                u00 = u.fma(t, u00);
                v00 = v.fma(t, v00);
                t = FloatVector.broadcast(F, x[x0 + token + 1]);
                u01 = u.fma(t, u01);
                v01 = v.fma(t, v01);
                t = FloatVector.broadcast(F, x[x0 + token + 2]);
                u02 = u.fma(t, u02);
                v02 = v.fma(t, v02);
                t = FloatVector.broadcast(F, x[x0 + token + 3]);
                u03 = u.fma(t, u03);
                v03 = v.fma(t, v03);
                pair = IntVector.fromMemorySegment(I, w1, p1 + column, Tile.LE);
                u = pair.lanewise(LSHL, 16).reinterpretAsFloats();
                v = pair.and(Tile.HIGH_HALF).reinterpretAsFloats();
                t = FloatVector.broadcast(F, x[x1 + token]);
                u10 = u.fma(t, u10);
                v10 = v.fma(t, v10);
                t = FloatVector.broadcast(F, x[x1 + token + 1]);
                u11 = u.fma(t, u11);
                v11 = v.fma(t, v11);
                t = FloatVector.broadcast(F, x[x1 + token + 2]);
                u12 = u.fma(t, u12);
                v12 = v.fma(t, v12);
                t = FloatVector.broadcast(F, x[x1 + token + 3]);
                u13 = u.fma(t, u13);
                v13 = v.fma(t, v13);
                pair = IntVector.fromMemorySegment(I, w2, p2 + column, Tile.LE);
                u = pair.lanewise(LSHL, 16).reinterpretAsFloats();
                v = pair.and(Tile.HIGH_HALF).reinterpretAsFloats();
                t = FloatVector.broadcast(F, x[x2 + token]);
                u20 = u.fma(t, u20);
                v20 = v.fma(t, v20);
                t = FloatVector.broadcast(F, x[x2 + token + 1]);
                u21 = u.fma(t, u21);
                v21 = v.fma(t, v21);
                t = FloatVector.broadcast(F, x[x2 + token + 2]);
                u22 = u.fma(t, u22);
                v22 = v.fma(t, v22);
                t = FloatVector.broadcast(F, x[x2 + token + 3]);
                u23 = u.fma(t, u23);
                v23 = v.fma(t, v23);
                pair = IntVector.fromMemorySegment(I, w3, p3 + column, Tile.LE);
                u = pair.lanewise(LSHL, 16).reinterpretAsFloats();
                v = pair.and(Tile.HIGH_HALF).reinterpretAsFloats();
                t = FloatVector.broadcast(F, x[x3 + token]);
                u30 = u.fma(t, u30);
                v30 = v.fma(t, v30);
                t = FloatVector.broadcast(F, x[x3 + token + 1]);
                u31 = u.fma(t, u31);
                v31 = v.fma(t, v31);
                t = FloatVector.broadcast(F, x[x3 + token + 2]);
                u32 = u.fma(t, u32);
                v32 = v.fma(t, v32);
                t = FloatVector.broadcast(F, x[x3 + token + 3]);
                u33 = u.fma(t, u33);
                v33 = v.fma(t, v33);
            }
            int to = row;
            u00.intoArray(y, to);
            v00.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u01.intoArray(y, to);
            v01.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u02.intoArray(y, to);
            v02.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u03.intoArray(y, to);
            v03.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u10.intoArray(y, to);
            v10.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u11.intoArray(y, to);
            v11.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u12.intoArray(y, to);
            v12.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u13.intoArray(y, to);
            v13.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u20.intoArray(y, to);
            v20.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u21.intoArray(y, to);
            v21.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u22.intoArray(y, to);
            v22.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u23.intoArray(y, to);
            v23.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u30.intoArray(y, to);
            v30.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u31.intoArray(y, to);
            v31.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u32.intoArray(y, to);
            v32.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u33.intoArray(y, to);
            v33.intoArray(y, to + Tile.HALF);
        }
    }

    /** f16 weights, all finite, widened as {@link Gemv#f16} does. */
    public static void f16(Runs r, float[] x, int n) {
        MemorySegment w0 = r.weights[0];
        MemorySegment w1 = r.weights[1];
        MemorySegment w2 = r.weights[2];
        MemorySegment w3 = r.weights[3];
        int x0 = r.xAt[0] * TOKENS;
        int x1 = r.xAt[1] * TOKENS;
        int x2 = r.xAt[2] * TOKENS;
        int x3 = r.xAt[3] * TOKENS;
        float[] y = r.sums;
        for (int row = 0; row < Tile.HALF; row += LANES) {
            long p0 = r.at[0] + row * (long) Integer.BYTES;
            long p1 = r.at[1] + row * (long) Integer.BYTES;
            long p2 = r.at[2] + row * (long) Integer.BYTES;
            long p3 = r.at[3] + row * (long) Integer.BYTES;
            FloatVector u00 = FloatVector.zero(F);
            FloatVector v00 = u00;
            FloatVector u01 = u00;
            FloatVector v01 = u00;
            FloatVector u02 = u00;
            FloatVector v02 = u00;
            FloatVector u03 = u00;
            FloatVector v03 = u00;
            FloatVector u10 = u00;
            FloatVector v10 = u00;
            FloatVector u11 = u00;
            FloatVector v11 = u00;
            FloatVector u12 = u00;
            FloatVector v12 = u00;
            FloatVector u13 = u00;
            FloatVector v13 = u00;
            FloatVector u20 = u00;
            FloatVector v20 = u00;
            FloatVector u21 = u00;
            FloatVector v21 = u00;
            FloatVector u22 = u00;
            FloatVector v22 = u00;
            FloatVector u23 = u00;
            FloatVector v23 = u00;
            FloatVector u30 = u00;
            FloatVector v30 = u00;
            FloatVector u31 = u00;
            FloatVector v31 = u00;
            FloatVector u32 = u00;
            FloatVector v32 = u00;
            FloatVector u33 = u00;
            FloatVector v33 = u00;
            for (int k = 0; k < n; k++) {
                long column = k * (long) Tile.HALF_COLUMN;
                int token = k * TOKENS;
                IntVector pair = IntVector.fromMemorySegment(I, w0, p0 + column, Tile.LE);
                FloatVector u = pair.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS);
                FloatVector v = pair.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS);
                FloatVector t = FloatVector.broadcast(F, x[x0 + token]);
                u00 = u.fma(t, u00);
                v00 = v.fma(t, v00);
                t = FloatVector.broadcast(F, x[x0 + token + 1]);
                u01 = u.fma(t, u01);
                v01 = v.fma(t, v01);
                t = FloatVector.broadcast(F, x[x0 + token + 2]);
                u02 = u.fma(t, u02);
                v02 = v.fma(t, v02);
                t = FloatVector.broadcast(F, x[x0 + token + 3]);
                u03 = u.fma(t, u03);
                v03 = v.fma(t, v03);
                pair = IntVector.fromMemorySegment(I, w1, p1 + column, Tile.LE);
                u = pair.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS);
                v = pair.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS);
                t = FloatVector.broadcast(F, x[x1 + token]);
                u10 = u.fma(t, u10);
                v10 = v.fma(t, v10);
                t = FloatVector.broadcast(F, x[x1 + token + 1]);
                u11 = u.fma(t, u11);
                v11 = v.fma(t, v11);
                t = FloatVector.broadcast(F, x[x1 + token + 2]);
                u12 = u.fma(t, u12);
                v12 = v.fma(t, v12);
                t = FloatVector.broadcast(F, x[x1 + token + 3]);
                u13 = u.fma(t, u13);
                v13 = v.fma(t, v13);
                pair = IntVector.fromMemorySegment(I, w2, p2 + column, Tile.LE);
                u = pair.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS);
                v = pair.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS);
                t = FloatVector.broadcast(F, x[x2 + token]);
                u20 = u.fma(t, u20);
                v20 = v.fma(t, v20);
                t = FloatVector.broadcast(F, x[x2 + token + 1]);
                u21 = u.fma(t, u21);
                v21 = v.fma(t, v21);
                t = FloatVector.broadcast(F, x[x2 + token + 2]);
                u22 = u.fma(t, u22);
                v22 = v.fma(t, v22);
                t = FloatVector.broadcast(F, x[x2 + token + 3]);
                u23 = u.fma(t, u23);
                v23 = v.fma(t, v23);
                pair = IntVector.fromMemorySegment(I, w3, p3 + column, Tile.LE);
                u = pair.lanewise(LSHL, 16)
                        .lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS);
                v = pair.lanewise(ASHR, 3)
                        .and(Tile.F16_FIELDS)
                        .reinterpretAsFloats()
                        .mul(Tile.F16_REBIAS);
                t = FloatVector.broadcast(F, x[x3 + token]);
                u30 = u.fma(t, u30);
                v30 = v.fma(t, v30);
                t = FloatVector.broadcast(F, x[x3 + token + 1]);
                u31 = u.fma(t, u31);
                v31 = v.fma(t, v31);
                t = FloatVector.broadcast(F, x[x3 + token + 2]);
                u32 = u.fma(t, u32);
                v32 = v.fma(t, v32);
                t = FloatVector.broadcast(F, x[x3 + token + 3]);
                u33 = u.fma(t, u33);
                v33 = v.fma(t, v33);
            }
            int to = row;
            u00.intoArray(y, to);
            v00.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u01.intoArray(y, to);
            v01.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u02.intoArray(y, to);
            v02.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u03.intoArray(y, to);
            v03.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u10.intoArray(y, to);
            v10.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u11.intoArray(y, to);
            v11.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u12.intoArray(y, to);
            v12.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u13.intoArray(y, to);
            v13.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u20.intoArray(y, to);
            v20.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u21.intoArray(y, to);
            v21.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u22.intoArray(y, to);
            v22.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u23.intoArray(y, to);
            v23.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u30.intoArray(y, to);
            v30.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u31.intoArray(y, to);
            v31.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u32.intoArray(y, to);
            v32.intoArray(y, to + Tile.HALF);
            to += Tile.ROWS;
            u33.intoArray(y, to);
            v33.intoArray(y, to + Tile.HALF);
        }
    }
}
