package io.tutti.tornado;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ForwardBatch;
import io.tutti.engine.runner.ForwardSeq;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvBlock;
import io.tutti.kv.KvDtype;
import io.tutti.kv.KvPart;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.Weights;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The cache whose live copy is the device's: what either side wrote, the other sees. */
@ParameterizedClass
@EnumSource(KvDtype.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KvPoolOnDeviceTest {

    private static final Model MODEL = new Model("tiny-llama");
    private static final int[] TOKENS = MODEL.prompts().getLast().tokens();
    private static final int THIRD = TOKENS.length / 3;

    @Parameter
    private KvDtype kv;

    private ModelRunner host;
    private ModelRunner device;

    @BeforeParameterizedClassInvocation
    void load() {
        EngineConfig config = EngineConfig.defaults().withKvDtype(kv).withKvBlocks(60);
        host = Runs.load(MODEL.dir(), config);
        device = OnDevice.load(MODEL.dir(), config);
    }

    /** Fails if a test leaks a block. */
    @AfterParameterizedClassInvocation
    void close() {
        device.close();
        host.close();
    }

    @Test
    void aSequenceMovesFromHostToDeviceAndBackAndGoesOnWithTheSameBits() {
        float[] all = Runs.logits(host, TOKENS);
        List<KvBlock> blocks = Runs.alloc(host, TOKENS.length);

        assertThat(forward(host, blocks, 0, THIRD)).isEqualTo(row(all, THIRD - 1));
        blocks = move(host, device, blocks);
        assertThat(forward(device, blocks, THIRD, 2 * THIRD)).isEqualTo(row(all, 2 * THIRD - 1));
        blocks = move(device, host, blocks);
        assertThat(forward(host, blocks, 2 * THIRD, TOKENS.length)).isEqualTo(row(all, TOKENS.length - 1));

        host.pool().release(blocks);
    }

    @Test
    void theDevicesExportHasTheHostsBytes() {
        List<KvBlock> onHost = Runs.alloc(host, THIRD);
        List<KvBlock> onDevice = Runs.alloc(device, THIRD);
        forward(host, onHost, 0, THIRD);
        forward(device, onDevice, 0, THIRD);
        assertThat(device.pool().exportBlocks(onDevice)).isEqualTo(host.pool().exportBlocks(onHost));
        host.pool().release(onHost);
        device.pool().release(onDevice);
    }

    @Test
    void theHostReadsWhatTheDeviceWrote() {
        List<KvBlock> onHost = Runs.alloc(host, 3);
        List<KvBlock> onDevice = Runs.alloc(device, 3);
        for (int step = 0; step < 3; step++) {
            forward(host, onHost, step, step + 1);
            forward(device, onDevice, step, step + 1);
            for (int layer = 0; layer < host.config().graph().layers().size(); layer++) {
                for (KvPart part : KvPart.values()) {
                    assertThat(position(device.pool(), onDevice.getFirst(), layer, part, step))
                            .as("%s of layer %d, position %d", part, layer, step)
                            .isEqualTo(position(host.pool(), onHost.getFirst(), layer, part, step))
                            .isNotEqualTo(new int[host.pool().config().headDim()]);
                }
            }
        }
        host.pool().release(onHost);
        device.pool().release(onDevice);
    }

    /** Between two steps of a sequence that the device alone knows the rest of. */
    @Test
    void theDeviceSeesWhatTheHostWritesAndKeepsTheRest() {
        float[] all = Runs.logits(host, TOKENS);
        List<KvBlock> onHost = Runs.alloc(host, THIRD);
        forward(host, onHost, 0, THIRD);

        List<KvBlock> own = Runs.alloc(device, TOKENS.length);
        forward(device, own, 0, THIRD);
        List<KvBlock> written = Runs.alloc(device, 2 * THIRD);
        for (int b = 0; b < onHost.size(); b++) {
            copy(host.pool(), onHost.get(b), device.pool(), written.get(b));
        }

        assertThat(forward(device, written, THIRD, 2 * THIRD)).isEqualTo(row(all, 2 * THIRD - 1));
        assertThat(forward(device, own, THIRD, TOKENS.length)).isEqualTo(row(all, TOKENS.length - 1));
        host.pool().release(onHost);
        device.pool().release(own);
        device.pool().release(written);
    }

    @Test
    void aSecondProgramOverThePoolIsRefusedAndTheFirstGoesOn() {
        Graph graph = device.config().graph();
        Weights weights = Weights.open(MODEL.dir(), device.config().head());
        assertThatThrownBy(() -> {
                    try (Program second = OnDevice.device()
                            .compile(graph, weights, device.pool(), new ProgramLimits(1, 1, 1), LoadProgress.NONE)) {
                        assertThat(second).isNull();
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("attached already");
        int[] tokens = Arrays.copyOf(TOKENS, 5);
        assertThat(Runs.bits(Runs.logits(device, tokens))).isEqualTo(Runs.bits(Runs.logits(host, tokens)));
    }

    /** The bits of the last row of a step. */
    private static int[] forward(ModelRunner runner, List<KvBlock> blocks, int from, int to) {
        int[] tokens = Arrays.copyOfRange(TOKENS, from, to);
        return Runs.bits(runner.forward(ForwardBatch.of(new ForwardSeq(tokens, from, blocks)))
                .data());
    }

    /** Blocks with the same content, at other places of another pool. */
    private static List<KvBlock> move(ModelRunner from, ModelRunner to, List<KvBlock> blocks) {
        byte[] envelope = from.pool().exportBlocks(blocks);
        from.pool().release(blocks);
        List<KvBlock> between = to.pool().alloc(5);
        List<KvBlock> moved = new ArrayList<>(to.pool().importBlocks(envelope));
        to.pool().release(between);
        return moved;
    }

    private int[] row(float[] logits, int token) {
        int vocab = host.config().vocabSize();
        return Runs.bits(Arrays.copyOfRange(logits, token * vocab, (token + 1) * vocab));
    }

    /** The bits of one position's key or value of the last head. */
    private static int[] position(KvPool pool, KvBlock block, int layer, KvPart part, int position) {
        int[] bits = new int[pool.config().headDim()];
        for (int d = 0; d < bits.length; d++) {
            bits[d] = pool.slab(block, layer, part).bits(pool.config().kvHeads() - 1, position, d);
        }
        return bits;
    }

    private static void copy(KvPool from, KvBlock block, KvPool to, KvBlock other) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slab = arena.allocate(from.config().slabBytes());
            for (int layer = 0; layer < from.config().layers(); layer++) {
                for (KvPart part : KvPart.values()) {
                    from.slab(block, layer, part).copyTo(slab, 0);
                    to.slab(other, layer, part).copyFrom(slab, 0);
                }
            }
        }
        to.setFill(other, from.fill(block));
    }
}
