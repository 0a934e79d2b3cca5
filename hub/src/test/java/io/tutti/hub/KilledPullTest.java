package io.tutti.hub;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A process of its own that downloads, killed at any moment: the next one ends with the same bytes. */
class KilledPullTest extends WithHub {

    private static final int PATIENCE_SECONDS = 60;

    /** Pulls {@code args[0]} as its environment says. */
    public static final class Puller {
        private Puller() {}

        public static void main(String[] args) {
            System.out.println("begins");
            HubEnvironment environment = HubEnvironment.ofProcess();
            ModelName model = ModelName.parse(args[0]).orElseThrow();
            System.out.println(ModelPull.run(model, environment, (_, _) -> {}).directory());
        }
    }

    private Process start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Puller.class.getName(),
                "owner/name");
        builder.environment().putAll(pulls.variables);
        return builder.redirectErrorStream(true).start();
    }

    private static void kill(Process process) throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    private void requireEndsWell(Process process) throws IOException, InterruptedException {
        List<String> said = process.inputReader().lines().toList();
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(said).containsExactly("begins", pulls.snapshot().toString());
        assertThat(process.exitValue()).isZero();
        pulls.requireWholeModel();
        assertThat(pulls.requireNoHalfFile()).isEqualTo(6);
        assertThat(Pulls.tree(pulls.repository())).noneMatch(name -> name.endsWith(".incomplete"));
    }

    @Test
    void aPullKilledInTheMiddleOfAFileGoesOnThere() throws Exception {
        Random random = new Random(7);
        int served = 0;
        for (int round = 0; round < 4; round++) {
            int more = 1 + random.nextInt(60_000);
            CountDownLatch reached = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            hub.fail("model.safetensors", LoopbackHub.stallAfter(more, reached, end));
            Process process = start();
            assertThat(reached.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            kill(process);
            end.countDown();

            served += more;
            assertThat(pulls.requireNoHalfFile()).isLessThan(6);
            assertThat(pulls.snapshot()).doesNotExist();
            // What the server sent may not all have been written.
            assertThat(Files.size(pulls.incomplete("model.safetensors"))).isLessThanOrEqualTo(served);
            served = (int) Files.size(pulls.incomplete("model.safetensors"));
        }
        requireEndsWell(start());
    }

    @Test
    void aPullKilledAtAnyMomentLeavesNothingHalf() throws Exception {
        Random random = new Random(8);
        for (int round = 0; round < 8; round++) {
            Process process = start();
            assertThat(process.inputReader().readLine()).isEqualTo("begins");
            TimeUnit.MILLISECONDS.sleep(random.nextInt(400));
            kill(process);
            pulls.requireNoHalfFile();
        }
        requireEndsWell(start());
    }

    @Test
    void twoProcessesAtOnceDownloadEachFileOnce() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        hub.fail("model.safetensors", LoopbackHub.stallAfter(100_000, reached, end));
        Process first = start();
        assertThat(reached.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        Process second = start();
        while (hub.requests.stream()
                        .filter(request -> request.path().contains("/api/"))
                        .count()
                < 2) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        end.countDown(); // The first one's connection breaks; it goes on, and the second waits for it.
        requireEndsWell(first);
        requireEndsWell(second);
        assertThat(hub.requestsFor("tokenizer.json")).hasSize(1);
        assertThat(hub.requests)
                .filteredOn(request -> request.server().equals("file server"))
                .extracting(request -> request.headers().getOrDefault("range", "all"))
                .containsExactly("all", "bytes=100000-");
    }

    @Test
    void aPullThatWaitsForAKilledOneTakesItsPlace() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        hub.fail("model.safetensors", LoopbackHub.stallAfter(100_000, reached, end));
        Process first = start();
        assertThat(reached.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        Process second = start();
        assertThat(second.inputReader().readLine()).isEqualTo("begins");
        kill(first);
        end.countDown();

        assertThat(second.inputReader().readLine()).isEqualTo(pulls.snapshot().toString());
        assertThat(second.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        pulls.requireWholeModel();
    }
}
