package io.tutti.engine.host;

import io.tutti.engine.host.kernel.Attend;
import io.tutti.engine.host.kernel.Elementwise;
import io.tutti.engine.host.kernel.Gemm;
import io.tutti.engine.host.kernel.Tile;
import io.tutti.engine.reference.Numerics;

/**
 * Runs the kernels on numbers that nobody needs while the weights load, so that the JVM has compiled them when the first token
 * wants them. Until then each vector operation makes an object on the heap, and a token takes a second.
 */
final class WarmUp implements AutoCloseable {

    /** As often as the compiler asks to see a kernel, and some more. */
    private static final int ROUNDS = 600;

    private static final int HEAD_DIM = 64;

    private final PackedMatrix matrix;
    private final Thread thread;
    private volatile boolean stopped;

    /**
     * Begins in a thread of its own.
     *
     * @param matrix a tile or more, stored as the model's are, of {@value Numerics#SEGMENT} columns at least; it must outlive
     *     the warm-up
     */
    WarmUp(PackedMatrix matrix) {
        this.matrix = matrix;
        thread = Thread.ofPlatform().name("tutti-warm-up").daemon().start(this::run);
    }

    private void run() {
        float[] x = new float[Math.max(matrix.cols(), Gemm.TOKENS * Numerics.SEGMENT)];
        float[] columns = new float[Numerics.SEGMENT * Tile.ROWS];
        float[] totals = new float[Gemm.TOKENS * Tile.ROWS];
        for (int i = 0; i < ROUNDS / 10 && !stopped; i++) {
            int n = Numerics.SEGMENT;
            matrix.multiply(0, x, totals);
            matrix.widen(0, 0, n, columns);
            Gemm.accumulate(columns, n, x, 0, n, 2 * n, 3 * n, totals, 0);
        }
        float[] cache = new float[HEAD_DIM * Attend.POSITIONS];
        float[] row = new float[Attend.POSITIONS];
        for (int i = 0; i < ROUNDS && !stopped; i++) {
            Attend.scores(x, 0, HEAD_DIM, cache, row.length, row);
            Elementwise.expShifted(row, 0, row.length, 0f);
            Attend.values(row, row.length, cache, HEAD_DIM, totals, 0);
            Elementwise.scaleRow(row, 0, 1f, row, row, 0, row.length);
            Elementwise.add(row, row, 0, row.length);
            Elementwise.swiGlu(row, row, row, 0, row.length, x);
        }
    }

    /** Ends it, and waits for that. */
    @Override
    public void close() {
        stopped = true;
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
