package io.tutti.engine.host;

import io.tutti.engine.graph.Op.RmsNorm;
import io.tutti.engine.host.kernel.Elementwise;
import io.tutti.engine.host.kernel.Squares;
import io.tutti.engine.numerics.Numerics;

/** RMSNorm, a few rows a task, so that their sums of squares go side by side. */
record RmsNormOp(RmsNorm op, float[] scale) implements HostOp {

    private static final int MOST_ROWS = 8;

    @Override
    public void run(Step step) {
        int n = scale.length;
        float[] in = step.data(op.in());
        float[] out = step.data(op.out());
        step.workers().forEachRange(step.rows(op.in()), MOST_ROWS, (from, to, worker) -> {
            float[] sums = step.scratch(worker).row(Squares.room(to - from, n));
            Squares.sum(in, from * n, to - from, n, sums);
            for (int row = from; row < to; row++) {
                float factor = Numerics.rmsFactor(sums[row - from], n, op.eps());
                Elementwise.scaleRow(in, row * n, factor, scale, out, row * n, n);
            }
        });
    }
}
