package io.tutti.cli;

import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.kv.KvPool;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.WeightSource;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The host under another name, with a flaw in the weights that it gets, or in the logits that are read from it.
 *
 * @param name how the command line names it
 * @param weightFlaw changes a weight
 * @param logitsFlaw changes logits
 */
record FlawedDevice(String name, UnaryOperator<Weight> weightFlaw, LogitsFlaw logitsFlaw) implements Device {

    /** Changes the logits of a step of {@code graph}, {@code [outputs, vocab]}. */
    interface LogitsFlaw {
        void apply(Graph graph, StepInputs step, float[] logits);
    }

    private static final Device HOST = Devices.all(new BackendOptions(1)).getFirst();

    /** No flaw at all. */
    static FlawedDevice twin(String name) {
        return new FlawedDevice(name, UnaryOperator.identity(), (_, _, _) -> {});
    }

    /** One bit of the first number of the tensor {@code tensor} is wrong: the lowest of a bf16's exponent. */
    static FlawedDevice withWeight(String name, String tensor) {
        return new FlawedDevice(
                name,
                weight -> weight instanceof DenseWeight dense && dense.name().equals(tensor) ? flipped(dense) : weight,
                (_, _, _) -> {});
    }

    static FlawedDevice withLogits(String name, LogitsFlaw flaw) {
        return new FlawedDevice(name, UnaryOperator.identity(), flaw);
    }

    private static DenseWeight flipped(DenseWeight weight) {
        try (weight) {
            TensorWindow copy = TensorWindow.allocate(weight.data().byteSize());
            copy.data().copyFrom(weight.data());
            byte low = copy.data().get(ValueLayout.JAVA_BYTE, 0);
            copy.data().set(ValueLayout.JAVA_BYTE, 0, (byte) (low ^ 0x80));
            return new DenseWeight(weight.name(), weight.file(), weight.dtype(), weight.rows(), weight.cols(), copy);
        }
    }

    @Override
    public DeviceKind kind() {
        return DeviceKind.ACCELERATOR;
    }

    @Override
    public String description() {
        return "the host with a flaw";
    }

    @Override
    public String driver() {
        return "none";
    }

    @Override
    public long memoryBytes() {
        return HOST.memoryBytes();
    }

    @Override
    public List<String> properties() {
        return List.of();
    }

    @Override
    public Program compile(
            Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress) {
        WeightSource flawed = new WeightSource() {
            @Override
            public Weight matrix(String weight, int rows, int cols) {
                return weightFlaw.apply(weights.matrix(weight, rows, cols));
            }

            @Override
            public float[] vector(String weight, int size) {
                return weights.vector(weight, size);
            }
        };
        Program program = HOST.compile(graph, flawed, pool, limits, progress);
        return new Program() {
            private StepInputs step;

            @Override
            public void run(StepInputs inputs) {
                step = inputs;
                program.run(inputs);
            }

            @Override
            public void read(Buffer buffer, float[] out) {
                program.read(buffer, out);
                if (buffer.equals(graph.logits())) {
                    logitsFlaw.apply(graph, step, out);
                }
            }

            @Override
            public long weightBytes() {
                return program.weightBytes();
            }

            @Override
            public void close() {
                program.close();
            }
        };
    }
}
