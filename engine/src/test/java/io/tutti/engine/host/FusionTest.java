package io.tutti.engine.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Graph.Part;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.RopeParameters;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.graph.Weight.Vector;
import io.tutti.engine.host.FusedOp.Linear;
import io.tutti.engine.host.FusedOp.Plain;
import io.tutti.engine.host.FusedOp.Product.AddTo;
import io.tutti.engine.host.FusedOp.Product.Gate;
import io.tutti.engine.host.FusedOp.Product.Store;
import io.tutti.engine.host.FusedOp.RopeKv;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FusionTest {

    private static final int WIDTH = 8;
    private static final RopeParameters ROPE = new RopeParameters(WIDTH / 2, 1e4);

    private final Buffer x = Buffer.ofTokens("x", WIDTH);
    private final Buffer a = Buffer.ofTokens("a", WIDTH);
    private final Buffer b = Buffer.ofTokens("b", WIDTH);
    private final Buffer c = Buffer.ofTokens("c", WIDTH);
    private final Buffer last = Buffer.ofOutputs("last", WIDTH);
    private final Buffer logits = Buffer.ofOutputs("logits", WIDTH);
    private final Matrix first = matrix("first");
    private final Matrix second = matrix("second");
    private final Matrix head = matrix("head");
    private final Vector bias = new Vector("bias", WIDTH);

    @Test
    void layersOverTheSameInputGoTogether() {
        Op.MatMul toA = new Op.MatMul(x, first, a);
        Op.MatMul toB = new Op.MatMul(x, second, Optional.of(bias), Activations.F32, b);
        assertThat(layer(toA, toB)).containsExactly(linear(x, new Store(toA), new Store(toB)));
    }

    @Test
    void aLayerOverAnothersOutputComesAfterIt() {
        Op.MatMul toA = new Op.MatMul(x, first, a);
        Op.MatMul toB = new Op.MatMul(a, second, b);
        assertThat(layer(toA, toB)).containsExactly(linear(x, new Store(toA)), linear(a, new Store(toB)));
    }

    @Test
    void layersThatTakeTheirInputDifferentlyStayApart() {
        Op.MatMul toA = new Op.MatMul(x, first, Activations.INT8, a);
        Op.MatMul toB = new Op.MatMul(x, second, b);
        assertThat(layer(toA, toB))
                .containsExactly(new Linear(x, Activations.INT8, List.of(new Store(toA))), linear(x, new Store(toB)));
    }

    @Test
    void aLaterLayerMayOverwriteTheSharedInputOnlyByItself() {
        assertThat(layer(new Op.MatMul(x, first, x), new Op.MatMul(x, second, b)))
                .hasSize(2);
    }

    @Test
    void theResidualTakesUpAProductThatNothingElseReads() {
        Op.MatMul toB = new Op.MatMul(a, first, Optional.of(bias), Activations.F32, b);
        assertThat(layer(toB, new Op.Add(x, b))).containsExactly(linear(a, new AddTo(toB, x)));
    }

    @Test
    void aProductThatIsReadAgainIsKept() {
        Op.Add add = new Op.Add(x, b);
        assertThat(layer(new Op.MatMul(a, first, b), add, new Op.Add(c, b))).contains(new Plain(add));
    }

    @Test
    void aProductThatTheNextLayerReadsIsKept() {
        Op.Add add = new Op.Add(x, b);
        assertThat(layer(new Op.Add(c, b), new Op.MatMul(a, first, b), add)).contains(new Plain(add));
    }

    @Test
    void aProductOfTheLastLayerThatIsReadAfterTheLayersIsKept() {
        Op.Add add = new Op.Add(x, b);
        List<Op> layer = List.of(new Op.MatMul(a, first, b), add);
        Graph graph = Graph.builder()
                .eachLayer(2, layer.toArray(Op[]::new))
                .last(new Op.SelectOutputs(b, last), new Op.MatMul(last, head, logits))
                .build(logits);
        assertThat(new Fusion(graph).fuse(new Part.Layer(0))).contains(new Plain(add));
    }

    @Test
    void aProductThatIsAResultIsKept() {
        Op.Add add = new Op.Add(x, b);
        Graph graph = Graph.builder()
                .eachLayer(1, new Op.MatMul(a, first, b), add)
                .last(new Op.SelectOutputs(x, last), new Op.MatMul(last, head, logits))
                .build(b, logits);
        assertThat(new Fusion(graph).fuse(new Part.Layer(0))).contains(new Plain(add));
    }

    @Test
    void aResidualThatIsTheLayersInputIsAddedAfterwards() {
        Op.Add add = new Op.Add(x, b);
        assertThat(layer(new Op.MatMul(x, first, b), add)).contains(new Plain(add));
    }

    @Test
    void aGateTakesUpBothProducts() {
        Op.MatMul toA = new Op.MatMul(x, first, Optional.of(bias), Activations.F32, a);
        Op.MatMul toB = new Op.MatMul(x, second, b);
        assertThat(layer(toA, toB, new Op.SwiGlu(a, b, a))).containsExactly(linear(x, new Gate(toA, toB, a)));
    }

    @Test
    void aGateOfProductsInTheOtherOrderIsDoneAfterwards() {
        Op.SwiGlu glu = new Op.SwiGlu(b, a, a);
        assertThat(layer(new Op.MatMul(x, first, a), new Op.MatMul(x, second, b), glu))
                .contains(new Plain(glu));
    }

    @Test
    void aGateWhoseUpIsReadAgainIsDoneAfterwards() {
        Op.SwiGlu glu = new Op.SwiGlu(a, b, a);
        assertThat(layer(new Op.MatMul(x, first, a), new Op.MatMul(x, second, b), glu, new Op.Add(c, b)))
                .contains(new Plain(glu));
    }

    @Test
    void aGateThatOverwritesTheInputIsDoneAfterwards() {
        Op.SwiGlu glu = new Op.SwiGlu(a, b, x);
        assertThat(layer(new Op.MatMul(x, first, a), new Op.MatMul(x, second, b), glu))
                .contains(new Plain(glu));
    }

    @Test
    void normsOfHeadsGoWithTheRopesBehindThem() {
        Op.HeadNorm norm = new Op.HeadNorm(a, 2, new Vector("norm", WIDTH / 2), 1e-5f);
        Op.Rope rope = new Op.Rope(a, 2, ROPE);
        Op.WriteKv write = new Op.WriteKv(a, c);
        assertThat(layer(norm, rope, write))
                .containsExactly(new RopeKv(List.of(norm), List.of(rope), Optional.of(write)));
        assertThat(layer(rope, norm))
                .containsExactly(
                        new RopeKv(List.of(), List.of(rope), Optional.empty()),
                        new RopeKv(List.of(norm), List.of(), Optional.empty()));
    }

    @Test
    void ropesAndTheWriteToTheCacheBehindThemGoTogether() {
        Op.Rope queries = new Op.Rope(a, 2, ROPE);
        Op.Rope keys = new Op.Rope(b, 2, ROPE);
        Op.WriteKv write = new Op.WriteKv(b, c);
        Op.Attention attention = new Op.Attention(a, 2, 2, WIDTH / 2, c);
        assertThat(layer(queries, keys, write, attention))
                .containsExactly(
                        new RopeKv(List.of(), List.of(queries, keys), Optional.of(write)), new Plain(attention));
    }

    @Test
    void aRopeOrAWriteToTheCacheMayBeAlone() {
        Op.Rope rope = new Op.Rope(a, 2, ROPE);
        Op.WriteKv write = new Op.WriteKv(b, c);
        Op.Add add = new Op.Add(x, b);
        assertThat(layer(write, rope, add))
                .containsExactly(
                        new RopeKv(List.of(), List.of(), Optional.of(write)),
                        new RopeKv(List.of(), List.of(rope), Optional.empty()),
                        new Plain(add));
        assertThat(layer(add, rope)).endsWith(new RopeKv(List.of(), List.of(rope), Optional.empty()));
    }

    @Test
    void otherOpsStayAsTheyAre() {
        Op.RmsNorm norm = new Op.RmsNorm(x, new Vector("norm.weight", WIDTH), 1e-5f, a);
        assertThat(layer(norm)).containsExactly(new Plain(norm));
    }

    /** The ops of a layer, fused, where {@code x} is read after the layers. */
    private List<FusedOp> layer(Op... ops) {
        Graph graph = Graph.builder()
                .eachLayer(2, ops)
                .last(new Op.SelectOutputs(x, last), new Op.MatMul(last, head, logits))
                .build(logits);
        return new Fusion(graph).fuse(new Part.Layer(0));
    }

    private static FusedOp linear(Buffer in, FusedOp.Product... products) {
        return new Linear(in, Activations.F32, List.of(products));
    }

    private static Matrix matrix(String name) {
        return new Matrix(name + ".weight", WIDTH, WIDTH);
    }
}
