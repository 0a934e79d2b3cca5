package io.tutti.tornado;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What this process holds when it has nothing to do. Resident memory as it is tells of other things first: how much of the
 * heap was ever in use, what the JVM's compilers work with, what {@code malloc} keeps for later, and which files' pages the
 * system has taken back. All of them level off, but late, and a leak first fills what they leave.
 *
 * @param residentBytes of memory without a file behind it, after {@code malloc} has given back what it can
 * @param objectBytes of reachable objects; the resident heap may have had room for them all along
 */
record SettledMemory(long residentBytes, long objectBytes) {

    /** The JVM gives back what its compilers no longer need once in five seconds. */
    private static final int LOOKS = 12;

    private static final long LOOK_MILLIS = 1_000;

    private static final int MEBIBYTE = 1 << 20;

    /** The least of what a number of looks have seen. */
    static SettledMemory measure() throws IOException, InterruptedException, JMException {
        long resident = Long.MAX_VALUE;
        long objects = Long.MAX_VALUE;
        for (int i = 0; i < LOOKS; i++) {
            Thread.sleep(LOOK_MILLIS);
            System.gc();
            trimNativeHeap();
            resident = Math.min(resident, readResident());
            objects = Math.min(
                    objects,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return new SettledMemory(resident, objects);
    }

    /** Makes all pages for young objects resident, as they are sooner or later. */
    static void touchYoungObjects() {
        long before = collections();
        byte[][] garbage = new byte[1][];
        while (collections() == before) {
            garbage[0] = new byte[MEBIBYTE];
        }
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    /** {@code jcmd PID System.trim_native_heap}. */
    private static void trimNativeHeap() throws JMException {
        ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "systemTrimNativeHeap",
                        new Object[0],
                        new String[0]);
    }

    private static long readResident() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            String line =
                    lines.filter(l -> l.startsWith("RssAnon:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
        }
    }
}
