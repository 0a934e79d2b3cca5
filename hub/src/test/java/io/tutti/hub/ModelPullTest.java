package io.tutti.hub;

import static io.tutti.hub.LoopbackHub.COMMIT;
import static io.tutti.hub.LoopbackHub.dropAfter;
import static io.tutti.hub.LoopbackHub.ignoringRanges;
import static io.tutti.hub.LoopbackHub.length;
import static io.tutti.hub.LoopbackHub.otherBytes;
import static io.tutti.hub.LoopbackHub.pattern;
import static io.tutti.hub.LoopbackHub.redirect;
import static io.tutti.hub.LoopbackHub.stallAfter;
import static io.tutti.hub.LoopbackHub.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Downloads from a hub that behaves, and from one that does not. */
class ModelPullTest extends WithHub {

    // What it writes

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a right there")
    void aModelIsLaidOutAsHuggingfaceHubDoesIt() throws IOException {
        PulledModel pulled = pulls.pull();

        assertThat(pulled.directory()).isEqualTo(pulls.snapshot());
        assertThat(pulled.commit()).isEqualTo(COMMIT);
        assertThat(pulled.files()).isEqualTo(6);
        assertThat(pulled.receivedBytes()).isEqualTo(pulled.bytes()).isGreaterThan(370_000);
        assertThat(pulls.repository().resolve("refs/main")).hasContent(COMMIT);
        assertThat(Files.readSymbolicLink(pulls.snapshot().resolve("model.safetensors")))
                .isEqualTo(Path.of(
                        "../../blobs", hub.files.get("model.safetensors").etag()));
        assertThat(Files.readSymbolicLink(pulls.snapshot().resolve("additional_chat_templates/tool use.jinja")))
                .isEqualTo(Path.of(
                        "../../../blobs",
                        hub.files
                                .get("additional_chat_templates/tool use.jinja")
                                .etag()));
        // Git's hash of nothing is known to everybody.
        assertThat(Files.readSymbolicLink(pulls.snapshot().resolve("chat_template.jinja")))
                .hasFileName("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        pulls.requireWholeModel();
        assertThat(pulls.requireNoHalfFile()).isEqualTo(6);
    }

    @Test
    void onlyWhatIsNeededIsAskedFor() {
        pulls.pull();

        assertThat(hub.requests)
                .extracting(LoopbackHub.Request::path)
                .noneMatch(path -> path.contains("README")
                        || path.contains(".bin")
                        || path.contains("gguf")
                        || path.contains("onnx"));
        assertThat(hub.requests).hasSize(1 + 5 + 1); // the list, the files that are not empty, a redirect
    }

    @Test
    void theTokenGoesToTheHubAndToNoOtherAddress() {
        hub.fail("config.json", redirect(hub.fileServerAddress() + "/config.json"));
        pulls.pull();

        assertThat(hub.requests)
                .filteredOn(request -> request.server().equals("hub"))
                .isNotEmpty()
                .allSatisfy(request ->
                        assertThat(request.headers()).containsEntry("authorization", "Bearer " + LoopbackHub.TOKEN));
        assertThat(hub.requests)
                .filteredOn(request -> request.server().equals("file server"))
                .hasSize(2)
                .allSatisfy(request -> assertThat(request.headers()).doesNotContainKey("authorization"));
    }

    @Test
    void shardsAreThoseThatTheIndexNames() {
        hub.files.remove("model.safetensors");
        hub.put("model-00001-of-00002.safetensors", pattern(1000, 1), true);
        hub.put("model-00002-of-00002.safetensors", pattern(2000, 2), true);
        hub.put("consolidated.safetensors", pattern(3000, 3), true);
        hub.put("model.safetensors.index.json", """
                {"metadata": {}, "weight_map": {"a": "model-00001-of-00002.safetensors",
                 "b": "model-00002-of-00002.safetensors", "c": "model-00001-of-00002.safetensors"}}""".getBytes(StandardCharsets.UTF_8), false);

        assertThat(pulls.pull().files()).isEqualTo(8);
        assertThat(pulls.snapshot().resolve("model-00002-of-00002.safetensors")).hasBinaryContent(pattern(2000, 2));
        assertThat(pulls.snapshot().resolve("consolidated.safetensors")).doesNotExist();
    }

    @Test
    void revisionsAreKeptUnderTheirNames() {
        ModelName tag = ModelName.parse("owner/name@refs/pr/7").orElseThrow();
        pulls.pull(tag, (_, _) -> {});

        assertThat(pulls.repository().resolve("refs/refs/pr/7")).hasContent(COMMIT);
        assertThat(hub.requests.getFirst().path()).endsWith("/revision/refs%2Fpr%2F7");
        assertThat(new HubCache(pulls.cache).find(tag)).isEqualTo(pulls.snapshot());

        ModelName commit = ModelName.parse("owner/name@" + COMMIT).orElseThrow();
        assertThat(pulls.pull(commit, (_, _) -> {}).receivedBytes()).isZero();
        assertThat(pulls.repository().resolve("refs").resolve(COMMIT)).doesNotExist();
    }

    @Test
    void aSecondPullDownloadsNothing() {
        pulls.pull();
        hub.requests.clear();

        assertThat(pulls.pull().receivedBytes()).isZero();
        assertThat(hub.requests).hasSize(1);
    }

    @Test
    void aBranchThatMovesLeavesTheOldCommitAndSharesItsFiles() {
        pulls.pull();
        byte[] before = hub.files.get("config.json").bytes();
        Path old = pulls.snapshot();
        hub.commit = "ab".repeat(20);
        hub.put("config.json", "{\"model_type\": \"qwen2\"}".getBytes(StandardCharsets.UTF_8), false);

        PulledModel moved = pulls.pull();
        assertThat(moved.receivedBytes()).isEqualTo(23);
        assertThat(pulls.repository().resolve("refs/main")).hasContent(hub.commit);
        assertThat(moved.directory().resolve("config.json"))
                .hasBinaryContent(hub.files.get("config.json").bytes());
        assertThat(old.resolve("config.json")).hasBinaryContent(before);
    }

    @Test
    void withoutSymbolicLinksTheFilesAreThereAllTheSame() throws IOException {
        pulls.variables.put("HF_HUB_DISABLE_SYMLINKS", "1");
        pulls.pull();

        pulls.requireWholeModel();
        for (Path file : Pulls.list(pulls.snapshot())) {
            assertThat(Files.isSymbolicLink(file)).isFalse();
        }
        assertThat(pulls.pull().receivedBytes()).isZero();
    }

    // A network that fails

    @Test
    void aDroppedConnectionIsTakenUpWhereItBroke() {
        hub.fail("model.safetensors", dropAfter(100_000), dropAfter(50_000));
        PulledModel pulled = pulls.pull();

        pulls.requireWholeModel();
        assertThat(pulled.receivedBytes()).isEqualTo(pulled.bytes());
        assertThat(hub.requestsFor("model.safetensors"))
                .filteredOn(request -> request.server().equals("file server"))
                .extracting(request -> request.headers().get("range"))
                .containsExactly(null, "bytes=100000-", "bytes=150000-");
        assertThat(pulls.pauses).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
    }

    @Test
    void anAnswerWhoseLengthIsNoNumberIsToldInOneLine() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answerEach(server, "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n"));
            pulls.variables.put("HF_ENDPOINT", "http://127.0.0.1:" + server.getLocalPort());
            assertThat(pulls.refusal()).contains("a header that cannot be read", "abc");
        }
    }

    private static void answerEach(ServerSocket server, String answer) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                socket.getInputStream().read(new byte[1 << 12]);
                socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            } catch (IOException _) {
                // The client or the test has ended.
            }
        }
    }

    @Test
    void aServerWithoutRangesSendsEverythingAgain() {
        hub.fail("model.safetensors", dropAfter(100_000), ignoringRanges());
        PulledModel pulled = pulls.pull();

        pulls.requireWholeModel();
        assertThat(pulled.receivedBytes()).isEqualTo(pulled.bytes() + 100_000);
    }

    @Test
    void aServerThatRefusesTheRangeIsAskedForEverything() {
        hub.fail("model.safetensors", dropAfter(100_000), status(416));
        pulls.pull();

        pulls.requireWholeModel();
    }

    @Test
    void anotherRangeThanTheOneAskedForIsRefused() {
        hub.fail("model.safetensors", dropAfter(100_000), (exchange, bytes) -> {
            exchange.getResponseHeaders().set("Content-Range", "bytes 5-9/" + bytes.length);
            exchange.sendResponseHeaders(206, 5);
            exchange.getResponseBody().write(bytes, 5, 5);
            exchange.close();
        });
        assertThat(pulls.refusal()).contains("model.safetensors", "from byte 100000", "bytes 5-9/300000");
    }

    @Test
    void aConnectionThatSaysNothingMoreIsGivenUpAndTakenUpAgain() {
        pulls.answer = Duration.ofMillis(200);
        CountDownLatch end = new CountDownLatch(1);
        hub.fail("model.safetensors", stallAfter(100_000, new CountDownLatch(1), end));
        pulls.pull();
        end.countDown();

        pulls.requireWholeModel();
    }

    @Test
    void aConnectionThatAlwaysBreaksIsGivenUpInOneLine() {
        hub.fail("model.safetensors", dropAfter(10), dropAfter(10), dropAfter(10), dropAfter(10));
        assertThat(pulls.refusal()).contains("model.safetensors: ", "broke", "4 times", "goes on where this one ended");
        assertThat(pulls.incomplete("model.safetensors")).hasSize(40);

        assertThat(pulls.pull().receivedBytes()).isLessThan(370_000);
        pulls.requireWholeModel();
    }

    @Test
    void aBusyHubIsAskedAgainAfterAsLongAsItSays() {
        String soon = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                ZonedDateTime.now(ZoneOffset.UTC).plusSeconds(100));
        hub.fail("", status(429, "Retry-After", "17"), status(503));
        hub.fail("model.safetensors", status(429, "Retry-After", soon), status(429, "RateLimit", "\"api\";r=0;t=55"));
        pulls.pull();

        pulls.requireWholeModel();
        assertThat(pulls.pauses).hasSize(4);
        assertThat(pulls.pauses.get(0)).isEqualTo(Duration.ofSeconds(17));
        assertThat(pulls.pauses.get(1)).isEqualTo(Duration.ofSeconds(2));
        assertThat(pulls.pauses.get(2)).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(101));
        assertThat(pulls.pauses.get(3)).isEqualTo(Duration.ofSeconds(55));
    }

    @Test
    void aHubThatWantsToBeLeftAloneForLongIsNotWaitedFor() {
        hub.fail("", status(429, "Retry-After", "3600"));
        assertThat(pulls.refusal()).contains(hub.endpoint(), "answers 429", "3600 seconds");
        assertThat(pulls.pauses).isEmpty();
    }

    @Test
    void aHubThatKeepsFailingIsGivenUp() {
        hub.fail("", status(500), status(502), status(503), status(504));
        assertThat(pulls.refusal()).contains(hub.endpoint(), "answers 504", "4 times");
        assertThat(hub.requests).hasSize(4);
    }

    @Test
    void noHubAtAllIsToldWithItsAddress() {
        hub.close();
        assertThat(pulls.refusal())
                .contains(hub.endpoint() + ": no connection; ", "check the network, HF_ENDPOINT", "a proxy");
        assertThat(pulls.pauses).containsExactly(Duration.ofSeconds(1));
        pulls.variables.put("HF_ENDPOINT", "http://no-such-host.invalid");
        assertThat(pulls.refusal())
                .contains("http://no-such-host.invalid", "host is not known; check the network, HF_ENDPOINT");
        assertThat(pulls.pauses).hasSize(1);
    }

    @Test
    void aHubThatIsOutOfReachIsNotWaitedForLong() {
        Duration waited = Duration.ZERO;
        for (int failures = 1; failures < Patience.USUAL.contacts(); failures++) {
            waited = waited.plus(Patience.USUAL.firstPause().multipliedBy(1L << (failures - 1)));
        }
        assertThat(waited).isLessThanOrEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void everyWaitIsToldWithItsReasonBeforeItBegins() {
        hub.fail("", status(429, "Retry-After", "17"), status(503));
        hub.fail("model.safetensors", dropAfter(100_000));
        List<String> told = new ArrayList<>();
        pulls.pull(Pulls.MODEL, new ModelPull.Progress() {
            @Override
            public void report(long done, long total) {}

            @Override
            public void waits(String why) {
                told.add(why);
            }
        });
        assertThat(told)
                .satisfiesExactly(
                        wait -> assertThat(wait)
                                .isEqualTo("owner/name at " + hub.endpoint()
                                        + ": the hub answers 429; trying again in 17 seconds, as asked"),
                        wait -> assertThat(wait).endsWith(": the hub answers 503; trying again"),
                        wait -> assertThat(wait)
                                .startsWith("model.safetensors: the connection broke: ")
                                .endsWith("; trying again"));
    }

    @ParameterizedTest
    @CsvSource({
        "401, '', does not accept the token",
        "403, GatedRepo, is gated; ask for access at",
        "403, '', denies access",
        "404, RepoNotFound, there is no",
        "404, RevisionNotFound, 'no revision \"main\"'",
        "418, '', answers 418"
    })
    void whatTheHubRefusesForGoodIsToldAtOnce(int status, String code, String says) {
        hub.fail("", status(status, "X-Error-Code", code));
        assertThat(pulls.refusal()).startsWith("owner/name: ").contains(says);
        assertThat(hub.requests).hasSize(1);
        assertThat(pulls.cache).doesNotExist();
    }

    @Test
    void withoutATokenARefusalSaysHowToGiveOne() {
        pulls.variables.remove("HF_TOKEN");
        hub.fail("", status(401));
        assertThat(pulls.refusal()).contains("not there, or is private or gated", "set HF_TOKEN");
        assertThat(hub.requests.getFirst().headers()).doesNotContainKey("authorization");
    }

    @Test
    void aGatedFileIsToldWhenItComesToIt() {
        hub.fail("config.json", status(403, "X-Error-Code", "GatedRepo"));
        assertThat(pulls.refusal()).contains("is gated");
    }

    @Test
    void redirectsLeadToAnotherPlaceOfTheHubAndNotInCircles() {
        hub.fail("config.json", redirect("/owner/name/resolve/" + COMMIT + "/config.json"));
        pulls.pull();
        pulls.requireWholeModel();

        hub.put("config.json", "{} ".getBytes(StandardCharsets.UTF_8), false);
        LoopbackHub.Fault self = redirect("/owner/name/resolve/" + COMMIT + "/config.json");
        hub.fail(
                "config.json",
                Arrays.stream(new LoopbackHub.Fault[11]).map(_ -> self).toArray(LoopbackHub.Fault[]::new));
        assertThat(pulls.refusal()).contains("config.json is redirected more than 10 times");
    }

    @ParameterizedTest
    @CsvSource({"file:///etc/passwd", "ftp://host/file", "http:", "http://host:70000/", "'not an address'", "''"})
    void redirectsOutOfTheWebAreRefused(String location) {
        hub.fail("config.json", redirect(location));
        assertThat(pulls.refusal()).contains("config.json is redirected to");
    }

    // Files that are not what the list says

    @Test
    void aWrongHashIsDeletedAndTold() {
        hub.fail("model.safetensors", otherBytes(0));
        assertThat(pulls.refusal()).contains("not what the hub's list of files says", "SHA-", "deleted");
        assertThat(pulls.blob("model.safetensors")).doesNotExist();
        assertThat(pulls.snapshot()).doesNotExist();

        pulls.pull();
        pulls.requireWholeModel();
    }

    @ParameterizedTest
    @CsvSource({"299999", "300001", "0"})
    void aWrongLengthIsRefusedBeforeAnythingIsWritten(int length) {
        hub.fail("model.safetensors", length(length));
        assertThat(pulls.refusal()).contains("model.safetensors has", "300,000 bytes");
        assertThat(pulls.incomplete("model.safetensors")).isEmptyFile();
    }

    @Test
    void moreBytesThanTheListSaysAreDeleted() {
        hub.fail("model.safetensors", otherBytes(1));
        assertThat(pulls.refusal()).contains("model.safetensors: more bytes come than the 300,000 bytes");
        assertThat(pulls.incomplete("model.safetensors")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"X-Repo-Commit, 0000", "X-Linked-Size, 12", "X-Linked-Etag, '\"beef\"'"})
    void aFileThatTheHubItselfCallsAnotherIsRefused(String header, String value) {
        hub.fail("config.json", status(302, header, value, "Location", hub.fileServerAddress() + "/config.json"));
        assertThat(pulls.refusal()).contains("config.json comes with " + header);
    }

    @Test
    void aFileThatWasSpoiledBetweenTwoRunsIsDownloadedAnew() throws IOException {
        Files.createDirectories(pulls.repository().resolve("blobs"));
        Files.write(pulls.incomplete("model.safetensors"), new byte[200_000]);
        Files.write(pulls.incomplete("tokenizer.json"), new byte[70_001]); // longer than it can be
        pulls.pull();

        pulls.requireWholeModel();
        assertThat(pulls.incomplete("model.safetensors")).doesNotExist();
    }

    @Test
    void aFileThatIsWholeButForItsNameIsNotDownloadedAgain() throws IOException {
        Files.createDirectories(pulls.repository().resolve("blobs"));
        Files.write(
                pulls.incomplete("model.safetensors"),
                hub.files.get("model.safetensors").bytes());
        pulls.pull();

        pulls.requireWholeModel();
        assertThat(hub.requestsFor("model.safetensors")).isEmpty();
    }

    @Test
    void aBlobThatIsCutShortIsReplaced() throws IOException {
        Files.createDirectories(pulls.repository().resolve("blobs"));
        Files.write(pulls.blob("model.safetensors"), new byte[5]);
        pulls.pull();
        pulls.requireWholeModel();
    }

    @Test
    void repositoriesWithoutAModelThatCouldBeReadAreRefusedWithWhatTheyHold() {
        hub.files.remove("model.safetensors");
        assertThat(pulls.refusal()).contains("name: has no model.safetensors", "GGUF", "needed is");
        hub.files.remove("model.gguf");
        assertThat(pulls.refusal()).contains("PyTorch weights");
        hub.put("adapter_model.safetensors", new byte[1], true);
        assertThat(pulls.refusal()).contains("adapter");
        hub.put("model.safetensors", new byte[1], true);
        hub.files.remove("config.json");
        assertThat(pulls.refusal()).contains("has no config.json");
        assertThat(hub.requests).hasSize(4);
    }

    // A disk that is full

    @Test
    void aModelThatDoesNotFitIsRefusedBeforeItIsDownloaded() {
        pulls.disk = disk(100_000, Long.MAX_VALUE);
        assertThat(pulls.refusal()).contains("37", "bytes are missing", "100,000 bytes free", "HF_HUB_CACHE");
        assertThat(hub.requestsFor("model.safetensors")).isEmpty();
    }

    @Test
    void aCacheThatCannotBeWrittenIsNamedWithItsVariable() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        for (Path cache : List.of(file, file.resolve("hub"))) {
            pulls.variables.put("HF_HUB_CACHE", cache.toString());
            assertThat(pulls.refusal())
                    .startsWith(cache + ": ")
                    .contains("accepted: HF_HUB_CACHE or HF_HOME naming one");
        }
    }

    @Test
    void aDiskThatFillsUpIsToldAndTheNextRunGoesOn() {
        pulls.disk = disk(1 << 30, 250_000);
        assertThat(pulls.refusal()).contains("the disk is full", "make room");
        assertThat(pulls.snapshot()).doesNotExist();
        assertThat(pulls.repository().resolve("refs")).doesNotExist();

        pulls.disk = Disk.SYSTEM;
        assertThat(pulls.pull().receivedBytes()).isLessThan(250_000);
        pulls.requireWholeModel();
    }

    /** A disk with {@code free} bytes by its own account, which takes {@code room}. */
    private static Disk disk(long free, long room) {
        AtomicLong written = new AtomicLong();
        return new Disk() {
            @Override
            public long freeBytes(Path directory) {
                return written.get() > room ? 0 : free;
            }

            @Override
            public void write(FileChannel file, ByteBuffer bytes, long position) throws IOException {
                if (written.addAndGet(bytes.remaining()) > room) {
                    // Some of it still went, as on a real one.
                    Disk.SYSTEM.write(file, bytes.limit(bytes.position() + bytes.remaining() / 2), position);
                    throw new IOException("auf dem Gerät ist kein Speicherplatz mehr verfügbar");
                }
                Disk.SYSTEM.write(file, bytes, position);
            }

            @Override
            public boolean lock(FileChannel file) throws IOException {
                return Disk.SYSTEM.lock(file);
            }
        };
    }

    // Others in the same cache

    @Test
    void twoPullsAtOnceDownloadEachFileOnce() throws Exception {
        Callable<PulledModel> pull = () -> new Pulls(hub, pulls.cache).pull();
        try (ExecutorService both = Executors.newFixedThreadPool(2)) {
            List<Future<PulledModel>> models = both.invokeAll(List.of(pull, pull));
            long received = 0;
            for (Future<PulledModel> model : models) {
                assertThat(model.get().directory()).isEqualTo(pulls.snapshot());
                received += model.get().receivedBytes();
            }
            assertThat(received).isEqualTo(models.getFirst().get().bytes());
        }
        pulls.requireWholeModel();
        assertThat(pulls.requireNoHalfFile()).isEqualTo(6);
    }

    @ParameterizedTest
    @CsvSource({
        "blobs",
        "snapshots",
        "refs",
        "snapshots/" + COMMIT,
        "snapshots/" + COMMIT + "/additional_chat_templates"
    })
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a right there")
    void aLinkThatLeadsOutOfTheCacheIsNotFollowed(String directory) throws IOException {
        Path outside = Files.createDirectory(folder.resolve("outside"));
        Path link = pulls.repository().resolve(directory);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, outside);

        assertThat(pulls.refusal()).contains(link.toString(), "symbolic link");
        assertThat(outside).isEmptyDirectory();
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a right there")
    void aLinkInPlaceOfAnIncompleteFileIsNotWrittenThrough() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "mine");
        Files.createDirectories(pulls.repository().resolve("blobs"));
        Files.createSymbolicLink(pulls.incomplete("model.safetensors"), victim);

        assertThat(pulls.refusal()).contains(".tutti.incomplete");
        assertThat(victim).hasContent("mine");
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a right there")
    void theCacheItselfMayLieBehindALink() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Files.createSymbolicLink(pulls.cache, elsewhere);
        pulls.pull();
        pulls.requireWholeModel();
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a right there")
    void aLinkInTheSnapshotIsReplacedAndNotWrittenThrough() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "mine");
        Files.createDirectories(pulls.snapshot());
        Files.createSymbolicLink(pulls.snapshot().resolve("config.json"), victim);
        pulls.pull();

        pulls.requireWholeModel();
        assertThat(victim).hasContent("mine");
        assertThat(Files.exists(pulls.snapshot().resolve("config.json"), LinkOption.NOFOLLOW_LINKS))
                .isTrue();
    }

    // The caller

    @Test
    void progressGoesUpToAllOfIt() {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch reached = new CountDownLatch(1);
        hub.fail("model.safetensors", stallAfter(100_000, reached, end));
        AtomicLong most = new AtomicLong();
        AtomicLong of = new AtomicLong();
        Thread caller = Thread.currentThread();
        PulledModel pulled = pulls.pull(Pulls.MODEL, (done, total) -> {
            assertThat(Thread.currentThread()).isSameAs(caller);
            most.accumulateAndGet(done, Math::max);
            of.set(total);
            if (done >= 100_000) {
                end.countDown();
            }
        });
        assertThat(of.get()).isEqualTo(pulled.bytes());
        assertThat(most.get()).isBetween(100_000L, pulled.bytes());
    }

    @Test
    void anInterruptedPullLeavesWhatItHasForTheNext() {
        CountDownLatch end = new CountDownLatch(1);
        hub.fail("model.safetensors", stallAfter(100_000, new CountDownLatch(1), end));
        assertThatThrownBy(() -> pulls.pull(Pulls.MODEL, (_, _) -> {
                    if (pulls.incomplete("model.safetensors").toFile().length() == 100_000) {
                        throw new CancellationException();
                    }
                }))
                .isInstanceOf(CancellationException.class);
        end.countDown();
        assertThat(pulls.snapshot()).doesNotExist();

        hub.requests.clear();
        pulls.pull();
        pulls.requireWholeModel();
        assertThat(hub.requestsFor("model.safetensors"))
                .allSatisfy(request -> assertThat(request.headers()).containsEntry("range", "bytes=100000-"));
    }

    @Test
    void offlineNothingIsAskedFor() {
        pulls.variables.put("HF_HUB_OFFLINE", "1");
        assertThat(pulls.refusal()).contains("HF_HUB_OFFLINE");
        assertThat(hub.requests).isEmpty();
    }

    // A model that is here already, and a hub that is not

    private void requireTakenAsItIs(String why) {
        PulledModel pulled = pulls.pull();
        assertThat(pulled.directory()).isEqualTo(pulls.snapshot());
        assertThat(pulled.commit()).isEqualTo(COMMIT);
        assertThat(pulled.files()).isEqualTo(6);
        assertThat(pulled.bytes()).isGreaterThan(370_000);
        assertThat(pulled.receivedBytes()).isZero();
        assertThat(pulled.unasked()).get().asString().startsWith("owner/name").contains(why);
    }

    @Test
    void whatIsAllThereIsTakenAsItIsWhenTheHubIsNotAsked() {
        assertThat(pulls.pull().unasked()).isEmpty();
        hub.requests.clear();
        pulls.variables.put("HF_HUB_OFFLINE", "1");
        requireTakenAsItIs("HF_HUB_OFFLINE is set");
        assertThat(hub.requests).isEmpty();
        pulls.variables.remove("HF_HUB_OFFLINE");

        hub.fail("", status(500), status(502), status(503), status(504));
        requireTakenAsItIs("answers 504");
        hub.fail("", status(429, "Retry-After", "3600"));
        requireTakenAsItIs("answers 429");
        hub.close();
        requireTakenAsItIs("no connection");
        pulls.variables.put("HF_ENDPOINT", "http://no-such-host.invalid");
        requireTakenAsItIs("host is not known");
    }

    @Test
    void whatIsNotAllThereIsNotEnoughWhenTheHubIsNotAsked() throws IOException {
        pulls.pull();
        Files.delete(pulls.blob("tokenizer.json"));
        pulls.variables.put("HF_HUB_OFFLINE", "1");
        assertThat(pulls.refusal()).contains("HF_HUB_OFFLINE");
    }

    @Test
    void whatTheHubRefusesIsRefusedEvenIfItIsHere() {
        pulls.pull();
        hub.fail("", status(404, "X-Error-Code", "RepoNotFound"));
        assertThat(pulls.refusal()).contains("there is no ");
    }

    @Test
    void aPullOfWhatIsThereWritesNothing() throws IOException {
        pulls.pull();
        // As in a cache that was copied to a place where nothing can be written: there are no locks.
        Path locks = pulls.cache.resolve(".locks");
        for (String file : Pulls.tree(locks)) {
            Files.delete(locks.resolve(file));
        }
        Files.delete(locks.resolve("models--owner--name"));
        Files.delete(locks);
        Files.writeString(locks, "in the way of a folder");
        assertThat(pulls.pull().receivedBytes()).isZero();
    }

    // A file system without locks

    private static Disk withoutLocks() {
        return new Disk() {
            @Override
            public long freeBytes(Path directory) throws IOException {
                return Disk.SYSTEM.freeBytes(directory);
            }

            @Override
            public void write(FileChannel file, ByteBuffer bytes, long position) throws IOException {
                Disk.SYSTEM.write(file, bytes, position);
            }

            @Override
            public boolean lock(FileChannel file) throws IOException {
                throw new IOException("No locks available");
            }
        };
    }

    @Test
    void withoutLocksAPullGoesOnWithANote() throws IOException {
        pulls.disk = withoutLocks();
        List<String> told = new ArrayList<>();
        pulls.pull(Pulls.MODEL, new ModelPull.Progress() {
            @Override
            public void report(long done, long total) {}

            @Override
            public void waits(String why) {
                told.add(why);
            }
        });
        pulls.requireWholeModel();
        assertThat(told)
                .singleElement()
                .asString()
                .contains("No locks available; without locks, two pulls at once download a file twice");
        assertThat(Pulls.list(pulls.repository().resolve("blobs"))).hasSize(6);
    }

    @Test
    void withoutLocksTheNextPullGoesOnWhereOneEnded() throws IOException {
        pulls.disk = withoutLocks();
        hub.fail("model.safetensors", dropAfter(100_000), status(403), status(403), status(403));
        hub.fail("model.safetensors", status(403));
        assertThat(pulls.refusal()).contains("model.safetensors");
        assertThat(pulls.incomplete("model.safetensors")).hasSize(100_000);

        hub.requests.clear();
        pulls.pull();
        pulls.requireWholeModel();
        assertThat(hub.requestsFor("model.safetensors"))
                .allSatisfy(request -> assertThat(request.headers()).containsEntry("range", "bytes=100000-"));
        assertThat(pulls.requireNoHalfFile()).isEqualTo(6);
    }

    @Test
    void withoutLocksTwoPullsAtOnceNeverWriteTheSameFile() throws Exception {
        CountDownLatch half = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        hub.fail("model.safetensors", stallAfter(100_000, half, end));
        pulls.disk = withoutLocks();
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            Future<PulledModel> first = other.submit(() -> pulls.pull());
            half.await();
            // Nothing holds off another process: each has a file of its own.
            try {
                List<Path> growing = Pulls.list(pulls.repository().resolve("blobs")).stream()
                        .filter(path -> path.toString()
                                .contains(hub.files.get("model.safetensors").etag()))
                        .toList();
                assertThat(growing)
                        .singleElement()
                        .isNotEqualTo(pulls.incomplete("model.safetensors"))
                        .asString()
                        .endsWith(".tutti.incomplete");
            } finally {
                end.countDown();
            }
            first.get();
        }
        pulls.requireWholeModel();
    }
}
