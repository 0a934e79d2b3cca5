package io.tutti.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressTest {

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Progress progress(boolean terminal) {
        return new Console(
                        InputStream.nullInputStream(), OutputStream.nullOutputStream(), err, terminal, new Interrupts())
                .progress("Loading");
    }

    @Test
    void aTerminalSeesABarThatGoesWhenTheTaskIsDone() throws InterruptedException {
        try (Progress progress = progress(true)) {
            TimeUnit.MILLISECONDS.sleep(400);
            progress.report(1, 4);
            TimeUnit.MILLISECONDS.sleep(300);
            progress.report(3, 4);
        }
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("Loading", "/4")
                .endsWith("\r\033[K")
                .doesNotContain("\n");
    }

    @Test
    void aShortTaskShowsNothing() {
        try (Progress progress = progress(true)) {
            progress.report(1, 2);
            progress.report(2, 2);
        }
        assertThat(err.size()).isZero();
    }

    @Test
    void whatIsNoTerminalSeesNothing() throws InterruptedException {
        try (Progress progress = progress(false)) {
            TimeUnit.MILLISECONDS.sleep(400);
            progress.report(1, 4);
        }
        assertThat(err.size()).isZero();
    }

    @Test
    void bytesHaveARateAndMayBecomeMore() throws InterruptedException {
        Console console = new Console(
                InputStream.nullInputStream(), OutputStream.nullOutputStream(), err, true, new Interrupts());
        try (Progress progress = console.byteProgress("Downloading")) {
            TimeUnit.MILLISECONDS.sleep(400);
            progress.report(1 << 20, 2 << 20);
            TimeUnit.MILLISECONDS.sleep(300);
            progress.report(3 << 20, 8 << 20);
            TimeUnit.MILLISECONDS.sleep(300);
        }
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("Downloading", "1/2 MiB", "3/8 MiB", " MiB/s");
    }
}
