package io.tutti.engine.numerics;

import io.tutti.engine.graph.RopeParameters;
import java.util.Arrays;

/**
 * Cosines and sines of RoPE's angles, made on the host so that every device rotates by the same f32 values: those of {@code
 * frequency * position}, times the attention factor that YaRN has, in f32 steps as the reference implementation takes them.
 *
 * <p>Rows are made when a position is first asked for; a program has tables of its own, since they grow.
 */
public final class RopeTable {

    private final int pairs;
    private final float[] frequencies; // [pairs]
    private final float factor;
    private int positions;
    private float[] cos = {}; // [positions, pairs]
    private float[] sin = {}; // [positions, pairs]

    public RopeTable(RopeParameters rope) {
        pairs = rope.headDim() / 2;
        frequencies = RopeFrequencies.of(rope);
        factor = RopeFrequencies.attentionFactor(rope.scaling());
    }

    /** Pairs in a head: {@code headDim / 2}. */
    public int pairs() {
        return pairs;
    }

    /** Makes the rows of positions below {@code end}, if they are not there yet. Not thread-safe: call before the op runs. */
    public void extendTo(int end) {
        if (end <= positions) {
            return;
        }
        int target = Math.max(end, positions + positions / 2);
        cos = Arrays.copyOf(cos, Math.multiplyExact(target, pairs));
        sin = Arrays.copyOf(sin, target * pairs);
        for (int p = positions; p < target; p++) {
            for (int i = 0; i < pairs; i++) {
                float angle = frequencies[i] * (float) p;
                cos[p * pairs + i] = (float) StrictMath.cos(angle) * factor;
                sin[p * pairs + i] = (float) StrictMath.sin(angle) * factor;
            }
        }
        positions = target;
    }

    /** Cosines, {@code [positions, pairs]}; the array is shared and may be replaced by {@link #extendTo}. */
    public float[] cos() {
        return cos;
    }

    /** Sines, {@code [positions, pairs]}; the array is shared and may be replaced by {@link #extendTo}. */
    public float[] sin() {
        return sin;
    }
}
