package io.tutti.engine.host;

import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.parallel.Workers;
import io.tutti.engine.reference.ReferenceDevice;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;

/** A graph for a JVM without the Vector API: the reference's loops, split among workers. */
final class PlainProgram implements Program {

    private final Workers workers;
    private final Program program;

    PlainProgram(
            Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, int threads, LoadProgress progress) {
        workers = new Workers(threads);
        try {
            program = new ReferenceDevice(
                            (length, body) -> workers.forEachRange(length, length, (from, to, _) -> body.run(from, to)))
                    .compile(graph, weights, pool, limits, progress);
        } catch (RuntimeException | Error e) {
            workers.close();
            throw e;
        }
    }

    @Override
    public void run(StepInputs step) {
        program.run(step);
    }

    @Override
    public void read(Buffer buffer, float[] out) {
        program.read(buffer, out);
    }

    @Override
    public long weightBytes() {
        return program.weightBytes();
    }

    @Override
    public void close() {
        workers.close();
        program.close();
    }
}
