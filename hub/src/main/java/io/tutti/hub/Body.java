package io.tutti.hub;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The bytes of an answer. One that stops without an end is closed after a while, which its reader sees as an error. */
final class Body implements AutoCloseable {
    private static final ScheduledExecutorService WATCH = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("stalled downloads").daemon().unstarted(task));

    private final InputStream in;
    private final long from;
    private final OptionalLong size;
    private final Duration patience;
    private final ScheduledFuture<?> watch;
    private volatile long lastRead = System.nanoTime();
    private volatile boolean stalled;

    /**
     * @param from where in the file they begin
     * @param size the whole file's, if the server said it
     * @param patience how long to wait for more
     */
    Body(InputStream in, long from, OptionalLong size, Duration patience) {
        this.in = in;
        this.from = from;
        this.size = size;
        this.patience = patience;
        long interval = Math.max(1, patience.toMillis() / 4);
        watch = WATCH.scheduleAtFixedRate(this::closeIfStalled, interval, interval, TimeUnit.MILLISECONDS);
    }

    long from() {
        return from;
    }

    OptionalLong size() {
        return size;
    }

    /** Reads some bytes: at least one, or -1 at the end. */
    int read(byte[] bytes) throws IOException {
        try {
            int count = in.read(bytes);
            if (!stalled) {
                lastRead = System.nanoTime();
                return count;
            }
        } catch (IOException e) {
            if (!stalled) {
                throw e;
            }
        }
        throw new IOException("nothing came for " + patience.toSeconds() + " seconds");
    }

    /** Everything, up to {@code most} bytes and one more. */
    byte[] readAll(int most) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] buffer = new byte[1 << 16];
        int count;
        while (all.size() <= most && (count = read(buffer)) >= 0) {
            all.write(buffer, 0, Math.min(count, most + 1 - all.size()));
        }
        return all.toByteArray();
    }

    private void closeIfStalled() {
        if (System.nanoTime() - lastRead > patience.toNanos()) {
            stalled = true;
            close();
        }
    }

    @Override
    public void close() {
        watch.cancel(false);
        try {
            in.close();
        } catch (IOException _) {
            // Nobody reads it any more.
        }
    }
}
