package io.tutti.cli.keep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.cli.console.RefusedException;
import io.tutti.cli.keep.KeptTokens.Search;
import io.tutti.cli.option.RunOptions;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.runner.EngineException;
import io.tutti.runtime.generate.ChosenTokens;
import io.tutti.runtime.generate.GenerationListener;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.Stops;
import io.tutti.runtime.generate.TokenSource;
import io.tutti.sample.InvalidLogitsException;
import io.tutti.sample.SampledToken;
import io.tutti.sample.SamplingParams;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** A keeper and those who use it, in one process and without a model. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "keep needs files with owners")
@Timeout(30)
class KeeperTest {

    /** Tokens that fill any socket's buffer. */
    private static final int ROOM = 1 << 20;

    private static final Duration LONG = Duration.ofHours(1);
    private static final Path TINY = Path.of(System.getProperty("tutti.golden"), "models", "tiny-llama");

    @TempDir
    private Path temp;

    private Path model;
    private KeptFolder folder;
    private final Scripted source = new Scripted();
    private Thread thread;
    private Keeper keeper;

    /** Says what a test wants, one token for each permit. */
    private static final class Scripted implements TokenSource {
        final List<GenerationRequest> requests = new CopyOnWriteArrayList<>();
        final Semaphore steps = new Semaphore(0);
        final CountDownLatch cancelledOnce = new CountDownLatch(1);
        volatile RuntimeException failure;
        volatile Error error;

        @Override
        public int context() {
            return ROOM;
        }

        @Override
        public ChosenTokens begin(GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled) {
            requests.add(request);
            return new ChosenTokens() {
                private int count;

                @Override
                public int reused() {
                    return 7;
                }

                @Override
                public Optional<SampledToken> next() {
                    while (!steps.tryAcquire()) {
                        if (cancelled.getAsBoolean()) {
                            cancelledOnce.countDown();
                            return Optional.empty();
                        }
                        Thread.onSpinWait();
                    }
                    if (failure != null) {
                        throw failure;
                    }
                    if (error != null) {
                        throw error;
                    }
                    listener.prefilled(count, request.prompt().length);
                    return Optional.of(new SampledToken(100 + count++, -1.0 / 3 - count));
                }

                @Override
                public void close() {}
            };
        }
    }

    @BeforeEach
    void layOutAModel() throws IOException {
        model = Files.createDirectory(temp.resolve("model"));
        for (String file : List.of("config.json", "model.safetensors")) {
            Files.copy(TINY.resolve(file), model.resolve(file));
        }
        folder = new KeptFolder(temp.resolve("state").resolve("kept"));
    }

    @AfterEach
    void end() throws InterruptedException {
        if (keeper != null) {
            keeper.end();
            thread.join();
        }
    }

    private static RunOptions options(String... args) {
        return CommandLine.populateCommand(new RunOptions(), args);
    }

    private ModelConfig config() {
        return ModelConfig.loadAlone(model);
    }

