package io.tutti.modelio;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/** What reading a file of a stranger's may cost. */
public final class ReadingBudget {
    private static final long HEAP_BYTES_PER_BYTE = 64;
    private static final long HEAP_BYTES = 8 << 20;
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private ReadingBudget() {}

    /** Runs {@code read}, which may refuse by {@link ModelException} only, on {@code bytesRead} bytes of files. */
    public static void assertKept(long bytesRead, Runnable read) {
        long mapped = mappedBytes();
        long start = System.nanoTime();
        long allocated = THREADS.getCurrentThreadAllocatedBytes();
        try {
            read.run();
        } catch (ModelException refused) {
            assertThat(refused.getMessage()).doesNotContain("\n").hasSizeLessThan(1000);
        }
        allocated = THREADS.getCurrentThreadAllocatedBytes() - allocated;
        assertThat(allocated).isLessThanOrEqualTo(HEAP_BYTES_PER_BYTE * bytesRead + HEAP_BYTES);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LONGEST);
        assertThat(mappedBytes()).isEqualTo(mapped);
    }

    /** Bytes of files that this process has mapped. */
    static long mappedBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().startsWith("mapped"))
                .mapToLong(BufferPoolMXBean::getTotalCapacity)
                .sum();
    }
}
