package io.tutti.engine.backend;

import io.tutti.engine.graph.Graph;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import java.util.List;
import java.util.Optional;

/** Something that programs run on. */
public interface Device {

    /** How the command line names it: {@code host}, {@code opencl:0}. */
    String name();

    DeviceKind kind();

    /** What it is, for people: the processor's or the board's name. */
    String description();

    /**
     * All software between Tutti and the device, with versions and whatever settings may change a bit: a self-test's verdict
     * is remembered for as long as this, the name and the description stay the same.
     */
    String driver();

    /** Bytes of memory that programs can use. */
    long memoryBytes();

    /** Bytes of the largest buffer that a program can have of it; the cache comes in regions no larger. */
    default long bufferBytes() {
        return KvPool.MAX_REGION_BYTES;
    }

    /** What keeps programs from running as they should, and what helps; for the application to show once. */
    default Optional<String> note() {
        return Optional.empty();
    }

    /** Other facts worth knowing, each in a few words: limits, widths, extensions. */
    List<String> properties();

    /**
     * What of a graph this device has no kernels for; empty if it runs the whole graph.
     *
     * @param weights is asked how weights are stored, and for none of them
     * @throws io.tutti.modelio.ModelException if a weight is missing or misshapen
     */
    default List<Unsupported> unsupported(Graph graph, WeightSource weights) {
        return List.of();
    }

    /**
     * Loads a graph's weights and makes it ready to run, with the kernels that the device's self-test runs and no others. A
     * caller makes sure first that nothing of the graph is {@link #unsupported}.
     *
     * @param graph the forward pass
     * @param weights where its weights come from
     * @param pool the cache that it reads and writes; unused by a graph without attention
     * @param limits the largest step
     * @param progress is told of weights as they are loaded
     * @throws io.tutti.modelio.ModelException if a weight is missing, misshapen or not finite
     */
    Program compile(Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress);
}