    private void keep(Duration idle, String... options) throws IOException, InterruptedException {
        KeptPlace place = KeptPlace.take(folder, model).orElseThrow();
        KeptModel kept = KeptModel.wanted(model, config(), options(options), ROOM, idle)
                .on("host", Optional.of("device host"), List.of("ignored: x"));
        keeper = new Keeper(place, kept, source);
        thread = Thread.ofPlatform().daemon().start(() -> {
            try (place) {
                keeper.run();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        while (KeptProcess.of(folder, model).isEmpty()) {
            Thread.sleep(5);
        }
    }

    private Search find(String... options) {
        return KeptTokens.find(folder, model, config(), options(options));
    }

    private static GenerationRequest request(int maxTokens) {
        return new GenerationRequest(
                new int[] {5, 4, 3},
                maxTokens,
                new SamplingParams(0.7, 40, 0.9, 0.05, 1.1, 0.5, -0.25),
                -2L, // more than a signed long holds
                new Stops(List.of(2, 9), List.of("never sent")),
                true,
                17,
                false);
    }

    private static ChosenTokens begin(KeptTokens tokens, int maxTokens) {
        return tokens.begin(request(maxTokens), GenerationListener.NONE, () -> false);
    }

    @Test
    void givesTheTokensOfTheRequestThatWasMade() throws Exception {
        keep(LONG);
        source.steps.release(3);
        List<Integer> prefilled = new ArrayList<>();
        GenerationListener listener = new GenerationListener() {
            @Override
            public void prefilled(int tokens, int of) {
                prefilled.add(tokens);
            }
        };
        try (KeptTokens tokens = find().tokens().orElseThrow();
                ChosenTokens text = tokens.begin(request(3), listener, () -> false)) {
            assertThat(tokens.context()).isEqualTo(config().maxPositionEmbeddings());
            assertThat(tokens.kept().note().lines())
                    .containsExactly(
                            "device host; the model is kept loaded by process "
                                    + ProcessHandle.current().pid(),
                            "ignored: x");
            assertThat(text.reused()).isEqualTo(7);
            assertThat(text.next()).contains(new SampledToken(100, -1.0 / 3 - 1));
            assertThat(text.next()).contains(new SampledToken(101, -1.0 / 3 - 2));
            assertThat(text.next()).contains(new SampledToken(102, -1.0 / 3 - 3));
            assertThat(prefilled).containsExactly(0, 1, 2);
        }
        GenerationRequest asked = request(3);
        GenerationRequest got = source.requests.getFirst();
        assertThat(got.prompt()).isEqualTo(asked.prompt());
        assertThat(got)
                .isEqualTo(new GenerationRequest(
                        got.prompt(),
                        asked.maxTokens(),
                        asked.sampling(),
                        asked.seed(),
                        new Stops(asked.stops().tokens(), List.of()),
                        true,
                        asked.chunk(),
                        false));
    }

    @Test
    void makesOneTextAtATime() throws Exception {
        keep(LONG);
        try (KeptTokens tokens = find().tokens().orElseThrow();
                ChosenTokens _ = begin(tokens, 9)) {
            assertThatThrownBy(() -> begin(tokens, 9))
                    .isInstanceOf(KeptGoneException.class)
                    .hasMessage("it is busy with another text");
            assertThat(find().note()).contains("it is busy with another text");
        }
    }

    @Test
    void runsNoFurtherStepForWhoeverHasLeft() throws Exception {
        keep(LONG);
        try (KeptTokens tokens = find().tokens().orElseThrow()) {
            begin(tokens, 9).close();
            source.cancelledOnce.await();
            source.steps.release();
            while (KeptProcess.of(folder, model).orElseThrow().kept().busy()) {
                Thread.sleep(5);
            }
            assertThat(begin(tokens, 9).next()).isPresent();
        }
    }

    @Test
    void aUserCanStopATextThatSaysNothing() throws Exception {
        keep(LONG);
        try (KeptTokens tokens = find().tokens().orElseThrow();
                ChosenTokens text = tokens.begin(request(9), GenerationListener.NONE, new AfterThree())) {
            assertThat(text.next()).isEmpty();
        }
    }

    /** Cancels the fourth time that it is asked. */
    private static final class AfterThree implements BooleanSupplier {
        private int asked;

        @Override
        public boolean getAsBoolean() {
            return ++asked > 3;
        }
    }

    @Test
    void leavesWhenIdleAndNotWhileItIsUsed() throws Exception {
        keep(Duration.ofMillis(300));
        try (KeptTokens _ = find().tokens().orElseThrow()) {
            assertThat(thread.join(Duration.ofMillis(900))).isFalse();
        }
        assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
        assertThat(Files.exists(folder.socket(model))).isFalse();
        assertThat(find()).isEqualTo(Search.NONE);
    }

    @Test
    void endsWhenItIsTold() throws Exception {
        keep(LONG);
        KeptProcess.of(folder, model).orElseThrow().end();
        assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
        assertThat(KeptProcess.all(folder)).isEmpty();
    }

    @Test
    void aTextThatIsBeingMadeEndsWithIt() throws Exception {
        keep(LONG);
        try (KeptTokens tokens = find().tokens().orElseThrow();
                ChosenTokens text = begin(tokens, 9)) {
            source.steps.release();
            assertThat(text.next()).isPresent();
            keeper.end();
            assertThatThrownBy(text::next).isInstanceOf(KeptGoneException.class).hasMessage("it has ended");
            assertThatThrownBy(() -> begin(tokens, 9))
                    .isInstanceOf(KeptGoneException.class)
                    .hasMessage("it has ended");
        }
    }

    @Test
    void itEndsAlthoughSomebodyReadsNothing() throws Exception {
        keep(LONG);
        source.steps.release(Integer.MAX_VALUE / 2);
        KeptModel kept = KeptProcess.of(folder, model).orElseThrow().kept();
        try (SocketChannel silent = Wire.connect(folder.socket(model))) {
            DataOutputStream out = new DataOutputStream(Channels.newOutputStream(silent));
            Wire.ask(out, Wire.Question.GENERATE);
            Wire.write(out, kept.circumstances());
            Wire.write(out, request(Integer.MAX_VALUE));
            while (!KeptProcess.of(folder, model).orElseThrow().kept().busy()) {
                Thread.sleep(5);
            }
            keeper.end();
            assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
        }
    }

    @Test
    void servesOnlyRunsThatAskForTheSame() throws Exception {
        keep(LONG, "--kv", "f32", "--threads", "3");
        String has = "it has --kv f32 --threads 3";
        assertThat(find("--threads", "3").note()).contains(has);
        assertThat(find("--kv", "f32", "--threads", "2").note()).contains(has);
        assertThat(find("--kv", "f32", "--threads", "3", "--quant", "int4:32").note())
                .contains(has);
        assertThat(find("--kv", "f32", "--threads", "3", "--device", "opencl:0").note())
                .contains("it has --device auto");
        for (String device : List.of("auto", "host")) {
            try (KeptTokens tokens = find("--kv", "f32", "--threads", "3", "--device", device)
                    .tokens()
                    .orElseThrow()) {
                assertThat(tokens.kept().device()).isEqualTo("host");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"config.json", "model.safetensors"})
    void doesNotServeAModelWhoseFilesHaveChanged(String file) throws Exception {
        keep(LONG);
        try (KeptTokens tokens = find().tokens().orElseThrow()) {
            Files.setLastModifiedTime(model.resolve(file), FileTime.from(Instant.EPOCH));
            assertThat(find().note()).contains("its files have changed since");
            assertThat(begin(tokens, 1))
                    .as("what was found before still has its weights")
                    .isNotNull();
        }
    }

    @Test
    void aTokenizerMayChange() throws Exception {
        keep(LONG);
        Files.writeString(model.resolve("tokenizer.json"), "{}");
        assertThat(find().tokens().map(tokens -> {
                    tokens.close();
                    return true;
                }))
                .contains(true);
    }

    @Test
    void anotherKeptInItsPlaceIsNoticedWhenATextIsAskedFor() throws Exception {
        keep(LONG);
        try (KeptTokens tokens = find().tokens().orElseThrow()) {
            end();
            keep(LONG, "--kv", "f32");
            assertThatThrownBy(() -> begin(tokens, 9))
                    .isInstanceOf(KeptGoneException.class)
                    .hasMessage("another model is kept in its place");
        }
    }

    @Test
    void failuresOfTheRequestArriveAsTheyAre() throws Exception {
        keep(LONG);
        try (KeptTokens tokens = find().tokens().orElseThrow()) {
            source.steps.release(2);
            source.failure = new EngineException("the logit of token 3 is NaN");
            try (ChosenTokens text = begin(tokens, 9)) {
                assertThatThrownBy(text::next)
                        .isInstanceOf(EngineException.class)
                        .hasMessage("the logit of token 3 is NaN");
            }
            InvalidLogitsException invalid = new InvalidLogitsException(List.of("presence-penalty 1e300"), "no number");
            source.failure = invalid;
            try (ChosenTokens text = begin(tokens, 9)) {
                assertThatThrownBy(text::next).isInstanceOfSatisfying(InvalidLogitsException.class, e -> {
                    assertThat(e.problem()).isEqualTo(invalid.problem());
                    assertThat(e.parameters()).isEqualTo(invalid.parameters());
                });
            }
            assertThat(KeptProcess.of(folder, model)).as("goes on").isPresent();
        }
    }

    @Test
    void aProcessThatFailsEnds() throws Exception {
        keep(LONG);
        source.steps.release();
        source.error = new OutOfMemoryError("Java heap space");
        try (KeptTokens tokens = find().tokens().orElseThrow();
                ChosenTokens text = begin(tokens, 9)) {
            assertThatThrownBy(text::next)
                    .isInstanceOf(KeptGoneException.class)
                    .hasMessage("it failed: java.lang.OutOfMemoryError: Java heap space");
        }
        assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
    }

    @Test
    void whatIsNoneOfOursIsPassedOver() throws Exception {
        keep(LONG);
        for (byte[] bytes : List.of(
                "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8),
                new byte[] {0x54, 0x55, 0x54, 0x54, 2, 0, 0, 0, 3, 'U', 'S', 'E'}, // a later version
                new byte[] {0x54, 0x55, 0x54, 0x54, 1, 0, 0, 0, 1, 'X'},
                new byte[] {0x54, 0x55, 0x54, 0x54, 1, 0x7F, -1, -1, -1})) {
            try (SocketChannel channel = Wire.connect(folder.socket(model))) {
                channel.write(ByteBuffer.wrap(bytes));
                assertThat(closes(channel)).isTrue();
            }
        }
        assertThat(KeptProcess.of(folder, model)).isPresent();
    }

    private static boolean closes(SocketChannel channel) {
        try {
            return channel.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException _) {
            return true; // It has not read all that was sent.
        }
    }

    @Test
    void aModelHasOnePlace() throws Exception {
        keep(LONG);
        assertThat(KeptPlace.take(folder, model)).isEmpty();
        Path link = Files.createSymbolicLink(temp.resolve("link"), model);
        assertThat(KeptPlace.take(folder, link)).as("by whatever path").isEmpty();
    }

    @Test
    void aSocketThatADeadProcessLeftIsInNobodysWay() throws Exception {
        folder.make();
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(folder.socket(model)));
        }
        assertThat(folder.socket(model)).exists();
        assertThat(find()).isEqualTo(Search.NONE);
        assertThat(KeptProcess.all(folder)).isEmpty();

        keep(LONG);
        assertThat(KeptProcess.all(folder)).hasSize(1);
    }

    @Test
    void aProcessThatDoesNotAnswerIsGivenUp() throws Exception {
        folder.make();
        try (ServerSocketChannel stopped = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            stopped.bind(UnixDomainSocketAddress.of(folder.socket(model)));
            assertThat(find().note()).contains("it does not answer");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxr-x---", "rwx--x--x", "rwx-w----", "rwxrwxrwx"})
    void aFolderThatOthersCanGetAtIsRefused(String permissions) throws Exception {
        keep(LONG);
        Path kept = folder.socket(model).getParent();
        Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString(permissions));
        assertThat(find()).isEqualTo(new Search(Optional.empty(), Optional.of("others can get at " + kept)));
        assertThat(KeptProcess.all(folder)).isEmpty();
        assertThatThrownBy(folder::make)
                .isInstanceOf(RefusedException.class)
                .hasMessage(kept + ": others can get at it; accepted: a folder of yours with mode 0700");
        Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void aLinkToAFolderIsRefused() throws Exception {
        Path elsewhere = Files.createDirectory(
                temp.resolve("elsewhere"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createDirectories(temp.resolve("state"));
        Files.createSymbolicLink(temp.resolve("state").resolve("kept"), elsewhere);
        assertThat(folder.isOursAlone()).isFalse();
        assertThatThrownBy(folder::make).isInstanceOf(RefusedException.class);
    }

    @Test
    void theFolderIsMadeForItsOwnerAlone() throws Exception {
        folder.make();
        folder.make();
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(folder.socket(model).getParent())))
                .isEqualTo("rwx------");
        assertThat(folder.socket(model).getParent()).isEmptyDirectory();
    }

    @Test
    void aPathThatASocketCannotHaveIsRefused() throws Exception {
        KeptFolder deep = new KeptFolder(temp.resolve("x".repeat(120)).resolve("kept"));
        try (KeptPlace place = KeptPlace.take(deep, model).orElseThrow()) {
            assertThatThrownBy(place::open)
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("too long")
                    .hasMessageContaining("XDG_STATE_HOME");
        }
        assertThat(KeptTokens.find(deep, model, config(), options())).isEqualTo(Search.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"90s", "10m", "2h", "1s", "61m"})
    void timesAreReadAndSaidAlike(String text) {
        assertThat(Idle.text(Idle.parse(text))).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0s", "10", "-1m", "1.5h", "10 m", "1d", "9999999s"})
    void otherTimesAreRefused(String text) {
        assertThatThrownBy(() -> Idle.parse(text))
                .hasMessage("--idle is \"" + text
                        + "\"; accepted: seconds, minutes or hours as in 90s, 10m or 2h, at least 1s");
    }
}
