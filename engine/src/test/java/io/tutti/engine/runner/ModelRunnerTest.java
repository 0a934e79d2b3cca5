package io.tutti.engine.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceException;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.Unsupported;
import io.tutti.engine.backend.Verdict;
import io.tutti.engine.backend.Verdict.Approximate;
import io.tutti.engine.backend.Verdict.Broken;
import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.model.StoredModel;
import io.tutti.engine.reference.ReferenceDevice;
import io.tutti.kv.BlockHash;
import io.tutti.kv.KvBlock;
import io.tutti.kv.KvException;
import io.tutti.kv.KvPart;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ModelRunnerTest {

    private static final int BLOCK = 16;
    private static final int VOCAB = 256;
    private static final int CONTEXT = 512;

    private ModelRunner runner;

    @BeforeEach
    void load() {
        runner = Runs.load(
                new Model("tiny-llama").dir(),
                EngineConfig.defaults()
                        .withBlockTokens(BLOCK)
                        .withKvBlocks(40)
                        .withMaxBatchTokens(64)
                        .withMaxSeqs(3));
    }

    @AfterEach
    void close() {
        runner.close(); // fails if a test leaks a block
    }

    @Test
    void runOnceReturnsItsBlocks() {
        int free = runner.pool().free();
        for (int i = 0; i < 5; i++) {
            Hidden hidden = runner.runOnce(tokens(100));
            assertThat(hidden.states()).hasSize(100 * 64);
            assertThat(hidden.logits()).hasSize(VOCAB);
            assertThat(runner.pool().free()).isEqualTo(free);
        }
    }

    @Test
    void runOnceReturnsItsBlocksWhenItFails() {
        int free = runner.pool().free();
        assertThatThrownBy(() -> runner.runOnce(new int[] {1, 2, VOCAB})).isInstanceOf(EngineException.class);
        assertThatThrownBy(() -> runner.runOnce(tokens(CONTEXT + 1))).isInstanceOf(EngineException.class);
        assertThat(runner.pool().free()).isEqualTo(free);
    }

    @Test
    void whatTheDeviceHasNoKernelForIsNamedBeforeAnythingIsLoaded() {
        assertThatThrownBy(() -> ModelRunner.load(
                        new Model("tiny-llama").dir(), EngineConfig.defaults(), new WithoutRope(), LoadProgress.NONE))
                .isInstanceOf(DeviceException.class)
                .hasMessage("device limited cannot run Rope with heads in quarters; accepted: halves; "
                        + "Rope with heads in eighths; accepted: halves");
    }

    /** A device that says what it cannot run, and loads nothing. */
    private record WithoutRope() implements Device {
        @Override
        public List<Unsupported> unsupported(Graph graph, WeightSource weights) {
            return List.of(
                    new Unsupported("Rope", "heads", "quarters", "halves"),
                    new Unsupported("Rope", "heads", "eighths", "halves"));
        }

        @Override
        public Program compile(
                Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress) {
            throw new AssertionError("compiled");
        }

        @Override
        public String name() {
            return "limited";
        }

        @Override
        public DeviceKind kind() {
            return DeviceKind.GPU;
        }

        @Override
        public String description() {
            return "limited";
        }

        @Override
        public String driver() {
            return "none";
        }

        @Override
        public long memoryBytes() {
            return 1 << 30;
        }

        @Override
        public List<String> properties() {
            return List.of();
        }
    }

    @Test
    void runOnceAgreesWithForward() {
        int[] tokens = tokens(40);
        float[] rows = Runs.logits(runner, tokens);
        float[] last = Arrays.copyOfRange(rows, rows.length - VOCAB, rows.length);
        assertThat(Runs.bits(runner.runOnce(tokens).logits())).isEqualTo(Runs.bits(last));
    }

    @Test
    void forwardSetsTheFillOfTheBlocksThatItWrites() {
        List<KvBlock> blocks = Runs.alloc(runner, 48);
        runner.forward(ForwardBatch.of(new ForwardSeq(tokens(20), 0, blocks)));
        assertThat(blocks.stream().map(runner.pool()::fill)).containsExactly(16, 4, 0);
        runner.forward(ForwardBatch.of(new ForwardSeq(tokens(14), 20, blocks)));
        assertThat(blocks.stream().map(runner.pool()::fill)).containsExactly(16, 16, 2);
        runner.pool().release(blocks);
    }

    @Test
    void aKeyLandsInItsBlockAndSlot() {
        List<KvBlock> pool = runner.pool().alloc(10);
        List<KvBlock> table = List.of(pool.get(7), pool.get(2), pool.get(9));
        runner.forward(ForwardBatch.of(new ForwardSeq(tokens(38), 0, table)));
        assertThat(runner.pool().fill(pool.get(9))).isEqualTo(6);
        assertThat(runner.pool().fill(pool.get(8))).isZero();
        for (KvPart part : KvPart.values()) {
            var slab = runner.pool().slab(pool.get(9), 1, part);
            boolean written = false;
            boolean beyond = false;
            for (int d = 0; d < 16; d++) {
                written |= slab.bits(1, 5, d) != 0; // position 37: block 37 / 16 of the table, slot 37 % 16
                beyond |= slab.bits(1, 6, d) != 0;
            }
            assertThat(written).isTrue();
            assertThat(beyond).isFalse();
        }
        runner.pool().release(pool);
    }

    static List<Refusal> refusals() {
        return List.of(
                new Refusal("no sequences", List.of(), "0 sequences"),
                new Refusal("more sequences than max_seqs", List.of(of(1), of(1), of(1), of(1)), "4 sequences"),
                new Refusal("more tokens than max_batch_tokens", List.of(of(40), of(40)), "80 tokens"),
                new Refusal("no tokens", List.of(of(1), new Seq(new int[0], 0, 1)), "sequence 1: no tokens"),
                new Refusal(
                        "an id past the vocabulary",
                        List.of(of(1), new Seq(new int[] {1, VOCAB}, 0, 1)),
                        "sequence 1: token id 256 at position 1; accepted: 0 to 255"),
                new Refusal("a negative id", List.of(new Seq(new int[] {-1}, 0, 1)), "token id -1"),
                new Refusal("a negative start", List.of(new Seq(new int[] {1}, -1, 1)), "from position -1"),
                new Refusal(
                        "a position past the context",
                        List.of(new Seq(tokens(2), CONTEXT - 1, 32)),
                        "2 tokens from position 511; accepted: positions 0 to 511"),
                new Refusal(
                        "a start that overflows",
                        List.of(new Seq(tokens(2), Integer.MAX_VALUE, 1)),
                        "from position 2147483647"),
                new Refusal(
                        "a short block table", List.of(new Seq(tokens(17), 0, 1)), "1 blocks; positions to 16 take 2"),
                new Refusal(
                        "a start after positions that were never written",
                        List.of(new Seq(tokens(1), 5, 1)),
                        "holds 0 of the 5 positions"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void forwardRefusesBadBatches(Refusal refusal) {
        int free = runner.pool().free();
        List<ForwardSeq> sequences = new ArrayList<>();
        for (Seq seq : refusal.sequences()) {
            sequences.add(
                    new ForwardSeq(seq.tokens(), seq.start(), runner.pool().alloc(seq.blocks())));
        }
        assertThatThrownBy(() -> runner.forward(new ForwardBatch(sequences)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining(refusal.message())
                .hasMessageNotContaining("\n");
        for (ForwardSeq seq : sequences) {
            assertThat(seq.blocks()).allMatch(block -> runner.pool().fill(block) == 0, "nothing was written");
            runner.pool().release(seq.blocks());
        }
        assertThat(runner.pool().free()).isEqualTo(free);
    }

    @Test
    void forwardRefusesAStepThatNoArrayCouldHold() {
        int tooMany = Integer.MAX_VALUE / 172 + 1; // 172: the intermediate size, the widest row
        try (ModelRunner huge = Runs.load(
                new Model("tiny-llama").dir(), EngineConfig.defaults().withMaxBatchTokens(Integer.MAX_VALUE))) {
            ForwardSeq seq = new ForwardSeq(new int[tooMany], 0, List.of());
            assertThatThrownBy(() -> huge.forward(ForwardBatch.of(seq)))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("rows of 172 numbers");
        }
    }

    @Test
    void forwardRefusesABlockThatTwoSequencesWouldWrite() {
        List<KvBlock> blocks = runner.pool().alloc(1);
        ForwardSeq seq = new ForwardSeq(tokens(2), 0, blocks);
        assertThatThrownBy(() -> runner.forward(ForwardBatch.of(seq, seq)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("sequence 1: block " + blocks.getFirst().index() + " is written twice");
        runner.pool().release(blocks);
    }

    @Test
    void forwardRefusesABlockThatOneSequenceWritesAndAnotherReads() {
        List<KvBlock> prefix = runner.pool().alloc(1);
        List<KvBlock> own = runner.pool().alloc(1);
        runner.forward(ForwardBatch.of(new ForwardSeq(tokens(BLOCK), 0, prefix)));
        ForwardSeq reader = new ForwardSeq(tokens(1), BLOCK, List.of(prefix.getFirst(), own.getFirst()));
        ForwardSeq writer = new ForwardSeq(tokens(1), 3, prefix);
        assertThatThrownBy(() -> runner.forward(ForwardBatch.of(reader, writer)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("written by one sequence of the batch and read by another");
        runner.pool().release(prefix);
        runner.pool().release(own);
    }

    @Test
    void aModelThatDiffersInOneNumberHasAnotherIdentity(@TempDir Path dir) throws IOException {
        Path copy = Files.createDirectory(dir.resolve("copy"));
        for (String file : List.of("config.json", "model.safetensors")) {
            Files.copy(new Model("tiny-llama").dir().resolve(file), copy.resolve(file));
        }
        try (ModelRunner same = Runs.load(copy, EngineConfig.defaults().withKvBlocks(1))) {
            assertThat(same.pool().root()).isEqualTo(runner.pool().root());
        }
        byte[] weights = Files.readAllBytes(copy.resolve("model.safetensors"));
        weights[weights.length / 2] ^= 1;
        Files.write(copy.resolve("model.safetensors"), weights);
        try (ModelRunner other = Runs.load(copy, EngineConfig.defaults().withKvBlocks(1))) {
            assertThat(other.pool().root()).isNotEqualTo(runner.pool().root());
        }
    }

    @Test
    void blocksOfAnApproximateDeviceHaveAnIdentityOfTheirOwn() {
        Path dir = new Model("tiny-llama").dir();
        EngineConfig config = EngineConfig.defaults().withKvBlocks(1);
        Verdict approximate = new Approximate("RmsNorm", 1e-6, 1, 2);
        try (ModelRunner one =
                        ModelRunner.load(StoredModel.open(dir), config, Runs.host(1), approximate, LoadProgress.NONE);
                ModelRunner same =
                        ModelRunner.load(StoredModel.open(dir), config, Runs.host(2), approximate, LoadProgress.NONE);
                ModelRunner other = ModelRunner.load(
                        StoredModel.open(dir), config, new ReferenceDevice(), approximate, LoadProgress.NONE);
                ModelRunner exact = ModelRunner.load(dir, config, new ReferenceDevice(), LoadProgress.NONE)) {
            assertThat(one.pool().root())
                    .isEqualTo(same.pool().root())
                    .isNotEqualTo(other.pool().root());
            assertThat(exact.pool().root())
                    .isEqualTo(runner.pool().root())
                    .isNotEqualTo(other.pool().root());
        }
    }

    @Test
    void aBrokenDeviceLoadsNothing() {
        Path dir = new Model("tiny-llama").dir();
        Verdict broken = new Broken("no driver");
        assertThatThrownBy(() -> ModelRunner.load(
                        StoredModel.open(dir), EngineConfig.defaults(), Runs.host(1), broken, LoadProgress.NONE))
                .isInstanceOf(EngineException.class)
                .hasMessage("device host is broken: no driver");
    }

    @Test
    void forwardRefusesABlockThatWasGivenBack() {
        List<KvBlock> blocks = runner.pool().alloc(1);
        runner.pool().release(blocks);
        assertThatThrownBy(() -> runner.forward(ForwardBatch.of(new ForwardSeq(tokens(2), 0, blocks))))
                .isInstanceOf(KvException.InvalidBlock.class);
    }

    @Test
    void forwardRefusesToOverwriteABlockThatOthersMayRead() {
        KvPool pool = runner.pool();
        List<KvBlock> blocks = pool.alloc(1);
        int[] tokens = tokens(BLOCK);
        runner.forward(ForwardBatch.of(new ForwardSeq(tokens, 0, blocks)));
        pool.register(blocks.getFirst(), BlockHash.chain(pool.root(), tokens, 0, BLOCK));
        assertThatThrownBy(() -> runner.forward(ForwardBatch.of(new ForwardSeq(tokens(1), 3, blocks))))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("block " + blocks.getFirst().index());
        pool.release(blocks);
    }

    @Test
    void twoSequencesShareTheBlocksOfACommonPrefix() {
        KvPool pool = runner.pool();
        int[] prefix = tokens(2 * BLOCK);
        List<KvBlock> first = Runs.alloc(runner, 2 * BLOCK);
        runner.forward(ForwardBatch.of(new ForwardSeq(prefix, 0, first)));
        BlockHash hash = pool.root();
        for (int b = 0; b < 2; b++) {
            hash = BlockHash.chain(hash, prefix, b * BLOCK, (b + 1) * BLOCK);
            pool.register(first.get(b), hash);
        }
        pool.release(first);
        assertThat(pool.cached()).isEqualTo(2);

        int[] whole = Arrays.copyOf(prefix, prefix.length + 3);
        List<KvBlock> found = new ArrayList<>(pool.lookupPrefix(whole));
        assertThat(found).hasSize(2);
        found.addAll(pool.alloc(1));
        int[] rest = Arrays.copyOfRange(whole, prefix.length, whole.length);
        float[] reused = runner.forward(ForwardBatch.of(new ForwardSeq(rest, prefix.length, found)))
                .data();
        pool.release(found);
        assertThat(Runs.bits(reused)).isEqualTo(Runs.bits(runner.runOnce(whole).logits()));
    }

    /** A sequence of a bad batch, with this many blocks. */
    record Seq(int[] tokens, int start, int blocks) {}

    record Refusal(String what, List<Seq> sequences, String message) {
        @Override
        public String toString() {
            return what;
        }
    }

    private static Seq of(int count) {
        return new Seq(tokens(count), 0, ModelRunner.blocksFor(count, BLOCK));
    }

    private static int[] tokens(int count) {
        int[] tokens = new int[count];
        for (int i = 0; i < count; i++) {
            tokens[i] = (i * 37 + 11) % VOCAB;
        }
        return tokens;
    }
}
