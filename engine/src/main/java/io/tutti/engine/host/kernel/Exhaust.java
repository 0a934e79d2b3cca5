package io.tutti.engine.host.kernel;

import static jdk.incubator.vector.VectorOperators.XOR;

import io.tutti.engine.layout.Tile;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorSpecies;

/** Loops that use the processor up and compute nothing: what kernels are measured against. */
public final class Exhaust {

    private static final VectorSpecies<Long> L = LongVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    /** Bytes that {@link #read} takes at a time: its {@code bytes} are a multiple of it. */
    public static final int READ_UNIT = 8 * L.vectorByteSize();

    /**
     * Chains of multiply-adds that do not wait for one another. A processor with two units of latency four needs eight, one
     * with four needs sixteen; those of 256 bits have sixteen registers, two of which hold the operands.
     */
    private static final int CHAINS = F.vectorBitSize() == 256 ? 12 : 16;

    /** Floating-point operations of a step of {@link #multiplyAdd}, a multiplication and an addition each lane. */
    public static final int FLOPS = 2 * CHAINS * F.length();

    private Exhaust() {}

    /**
     * Reads {@code bytes} of {@code data} from byte {@code at} on, in two streams, since one alone is a few percent slower.
     * Returns something that depends on all of them.
     */
    public static long read(MemorySegment data, long at, long bytes) {
        int width = L.vectorByteSize();
        long half = bytes / 2;
        LongVector a = LongVector.zero(L);
        LongVector b = a;
        LongVector c = a;
        LongVector d = a;
        for (long p = at; p < at + half; p += 4L * width) {
            long q = p + half;
            a = a.lanewise(XOR, LongVector.fromMemorySegment(L, data, p, Tile.LE));
            b = b.lanewise(XOR, LongVector.fromMemorySegment(L, data, p + width, Tile.LE));
            c = c.lanewise(XOR, LongVector.fromMemorySegment(L, data, q, Tile.LE));
            d = d.lanewise(XOR, LongVector.fromMemorySegment(L, data, q + width, Tile.LE));
            a = a.lanewise(XOR, LongVector.fromMemorySegment(L, data, p + 2L * width, Tile.LE));
            b = b.lanewise(XOR, LongVector.fromMemorySegment(L, data, p + 3L * width, Tile.LE));
            c = c.lanewise(XOR, LongVector.fromMemorySegment(L, data, q + 2L * width, Tile.LE));
            d = d.lanewise(XOR, LongVector.fromMemorySegment(L, data, q + 3L * width, Tile.LE));
        }
        return a.lanewise(XOR, b).lanewise(XOR, c.lanewise(XOR, d)).reduceLanes(XOR);
    }

    /** Does {@code n} steps of {@link #FLOPS} operations; returns something that depends on all of them. */
    public static float multiplyAdd(int n) {
        return CHAINS == 12 ? twelve(n) : sixteen(n);
    }

    // The chain is what a step adds to: C2 then needs no moves between the multiply-adds.
    private static float twelve(int n) {
        FloatVector half = FloatVector.broadcast(F, 0.5f);
        FloatVector one = FloatVector.broadcast(F, 1f);
        FloatVector a = FloatVector.broadcast(F, 1f);
        FloatVector b = FloatVector.broadcast(F, 2f);
        FloatVector c = FloatVector.broadcast(F, 3f);
        FloatVector d = FloatVector.broadcast(F, 4f);
        FloatVector e = FloatVector.broadcast(F, 5f);
        FloatVector f = FloatVector.broadcast(F, 6f);
        FloatVector g = FloatVector.broadcast(F, 7f);
        FloatVector h = FloatVector.broadcast(F, 8f);
        FloatVector i = FloatVector.broadcast(F, 9f);
        FloatVector j = FloatVector.broadcast(F, 10f);
        FloatVector k = FloatVector.broadcast(F, 11f);
        FloatVector l = FloatVector.broadcast(F, 12f);
        for (int step = 0; step < n; step++) {
            a = half.fma(one, a);
            b = half.fma(one, b);
            c = half.fma(one, c);
            d = half.fma(one, d);
            e = half.fma(one, e);
            f = half.fma(one, f);
            g = half.fma(one, g);
            h = half.fma(one, h);
            i = half.fma(one, i);
            j = half.fma(one, j);
            k = half.fma(one, k);
            l = half.fma(one, l);
        }
        return a.add(b)
                .add(c.add(d))
                .add(e.add(f).add(g.add(h)))
                .add(i.add(j).add(k.add(l)))
                .lane(0);
    }

    private static float sixteen(int n) {
        FloatVector half = FloatVector.broadcast(F, 0.5f);
        FloatVector one = FloatVector.broadcast(F, 1f);
        FloatVector a = FloatVector.broadcast(F, 1f);
        FloatVector b = FloatVector.broadcast(F, 2f);
        FloatVector c = FloatVector.broadcast(F, 3f);
        FloatVector d = FloatVector.broadcast(F, 4f);
        FloatVector e = FloatVector.broadcast(F, 5f);
        FloatVector f = FloatVector.broadcast(F, 6f);
        FloatVector g = FloatVector.broadcast(F, 7f);
        FloatVector h = FloatVector.broadcast(F, 8f);
        FloatVector i = FloatVector.broadcast(F, 9f);
        FloatVector j = FloatVector.broadcast(F, 10f);
        FloatVector k = FloatVector.broadcast(F, 11f);
        FloatVector l = FloatVector.broadcast(F, 12f);
        FloatVector m = FloatVector.broadcast(F, 13f);
        FloatVector o = FloatVector.broadcast(F, 14f);
        FloatVector p = FloatVector.broadcast(F, 15f);
        FloatVector q = FloatVector.broadcast(F, 16f);
        for (int step = 0; step < n; step++) {
            a = half.fma(one, a);
            b = half.fma(one, b);
            c = half.fma(one, c);
            d = half.fma(one, d);
            e = half.fma(one, e);
            f = half.fma(one, f);
            g = half.fma(one, g);
            h = half.fma(one, h);
            i = half.fma(one, i);
            j = half.fma(one, j);
            k = half.fma(one, k);
            l = half.fma(one, l);
            m = half.fma(one, m);
            o = half.fma(one, o);
            p = half.fma(one, p);
            q = half.fma(one, q);
        }
        a = a.add(b).add(c.add(d)).add(e.add(f).add(g.add(h)));
        return a.add(i.add(j).add(k.add(l))).add(m.add(o).add(p.add(q))).lane(0);
    }
}
