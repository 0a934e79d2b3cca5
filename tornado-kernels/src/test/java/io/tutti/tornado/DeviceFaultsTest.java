package io.tutti.tornado;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.engine.backend.DeviceException;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvException;
import io.tutti.kv.KvPool;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.modelio.weights.Weights;
import io.tutti.tornado.program.Mapping;
import io.tutti.tornado.program.ZeroWeights;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a device has no room for, or cannot do, is refused in one line; then it can be used as before. */
class DeviceFaultsTest {

    private static final Model DEMO = new Model("demo");
    private static final EngineConfig CONFIG = EngineConfig.defaults();

    @AfterEach
    void theDeviceIsAsGoodAsBefore() {
        Model bigram = new Model("bigram");
        int[] tokens = bigram.prompts().getLast().tokens();
        try (ModelRunner host = Runs.load(bigram.dir(), CONFIG);
                ModelRunner device = OnDevice.load(bigram.dir(), CONFIG)) {
            assertThat(Runs.bits(Runs.logits(device, tokens))).isEqualTo(Runs.bits(Runs.logits(host, tokens)));
        }
    }

    @Test
    void aModelThatNeedsMoreMemoryThanThereIsIsRefusedWithTheBytesAndWhatToLower() {
        assertRefused(() -> ChangedDevice.same().withMemoryBytes(4_000_000).load(DEMO.dir(), CONFIG))
                .hasMessageMatching(
                        "device \\S+: \\d+ bytes are needed \\(weights \\d+, cache \\d+, activations \\d+\\), "
                                + "4000000 are there; smaller --kv-blocks or --chunk, or --quant int4:32, need less");
    }

    @Test
    void aTensorLargerThanABufferIsRefusedByName() {
        assertRefused(() -> ChangedDevice.same().withBufferBytes(700_000).load(DEMO.dir(), CONFIG))
                .hasMessageMatching("device \\S+: tensor model.embed_tokens.weight takes a buffer of 786432 bytes; "
                        + "accepted: at most 699984");
    }

    @Test
    void activationsLargerThanABufferAreRefused() {
        assertRefused(() -> ChangedDevice.same().withBufferBytes(1_000_000).load(DEMO.dir(), CONFIG))
                .hasMessageMatching("device \\S+: a step's activations take a buffer of \\d+ bytes; "
                        + "accepted: at most 999984; smaller --chunk or --kv-blocks need less");
    }

    @Test
    void aLayersCacheLargerThanABufferIsRefusedWithTheBlocksThatFit() {
        assertThatThrownBy(() -> ChangedDevice.same()
                        .withBufferBytes(1_000_000)
                        .load(DEMO.dir(), CONFIG.withKvBlocks(1_000))
                        .close())
                .isInstanceOf(KvException.InvalidArgument.class)
                .hasMessageContaining("at most 488, for K of a layer takes 2048 bytes a block");
    }

    @Test
    void aPoolOfRegionsLargerThanABufferIsRefused() {
        ModelConfig model = ModelConfig.load(DEMO.dir());
        KvConfig config = new KvConfig(1_000, 16, 5, 2, 32, KvDtype.F16, false, "demo");
        try (KvPool pool = new KvPool(config)) {
            assertRefused(() -> ChangedDevice.same()
                            .withBufferBytes(1_000_000)
                            .compile(
                                    model.graph(),
                                    Weights.open(DEMO.dir(), model.head()),
                                    pool,
                                    new ProgramLimits(1, 1, 1),
                                    LoadProgress.NONE))
                    .hasMessageMatching("device \\S+: a region of the cache takes a buffer of 10240000 bytes; "
                            + "accepted: at most 999984; smaller --kv-blocks need less");
        }
    }

    @Test
    void aDeviceOfSmallerWorkGroupsThanAKernelsIsRefused() {
        assertRefused(() -> ChangedDevice.same()
                        .withMapping(Mapping.LANES)
                        .withGroupItems(32)
                        .load(DEMO.dir(), CONFIG))
                .hasMessageMatching("device \\S+: kernel \\w+ takes work-groups of 64, the device has 32 at most");
    }

    @Test
    void aGraphOfMoreLaunchesThanAreCountedIsRefused() {
        Buffer x = Buffer.ofTokens("x", 1);
        Graph graph = Graph.builder()
                .first(new Op.Embed(new Matrix("table", 1, 1), x))
                .eachLayer(5000, new Op.Add(x, x))
                .build(x, Buffer.ofOutputs("logits", 1));
        KvConfig config = new KvConfig(1, 1, 1, 1, 1, KvDtype.F32, false, "many");
        WeightSource weights = new ZeroWeights(new WeightFormat.Dense(Dtype.F32), new WeightFormat.Dense(Dtype.F32));
        try (KvPool pool = new KvPool(config)) {
            assertRefused(() -> ChangedDevice.same()
                            .withMapping(Mapping.VECTORS)
                            .compile(graph, weights, pool, new ProgramLimits(1, 1, 1), LoadProgress.NONE))
                    .hasMessageMatching("device \\S+: the model takes more than 4096 launches of kernels");
        }
    }

    @Test
    void aKernelThatDoesNotCompileIsAFailureAndRunsNowhereElse() {
        assertRefused(() ->
                        ChangedDevice.same().withCompilerFlags("-no-such-flag").load(DEMO.dir(), CONFIG))
                .hasMessageMatching("device \\S+ failed: Unable to compile task .+; Error during code compilation.*");
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(ThrowingCallable load) {
        return assertThatThrownBy(load)
                .isInstanceOf(DeviceException.class)
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
    }
}
