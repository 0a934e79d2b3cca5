package io.tutti.cli.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A report for people: a table, what each device was doing, and what limits it. */
public final class BenchText {

    private static final double GIGA = 1e9;
    private static final double MEGA = 1e6;
    private static final String GAP = "  ";
    /** Above this share of a limit, that is what there is to know. */
    private static final double NEAR = 0.5;

    private BenchText() {}

    /** The report's lines. */
    public static List<String> lines(BenchReport report) {
        List<String> lines = new ArrayList<>();
        lines.add(heading(report));
        lines.add("");
        lines.addAll(table(report));
        lines.add("");
        report.results().forEach(result -> lines.add(result.device() + ": " + start(result)));
        BenchResult first = report.results().getFirst();
        lines.add("%s: %s read %s, and do %s"
                .formatted(
                        "processor",
                        report.threads() == 1 ? "1 thread" : report.threads() + " threads",
                        range(first.read(), GIGA, "GB/s"),
                        range(first.fma(), GIGA, "GFLOP/s")));
        lines.add("");
        report.results().forEach(result -> lines.addAll(verdict(result)));
        return lines;
    }

    static String heading(BenchReport report) {
        Workload work = report.work();
        return "%s: %s, %s cache%s, %s, medians of %d round%s%s"
                .formatted(
                        report.model(),
                        report.dtype(),
                        report.kv(),
                        work.batch() == 1 ? "" : ", " + work.batch() + " sequences decoding together",
                        report.threads() == 1 ? "1 thread" : report.threads() + " threads",
                        report.repeats(),
                        report.repeats() == 1 ? "" : "s",
                        report.commit().map(commit -> ", commit " + commit).orElse(""));
    }

    /** A device's rates in one line. */
    static String rates(BenchResult result) {
        StringBuilder line = new StringBuilder("%s: prefill of %d at %s"
                .formatted(result.device(), result.work().prefill(), range(result.prefillTokens(), 1, "tokens/s")));
        for (int context : result.work().contexts()) {
            line.append(
                    "; decode after %d at %s".formatted(context, range(result.decodeTokens(context), 1, "tokens/s")));
        }
        return line.toString();
    }

    private static List<String> table(BenchReport report) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("", "", "tokens/s", "min to max", "GFLOP/s", "of peak", "GB/s", "of read"));
        for (BenchResult result : report.results()) {
            rows.add(prefill(result));
            result.work().contexts().forEach(context -> rows.add(decode(result, context)));
        }
        int[] widths = new int[rows.getFirst().size()];
        rows.forEach(row -> {
            for (int c = 0; c < widths.length; c++) {
                widths[c] = Math.max(widths[c], row.get(c).length());
            }
        });
        return rows.stream().map(row -> aligned(row, widths)).toList();
    }

    /** Names to the left, figures to the right. */
    private static String aligned(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int c = 0; c < widths.length; c++) {
            String blanks = " ".repeat(widths[c] - row.get(c).length());
            line.append(c == 0 ? "" : GAP).append(c < 2 ? row.get(c) + blanks : blanks + row.get(c));
        }
        return line.toString().stripTrailing();
    }

    private static List<String> prefill(BenchResult result) {
        Spread tokens = result.prefillTokens();
        return List.of(
                result.device(),
                "prefill of " + result.work().prefill(),
                number(tokens.median()),
                number(tokens.min()) + " to " + number(tokens.max()),
                number(result.prefillFlops().median() / GIGA),
                share(result, result.prefillOfFma()),
                "",
                "");
    }

    private static List<String> decode(BenchResult result, int context) {
        Spread tokens = result.decodeTokens(context);
        return List.of(
                result.device(),
                "decode of " + result.work().decode() + " after " + context,
                number(tokens.median()),
                number(tokens.min()) + " to " + number(tokens.max()),
                number(result.decodeFlops(context).median() / GIGA),
                share(result, result.decodeOfFma(context)),
                number(result.decodeBytes(context).median() / GIGA),
                share(result, result.decodeOfRead(context)));
    }

    private static String start(BenchResult result) {
        if (result.start().isEmpty()) {
            return "first token, load time and peak memory are not known";
        }
        Start start = result.start().get();
        return "first token %s after the process's start; loaded in %s s; %s"
                .formatted(
                        range(start.firstTokenSeconds(), 1, "s"),
                        two(start.loadSeconds()),
                        start.peakBytes().isPresent()
                                ? String.format(
                                        Locale.ROOT,
                                        "peak memory %.0f MB",
                                        start.peakBytes().getAsDouble() / MEGA)
                                : "peak memory is not told by this system");
    }

    /** What limits a device, in a line for each kind of work. */
    static List<String> verdict(BenchResult result) {
        if (!result.onProcessor()) {
            return List.of(
                    result.device() + " has memory and arithmetic of its own: no share of this processor's limits");
        }
        List<String> lines = new ArrayList<>();
        double prefill = result.prefillOfFma().median();
        lines.add("%s: prefill does %s of the processor's multiply-adds: %s"
                .formatted(
                        result.device(),
                        two(prefill),
                        prefill >= NEAR ? "arithmetic limits it" : "it has arithmetic to spare"));
        for (int context : result.work().contexts()) {
            double read = result.decodeOfRead(context).median();
            double fma = result.decodeOfFma(context).median();
            lines.add("%s: decode after %d reads %s of what memory gives%s: %s"
                    .formatted(
                            result.device(),
                            context,
                            two(read),
                            fma >= read ? " and does " + two(fma) + " of the multiply-adds" : "",
                            limit(read, fma)));
        }
        return lines;
    }

    private static String limit(double read, double fma) {
        if (Math.max(read, fma) < NEAR) {
            return "neither memory nor arithmetic limits it";
        }
        return read >= fma ? "memory limits it" : "arithmetic limits it";
    }

    private static String range(Spread spread, double unit, String name) {
        return "%s %s (%s to %s)"
                .formatted(
                        number(spread.median() / unit), name, number(spread.min() / unit), number(spread.max() / unit));
    }

    private static String share(BenchResult result, Spread share) {
        return result.onProcessor() ? two(share.median()) : "";
    }

    private static String two(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    /** Three digits or more. */
    private static String number(double value) {
        String format = value >= 1000 ? "%,.0f" : value >= 10 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }
}
