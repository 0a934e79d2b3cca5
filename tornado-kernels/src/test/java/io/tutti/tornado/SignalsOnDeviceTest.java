package io.tutti.tornado;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.runner.EngineConfig;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * The JVM stops threads that run compiled code by a signal, SIGSEGV. LLVM, which compiles PoCL's kernels, puts a handler of
 * its own in place of the JVM's and takes the signal for the end: it deletes the files that it is writing, and until it has
 * put the JVM's handler back, the same signal in another thread ends the process. The JDK's libjsig, preloaded, keeps the
 * JVM's handler in front.
 */
class SignalsOnDeviceTest {

    private static final int TURNS = 50_000_000;

    private volatile boolean loaded;

    @Test
    void aModelIsLoadedWhileTheJvmStopsItsThreads() throws InterruptedException {
        AtomicLong sum = new AtomicLong();
        Thread worker = Thread.ofPlatform().start(() -> {
            while (!loaded) {
                sum.set(turns(sum.get() + 1));
            }
        });
        Thread stopper = Thread.ofPlatform().start(() -> {
            while (!loaded) {
                worker.getStackTrace();
            }
        });
        try {
            assertThatCode(() -> OnDevice.load(new Model("tiny-llama").dir(), EngineConfig.defaults())
                            .close())
                    .doesNotThrowAnyException();
        } finally {
            loaded = true;
            worker.join();
            stopper.join();
        }
    }

    /** A loop of some 0.1 seconds whose end the compiler does not know: it asks in every turn whether it is to stop. */
    private static long turns(long seed) {
        long x = seed;
        for (long i = 0; i < TURNS; i += (x & 1) + 1) {
            x = x * 6_364_136_223_846_793_005L + i;
        }
        return x;
    }
}
