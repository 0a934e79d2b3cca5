package io.tutti.tornado.program;

import java.util.List;
import java.util.function.IntConsumer;

/** A program's kernels as task graphs, in one of the languages they are written in. */
sealed interface Kernels permits JavaKernels, ClKernels {

    /** The stage ahead of all others: it uploads the cache and brings the arrays to life that all stages share. */
    int UPLOAD = 0;

    /** The task graphs; {@link #UPLOAD} is the first. */
    List<Stage> stages();

    /**
     * Executes a step's stages.
     *
     * @param execute takes a stage's place in {@link #stages()}
     */
    void run(StepShape shape, IntConsumer execute);
}
