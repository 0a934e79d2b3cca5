package io.tutti.engine.host;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.parallel.Workers;
import java.util.HashMap;
import java.util.Map;

/** What the ops of a step share: its inputs, the activations, and the workers with their scratch memory. */
final class Step {

    private final Workers workers;
    private final Scratch[] scratch;
    private final Map<Buffer, float[]> buffers = new HashMap<>();
    private float[] packed = {};
    private StepInputs inputs;

    Step(Workers workers) {
        this.workers = workers;
        scratch = new Scratch[workers.count()];
        for (int i = 0; i < scratch.length; i++) {
            scratch[i] = new Scratch();
        }
    }

    /** Takes the next step's inputs; buffers that were too small for it grow when they are asked for. */
    void begin(StepInputs next) {
        inputs = next;
    }

    StepInputs inputs() {
        return inputs;
    }

    /** New tokens in the step. */
    int tokens() {
        return inputs.tokens().length;
    }

    /** Rows that the buffer has in this step. */
    int rows(Buffer buffer) {
        return inputs.rows(buffer);
    }

    /** The buffer's memory, {@code [rows, width]} and perhaps more. For the op's own thread, not for its workers. */
    float[] data(Buffer buffer) {
        int size = Math.multiplyExact(rows(buffer), buffer.width());
        float[] data = buffers.get(buffer);
        if (data == null || data.length < size) {
            data = new float[size];
            buffers.put(buffer, data);
        }
        return data;
    }

    /** Room for the activations of the op that is running, in another order. */
    float[] packed(int size) {
        packed = Scratch.room(packed, size);
        return packed;
    }

    Workers workers() {
        return workers;
    }

    Scratch scratch(int worker) {
        return scratch[worker];
    }
}
