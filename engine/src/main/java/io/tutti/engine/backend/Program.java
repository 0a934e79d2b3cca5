package io.tutti.engine.backend;

import io.tutti.engine.graph.Buffer;

/**
 * A graph compiled for one device, its weights loaded, over one KV pool. One thread at a time runs a program.
 */
public interface Program extends AutoCloseable {

    /**
     * Runs one step: writes the new tokens' keys and values to their slots of the pool, and computes the graph's results. The
     * inputs are taken as checked.
     */
    void run(StepInputs step);

    /**
     * Copies a result of the last step. A program answers for the graph's results only, so that it may fuse all the rest.
     *
     * @param buffer one of {@link io.tutti.engine.graph.Graph#results}
     * @param out receives {@code [rows of the step, buffer.width()]}
     * @throws IllegalArgumentException if the buffer holds no result
     */
    void read(Buffer buffer, float[] out);

    /** Bytes of the weights as this program keeps them. */
    long weightBytes();

    /** Frees the weights and whatever the device holds. The pool is the caller's. */
    @Override
    void close();
}
