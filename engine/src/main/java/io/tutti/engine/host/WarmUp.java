package io.tutti.engine.host;

import io.tutti.engine.host.kernel.Attend;
import io.tutti.engine.host.kernel.CacheWrites;
import io.tutti.engine.host.kernel.Elementwise;
import io.tutti.engine.host.kernel.Gemm;
import io.tutti.engine.host.kernel.Rotate;
import io.tutti.engine.host.kernel.Runs;
import io.tutti.engine.host.kernel.Softmax;
import io.tutti.engine.host.kernel.Tile;
import io.tutti.engine.reference.Numerics;

/**
 * Runs the kernels on numbers that nobody needs while the weights load, so that the JVM has compiled them when the first token
 * wants them. Until then each vector operation makes an object on the heap, and a token takes a second.
 */
final class WarmUp implements AutoCloseable {

    /** As often as the compiler asks to see a kernel, and some more. */
    private static final int ROUNDS = 600;

    /**
     * Columns, positions or numbers of a head that a kernel goes over: few, so that it is compiled for its many calls and not
     * first, at the same cost, for one long loop.
     */
    private static final int SHORT = 16;

    /** Tokens in a product: enough for each kind of register block. */
    private static final int TOKENS = 12;

    private final PackedMatrix matrix;
    private final Thread thread;
    private volatile boolean stopped;

    /**
     * Begins in a thread of its own.
     *
     * @param matrix a tile or more, stored as the model's are, of two segments' columns; it must outlive the warm-up
     */
    WarmUp(PackedMatrix matrix) {
        this.matrix = matrix;
        thread = Thread.ofPlatform().name("tutti-warm-up").daemon().start(this::run);
    }

    private void run() {
        float[] x = new float[2 * Numerics.SEGMENT];
        Runs runs = new Runs();
        float[] columns = new float[SHORT * Tile.ROWS];
        float[] totals = new float[Gemm.padded(TOKENS) * Tile.ROWS];
        for (int i = 0; i < ROUNDS && !stopped; i++) {
            runs.clear();
            matrix.addRun(runs, 0, 0);
            matrix.sum(runs, x, SHORT);
            matrix.widen(0, 0, SHORT, columns);
            Gemm.accumulate(columns, SHORT, x, 0, TOKENS, totals, 0);
        }
        float[] cache = new float[(SHORT + 1) * Attend.POSITIONS];
        float[] row = new float[Attend.POSITIONS];
        for (int i = 0; i < ROUNDS && !stopped; i++) {
            Attend.scores(x, SHORT, 0, 0, 0, 0, 0, SHORT, cache, SHORT, row, 0);
            Softmax.weights(row, 0, SHORT);
            Softmax.sums(row, 0, 0, 0, 0, SHORT, SHORT, SHORT, SHORT, totals, 0, 1, 2, 3);
            Attend.values(row, 0, 0, 0, 0, 0, 0, SHORT, cache, 4 * SHORT, 4 * SHORT, totals, 0, 0, 0, 0);
            Attend.join(1f, totals, 0, row, SHORT);
            Elementwise.scale(row, 0, 1f, row, 0, SHORT);
            Elementwise.divide(row, 1f, row, 0, SHORT);
            Rotate.heads(row, 0, 1, x, x, 0, SHORT);
            CacheWrites.canonical(row, 0, SHORT, row);
            Elementwise.scaleRow(row, 0, 1f, row, row, 0, SHORT);
            Elementwise.add(row, 0, row, 0, SHORT);
            Elementwise.swiGlu(row, 0, row, 0, row, 0, SHORT, x);
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
