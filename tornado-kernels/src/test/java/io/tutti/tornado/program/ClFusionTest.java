package io.tutti.tornado.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op.MatMul;
import io.tutti.engine.graph.Op.RmsNorm;
import io.tutti.engine.graph.Op.SwiGlu;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.graph.Weight.Vector;
import io.tutti.engine.model.Models;
import io.tutti.modelio.config.ModelConfig;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A layer is few launches, and what is fused is read by nothing else. */
class ClFusionTest {

    private static List<ClOp> layer(Graph graph, StepKind kind) {
        List<FusedOp> ops = new Fusion(graph, (a, b) -> true).fuse(graph.layer(), graph.layer());
        Section section = new Section("layers", ops, OptionalInt.of(0), graph.layers());
        return new ClFusion(List.of(section), kind, graph.results()).fuse(section);
    }

    @Test
    void aLayerIsFiveLaunchesForOneTokenASequenceAndNineForAny() {
        Graph llama = Models.graph(ModelConfig.load(new Model("demo").dir()));
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
        Graph graph = Graph.builder()
                .eachLayer(
                        1,
                        new RmsNorm(x, new Vector("norm", 64), 1e-5f, h),
                        new MatMul(h, new Matrix("gate", 64, 64), gate),
                        new MatMul(h, new Matrix("up", 64, 64), up),
                        new SwiGlu(gate, up, gate))
                .build(h, logits);
        assertThat(layer(graph, StepKind.SINGLE)).extracting(ClOp::name).containsExactly("RmsNorm", "MatMulgateup");

        List<FusedOp> ops = new Fusion(graph, (a, b) -> true).fuse(graph.layer(), List.of());
        Section section = new Section("layers", ops, OptionalInt.of(0), 1);
        assertThat(new ClFusion(List.of(section), StepKind.SINGLE, Set.of(up)).fuse(section))
                .extracting(ClOp::name)
                .containsExactly("MatMulgateup", "SwiGlu");
    }
}
