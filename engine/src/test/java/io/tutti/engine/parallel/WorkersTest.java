package io.tutti.engine.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class WorkersTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void everyIndexRunsOnceInEveryRun(int threads) {
        try (Workers workers = new Workers(threads)) {
            for (int count : new int[] {0, 1, 2, 3, 100}) {
                for (int run = 0; run < 300; run++) {
                    AtomicIntegerArray runs = new AtomicIntegerArray(count);
                    workers.forEach(count, (i, worker) -> {
                        assertThat(worker).isBetween(0, threads - 1);
                        runs.incrementAndGet(i);
                    });
                    for (int i = 0; i < count; i++) {
                        assertThat(runs.get(i)).isEqualTo(1);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void everyIndexIsInOneRange(int threads) {
        try (Workers workers = new Workers(threads)) {
            for (int count : new int[] {0, 1, 2, 3, 100, 1000}) {
                AtomicIntegerArray runs = new AtomicIntegerArray(count);
                workers.forEachRange(count, 8, (from, to, worker) -> {
                    assertThat(to - from).isBetween(1, 8);
                    for (int i = from; i < to; i++) {
                        runs.incrementAndGet(i);
                    }
                });
                for (int i = 0; i < count; i++) {
                    assertThat(runs.get(i)).isEqualTo(1);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void aFailureReachesTheCallerAndTheTeamGoesOn(int threads) {
        try (Workers workers = new Workers(threads)) {
            for (int run = 0; run < 50; run++) {
                assertThatThrownBy(() -> workers.forEach(20, (i, worker) -> {
                            if (i == 13) {
                                throw new IllegalStateException("13");
                            }
                        }))
                        .hasMessage("13");
            }
            int[] sum = new int[1];
            workers.forEach(1, (i, worker) -> sum[0] = 42);
            assertThat(sum[0]).isEqualTo(42);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 7})
    void parkedWorkersWake(int threads) throws InterruptedException {
        try (Workers workers = new Workers(threads)) {
            for (int run = 0; run < 3; run++) {
                Thread.sleep(100); // longer than they spin
                AtomicIntegerArray runs = new AtomicIntegerArray(50);
                workers.forEach(50, (i, worker) -> runs.incrementAndGet(i));
                for (int i = 0; i < 50; i++) {
                    assertThat(runs.get(i)).isEqualTo(1);
                }
            }
        }
    }
}
