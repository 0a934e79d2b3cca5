package io.tutti.engine.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Graph.Part;
import io.tutti.engine.graph.Graph.Place;
import io.tutti.engine.graph.Op.Add;
import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.graph.Op.HeadNorm;
import io.tutti.engine.graph.Op.MatMul;
import io.tutti.engine.graph.Op.SelectOutputs;
import io.tutti.engine.graph.Op.WriteKv;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.graph.Weight.Vector;
import io.tutti.engine.reference.ReferenceDevice;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.DenseWeight;
import io.tutti.modelio.weights.WeightSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class GraphTest {
    private static final int WIDTH = 3;
    private static final Buffer X = Buffer.ofTokens("x", WIDTH);
    private static final Buffer Y = Buffer.ofTokens("y", WIDTH);
    private static final Buffer LOGITS = Buffer.ofOutputs("logits", WIDTH);
    private static final Op TABLE = new Embed(new Matrix("table", 1, WIDTH), X);
    private static final Op OTHER = new Embed(new Matrix("other", 1, WIDTH), Y);
    private static final Op SELECT = new SelectOutputs(X, LOGITS);
    private static final Part LAYER = new Part.Layer(0);

    static final List<Device> DEVICES =
            List.of(new ReferenceDevice(), Devices.all(new BackendOptions(1)).getFirst());

    @Test
    void theResultsAreTheHiddenStatesAndTheLogits() {
        Graph graph =
                Graph.builder().first(TABLE, OTHER, new Add(X, Y)).last(SELECT).build(X, LOGITS);
        assertThat(graph.results()).containsExactly(X, LOGITS);
        assertThat(Graph.builder().first(TABLE).last(SELECT).build(LOGITS).results())
                .containsExactly(LOGITS);
    }

    @Test
    void aGraphCutShortHasWhatItsLastOpWritesForAResult() {
        assertThat(cut(List.of(TABLE, OTHER), List.of(), 0).results()).containsExactly(Y);
        assertThat(cut(List.of(TABLE, OTHER), List.of(new Add(X, Y)), 2).results())
                .containsExactly(X);
        assertThat(cut(List.of(TABLE, OTHER), List.of(new Add(X, Y)), 0).results())
                .containsExactly(Y);
        assertThat(cut(List.of(TABLE, OTHER), List.of(new WriteKv(X, Y)), 1).results())
                .isEmpty();
    }

    @Test
    void onALayerFollowsTheNextOneAndOnTheLastTheEpilogue() {
        Op xFromY = new SelectOutputs(Y, X);
        Op yFromX = new SelectOutputs(X, Y);
        Graph overwritten = layered(List.of(), List.of(TABLE, yFromX), 2);
        assertThat(overwritten.isReadAfter(LAYER, 0, X)).isTrue();
        // The next layer writes it first; the epilogue reads it.
        assertThat(overwritten.isReadAfter(LAYER, 1, X)).isTrue();
        assertThat(overwritten.isReadAfter(LAYER, 1, Y)).isFalse();

        Graph carried = layered(List.of(OTHER), List.of(xFromY, OTHER), 2);
        assertThat(carried.isReadAfter(new Part.Prologue(), 0, Y)).isTrue();
        assertThat(carried.isReadAfter(LAYER, 1, Y)).isTrue();
        Graph once = layered(List.of(), List.of(xFromY, OTHER), 1);
        assertThat(once.isReadAfter(LAYER, 1, Y)).isFalse();
        Graph never = layered(List.of(OTHER), List.of(xFromY), 0);
        assertThat(never.isReadAfter(new Part.Prologue(), 0, Y)).isFalse();
    }

    @Test
    void aResultIsReadUnlessItIsOverwritten() {
        Graph graph = Graph.builder().first(TABLE, OTHER).last(SELECT, TABLE).build(X, LOGITS);
        assertThat(graph.isReadAfter(new Part.Epilogue(), 1, X)).isTrue();
        assertThat(graph.isReadAfter(new Part.Epilogue(), 0, X)).isFalse();
        assertThat(graph.isReadAfter(new Part.Epilogue(), 0, LOGITS)).isTrue();
    }

    @Test
    void layersWithTheSameOpsAreOfOneKind() {
        Graph graph = Graph.builder()
                .first(TABLE)
                .eachLayer(5, l -> l % 3 == 2 ? List.of(new Add(X, Y)) : List.of(new Add(X, X)))
                .last(SELECT)
                .build(LOGITS);
        assertThat(graph.kinds()).containsExactly(List.of(new Add(X, X)), List.of(new Add(X, Y)));
        assertThat(graph.layers()).containsExactly(0, 0, 1, 0, 0);
        assertThat(graph.places())
                .extracting(Place::part)
                .containsExactly(
                        new Part.Prologue(), LAYER, LAYER, new Part.Layer(1), LAYER, LAYER, new Part.Epilogue());
        // Only layers of the other kind read it, and one follows the first two.
        assertThat(graph.isReadAfter(LAYER, 0, Y)).isTrue();
        assertThat(graph.isReadAfter(new Part.Layer(1), 0, Y)).isFalse();
        assertThat(graph.prefix(4).layers()).containsExactly(0, 0, 1);
        assertThat(graph.prefix(4).results()).containsExactly(X);
    }

    @Test
    void biasesAndTheScalesOfNormsAreWeights() {
        Vector bias = new Vector("bias", WIDTH);
        Vector scale = new Vector("{layer}.scale", 1);
        Graph graph = Graph.builder()
                .first(TABLE)
                .eachLayer(
                        2,
                        new MatMul(
                                X, new Matrix("{layer}.matrix", WIDTH, WIDTH), Optional.of(bias), Activations.F32, X),
                        new HeadNorm(X, WIDTH, scale, 1e-5f))
                .last(SELECT)
                .build(LOGITS);
        assertThat(graph.weights().keySet())
                .containsExactly("table", "0.matrix", "bias", "0.scale", "1.matrix", "1.scale");
    }

    private static Graph cut(List<Op> prologue, List<Op> layer, int layers) {
        return Graph.builder().first(prologue).eachLayer(layers, _ -> layer).build(LOGITS);
    }

    private static Graph layered(List<Op> prologue, List<Op> layer, int layers) {
        return Graph.builder()
                .first(prologue)
                .eachLayer(layers, _ -> layer)
                .last(SELECT)
                .build(LOGITS);
    }

    @ParameterizedTest
    @FieldSource("DEVICES")
    void aProgramAnswersForResultsOnly(Device device) {
        Graph graph = Graph.builder().first(TABLE, OTHER).last(SELECT).build(LOGITS);
        int[] zero = {0};
        int[] one = {0, 1};
        try (Program program =
                device.compile(graph, new Zeros(), null, new ProgramLimits(1, 1, 8), LoadProgress.NONE)) {
            program.run(new StepInputs(zero, zero, zero, one, zero, one, zero));
            program.read(LOGITS, new float[WIDTH]);
            for (Buffer inside : List.of(X, Y, Buffer.ofTokens("logits", WIDTH))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> program.read(inside, new float[WIDTH]))
                        .withMessage("buffer " + inside.name() + " holds no result; accepted: logits");
            }
        }
    }

    private record Zeros() implements WeightSource {
        @Override
        public io.tutti.modelio.weights.Weight matrix(String name, int rows, int cols) {
            TensorWindow zeros = TensorWindow.allocate((long) rows * cols * Dtype.F32.bytes());
            return new DenseWeight(name, Path.of("zeros"), Dtype.F32, rows, cols, zeros);
        }

        @Override
        public float[] vector(String name, int size) {
            return new float[size];
        }
    }
}
