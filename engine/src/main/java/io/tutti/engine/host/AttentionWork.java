package io.tutti.engine.host;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.host.kernel.Attend;
import io.tutti.engine.numerics.Numerics;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How a step's attention is divided among the workers, whatever sequences it has, and the results on the way. A tile is a few
 * consecutive tokens of a sequence; an item is a tile, one KV head and one segment of positions, and comes out as a partial
 * result for each of the tile's rows (a row is a token and one of the query heads that share the KV head). Whoever finishes a
 * tile's last segment of a KV head joins them. Layers share one, since they run one after the other.
 */
final class AttentionWork {

    /** 16 MiB of partial results. */
    static final int DEFAULT_FLOATS = 1 << 22;

    /**
     * A partial result is one row's over one segment: the largest score m, the sum l of the weights exp(z - m), and the
     * values so weighted, the head size in whole vectors. A tile's are {@code [kvHeads, segments, rows, 2 + padded]}.
     */
    static final int MAX = 0;

    static final int SUM = 1;
    static final int VALUES = 2;

    /**
     * Rows that go over a segment while its chunks are in the first-level cache; with 64, widening them took a fifth of the time.
     */
    private static final int MOST_ROWS = 128;

    /** Items a worker, so that all end at about the same time. */
    private static final int ITEMS_A_WORKER = 4;

    private final int floats;

    private int tiles;
    private int items;
    private int[] sequences = {};
    private int[] firsts = {};
    private int[] lasts = {};
    private int[] firstSegments = {};
    private int[] segments = {};
    private int[] itemsBefore = {};
    private int[] partialsAt = {};
    private AtomicIntegerArray segmentsLeft = new AtomicIntegerArray(0);
    private float[] partials = {};

    /** Room for {@code floats} numbers of partial results, or for a token's if those take more. */
    AttentionWork(int floats) {
        this.floats = floats;
    }

    /** The segment that a position lies in. */
    static int segmentOf(int position) {
        return position / Numerics.SEGMENT;
    }

    static int partialSize(Attention op) {
        return VALUES + Attend.padded(op.headDim());
    }

    /**
     * Lays out as many tiles as there is room for, token {@code from} first.
     *
     * @return the token that the next call begins with; the step's tokens if none is left
     */
    int layOut(StepInputs in, int from, Attention op, int workers) {
        int[] positions = in.positions();
        int group = op.heads() / op.kvHeads();
        int most = Math.min(
                Math.max(1, MOST_ROWS / group),
                Math.ceilDiv(positions.length * op.kvHeads(), ITEMS_A_WORKER * workers));
        tiles = 0;
        items = 0;
        long room = floats;
        int token = from;
        for (int s = sequenceOf(in, from); token < positions.length; ) {
            int end = in.sequenceStarts()[s + 1];
            if (token == end) {
                s++;
                continue;
            }
            int last = Math.min(token + most, end);
            int firstSegment = segmentOf(op.firstVisible(positions[token]));
            long perToken = (long) op.heads() * (segmentOf(positions[last - 1]) + 1 - firstSegment) * partialSize(op);
            last = (int) Math.min(last, token + Math.max(tiles == 0 ? 1 : 0, room / perToken));
            if (last == token) {
                break;
            }
            int count = segmentOf(positions[last - 1]) + 1 - firstSegment;
            add(s, token, last, firstSegment, count, op.kvHeads(), (int) (floats - room));
            room -= (last - token) * perToken;
            token = last;
        }
        int used = Math.toIntExact(floats - room);
        if (partials.length < used) {
            partials = new float[used];
        }
        if (segmentsLeft.length() < tiles * op.kvHeads()) {
            segmentsLeft = new AtomicIntegerArray(sequences.length * op.kvHeads());
        }
        for (int i = 0; i < tiles * op.kvHeads(); i++) {
            segmentsLeft.setPlain(i, segments[i / op.kvHeads()]);
        }
        return token;
    }

    private static int sequenceOf(StepInputs in, int token) {
        int s = 0;
        while (s < in.sequences() - 1 && in.sequenceStarts()[s + 1] <= token) {
            s++;
        }
        return s;
    }

    private void add(int sequence, int first, int last, int firstSegment, int count, int kvHeads, int partialAt) {
        if (tiles == sequences.length) {
            int room = Math.max(16, 2 * tiles);
            sequences = Arrays.copyOf(sequences, room);
            firsts = Arrays.copyOf(firsts, room);
            lasts = Arrays.copyOf(lasts, room);
            firstSegments = Arrays.copyOf(firstSegments, room);
            segments = Arrays.copyOf(segments, room);
            itemsBefore = Arrays.copyOf(itemsBefore, room);
            partialsAt = Arrays.copyOf(partialsAt, room);
        }
        sequences[tiles] = sequence;
        firsts[tiles] = first;
        lasts[tiles] = last;
        firstSegments[tiles] = firstSegment;
        segments[tiles] = count;
        itemsBefore[tiles] = items;
        partialsAt[tiles] = partialAt;
        tiles++;
        items += count * kvHeads;
    }

    int items() {
        return items;
    }

    int tileOf(int item) {
        int i = Arrays.binarySearch(itemsBefore, 0, tiles, item);
        return i < 0 ? -i - 2 : i;
    }

    /** Items of the tiles before this one. Within the tile, KV heads go before segments. */
    int itemsBefore(int tile) {
        return itemsBefore[tile];
    }

    int sequence(int tile) {
        return sequences[tile];
    }

    int first(int tile) {
        return firsts[tile];
    }

    int last(int tile) {
        return lasts[tile];
    }

    /** The first segment that any of the tile's tokens sees. */
    int firstSegment(int tile) {
        return firstSegments[tile];
    }

    int segmentsOf(int tile) {
        return segments[tile];
    }

    int partialsAt(int tile) {
        return partialsAt[tile];
    }

    float[] partials() {
        return partials;
    }

    /** Says that one segment is done; true for the last one, which then sees what the others have written. */
    boolean finishes(int tile, int kvHead, int kvHeads) {
        return segmentsLeft.decrementAndGet(tile * kvHeads + kvHead) == 0;
    }
}
