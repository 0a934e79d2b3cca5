package io.tutti.tornado.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Graph.Part;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Op.Add;
import io.tutti.engine.graph.Op.Attention;
import io.tutti.engine.graph.Op.HeadNorm;
import io.tutti.engine.graph.Op.MatMul;
import io.tutti.engine.graph.Op.RmsNorm;
import io.tutti.engine.graph.Op.Rope;
import io.tutti.engine.graph.Op.SelectOutputs;
import io.tutti.engine.graph.Op.SwiGlu;
import io.tutti.engine.graph.Op.WriteKv;
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.graph.Weight.Vector;
import io.tutti.engine.model.ModelConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** A layer is few launches, and what is fused is read by nothing else. */
class ClFusionTest {

    private static final Part LAYER = new Part.Layer(0);

    private static List<ClOp> layer(Graph graph, StepKind kind) {
        List<FusedOp> ops = new Fusion(graph, (a, b) -> true).fuse(LAYER);
        Section section = new Section(
                LAYER, "layers", ops, OptionalInt.of(0), graph.layers().size());
        return new ClFusion(graph, kind).fuse(section);
    }

    @Test
    void aLayerIsFiveLaunchesForOneTokenASequenceAndNineForAny() {
        Graph llama = ModelConfig.load(new Model("demo").dir()).graph();
        assertThat(layer(llama, StepKind.SINGLE))
                .extracting(ClOp::name)
                .containsExactly("MatMulqkv", "Attention", "MatMuly", "MatMulgateup", "MatMuly");
        assertThat(layer(llama, StepKind.ANY))
                .extracting(ClOp::name)
                .containsExactly(
                        "RmsNorm",
                        "MatMulqkv",
                        "Rope",
                        "WriteKv",
                        "Attention",
                        "MatMuly",
                        "RmsNorm",
                        "MatMulgateup",
                        "MatMuly");
    }

    @Test
    void aNormOrAGateThatSomethingElseReadsIsWritten() {
        Buffer x = Buffer.ofTokens("x", 64);
        Buffer h = Buffer.ofTokens("h", 64);
        Buffer gate = Buffer.ofTokens("gate", 64);
        Buffer up = Buffer.ofTokens("up", 64);
        Buffer logits = Buffer.ofOutputs("logits", 1);
        List<Op> ops = List.of(
                new RmsNorm(x, new Vector("norm", 64), 1e-5f, h),
                new MatMul(h, new Matrix("gate", 64, 64), gate),
                new MatMul(h, new Matrix("up", 64, 64), up),
                new SwiGlu(gate, up, gate));
        assertThat(layer(Graph.builder().eachLayer(1, _ -> ops).build(h, logits), StepKind.SINGLE))
                .extracting(ClOp::name)
                .containsExactly("RmsNorm", "MatMulgateup");
        assertThat(layer(Graph.builder().eachLayer(1, _ -> ops).build(up, logits), StepKind.SINGLE))
                .extracting(ClOp::name)
                .containsExactly("MatMulgateup", "SwiGlu");
        // The next layer writes it first, but after the last layer it is read.
        assertThat(layer(
                        Graph.builder()
                                .eachLayer(2, _ -> ops)
                                .last(new SelectOutputs(up, logits))
                                .build(logits),
                        StepKind.SINGLE))
                .extracting(ClOp::name)
                .containsExactly("MatMulgateup", "SwiGlu");
    }

    @Test
    void aNormWhoseInputTheProductOverwritesIsALaunchOfItsOwn() {
        Buffer x = Buffer.ofTokens("x", 64);
        Buffer h = Buffer.ofTokens("h", 64);
        Buffer y = Buffer.ofTokens("y", 64);
        Buffer logits = Buffer.ofOutputs("logits", 64);
        Graph graph = Graph.builder()
                .eachLayer(
                        2,
                        new RmsNorm(x, new Vector("norm", 64), 1e-5f, h),
                        new MatMul(h, new Matrix("up", 64, 64), y),
                        new Add(x, y))
                .last(new SelectOutputs(x, logits))
                .build(logits);
        assertThat(layer(graph, StepKind.SINGLE)).extracting(ClOp::name).containsExactly("RmsNorm", "MatMuly");
    }

    @Test
    void biasesNormsOfHeadsAndAWindowTakeNoLaunchMore() {
        Graph plain = attention(false);
        Graph rich = attention(true);
        for (StepKind kind : StepKind.values()) {
            assertThat(layer(rich, kind))
                    .extracting(ClOp::name)
                    .isEqualTo(layer(plain, kind).stream().map(ClOp::name).toList());
        }
        assertThat(layer(rich, StepKind.SINGLE)).extracting(ClOp::name).containsExactly("MatMulqkv", "Attention");
        assertThat(layer(rich, StepKind.ANY))
                .extracting(ClOp::name)
                .containsExactly("MatMulqkv", "Rope", "WriteKv", "Attention");
    }

    /** Queries, keys and values of two heads, and attention. */
    private static Graph attention(boolean rich) {
        int width = 64;
        RopeParameters rope = new RopeParameters(width / 2, 1e4);
        Buffer x = Buffer.ofTokens("x", width);
        Buffer q = Buffer.ofTokens("q", width);
        Buffer k = Buffer.ofTokens("k", width);
        Buffer v = Buffer.ofTokens("v", width);
        Buffer logits = Buffer.ofOutputs("logits", width);
        List<Op> ops = new ArrayList<>();
        for (Buffer out : List.of(q, k, v)) {
            Optional<Vector> bias = rich ? Optional.of(new Vector(out.name() + ".bias", width)) : Optional.empty();
            ops.add(new MatMul(x, new Matrix(out.name(), width, width), bias, Activations.F32, out));
        }
        for (Buffer turned : rich ? List.of(q, k) : List.<Buffer>of()) {
            ops.add(new HeadNorm(turned, 2, new Vector(turned.name() + ".norm", width / 2), 1e-6f));
        }
        ops.addAll(List.of(new Rope(q, 2, rope), new Rope(k, 2, rope), new WriteKv(k, v)));
        ops.add(new Attention(q, 2, 2, width / 2, rich ? 3 : Attention.WHOLE_CONTEXT, x));
        return Graph.builder()
                .eachLayer(2, _ -> ops)
                .last(new SelectOutputs(x, logits))
                .build(logits);
    }

    @Test
    void normsOfHeadsThatARotationDoesNotTakeUpAreALaunchOfTheirOwn() {
        Graph whole = attention(true);
        List<Op> cut = whole.kinds().getFirst().subList(0, 5);
        Graph norms = Graph.builder().eachLayer(1, _ -> cut).build(whole.logits());
        assertThat(layer(norms, StepKind.SINGLE)).extracting(ClOp::name).containsExactly("MatMulqkv", "HeadNorm");

        List<Op> first = whole.kinds().getFirst().subList(0, 6);
        Graph rotated = Graph.builder().eachLayer(1, _ -> first).build(whole.logits());
        assertThat(layer(rotated, StepKind.SINGLE))
                .extracting(ClOp::name)
                .containsExactly("MatMulqkv", "HeadNorm", "Rope");
    }
}
