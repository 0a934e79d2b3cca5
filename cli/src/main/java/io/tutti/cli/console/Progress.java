package io.tutti.cli.console;

import java.io.PrintStream;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** How far a task has come, as a bar that goes when the task is done. */
public final class Progress implements AutoCloseable {

    private static final int WIDTH = 78;
    /** A task shorter than this shows nothing. */
    private static final Duration PATIENCE = Duration.ofMillis(300);

    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final long MEBIBYTE = 1 << 20;
    private static final DecimalFormat RATE = new DecimalFormat("0.0", DecimalFormatSymbols.getInstance(Locale.ROOT));
    private static final String CLEAR_LINE = "\r\033[K";

    /** What is counted. */
    enum Unit {
        STEPS,
        BYTES
    }

    private final String task;
    private final Unit unit;
    private final PrintStream terminal; // null: nobody watches
    private final long begin = System.nanoTime();
    private ProgressBar bar;

    Progress(String task, Unit unit, PrintStream terminal) {
        this.task = task;
        this.unit = unit;
        this.terminal = terminal;
    }

    /** Shows that {@code done} of {@code total} are done. */
    public void report(long done, long total) {
        if (terminal == null) {
            return;
        }
        if (bar == null && done < total && System.nanoTime() - begin > PATIENCE.toNanos()) {
            ProgressBarBuilder builder = new ProgressBarBuilder()
                    .setTaskName(task)
                    .setInitialMax(total)
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis((int) INTERVAL.toMillis())
                    .setConsumer(new DelegatingProgressBarConsumer(line -> terminal.print("\r" + line), WIDTH));
            if (unit == Unit.BYTES) {
                // What was there before this task says nothing about how long the rest takes.
                builder.setUnit(" MiB", MEBIBYTE).showSpeed(RATE).startsFrom(done, Duration.ZERO);
            }
            bar = builder.build();
        }
        if (bar != null) {
            bar.maxHint(total);
            bar.stepTo(done);
        }
    }

    /** Makes room for a line of something else, below which the bar comes again. */
    public void clearLine() {
        if (bar != null) {
            terminal.print(CLEAR_LINE);
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            bar = null;
            terminal.print(CLEAR_LINE);
            terminal.flush();
        }
    }
}
