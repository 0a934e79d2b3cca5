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
        lines.add(limits(report));
        lines.add("");
        report.results().forEach(result -> lines.addAll(verdict(result)));
        return lines;
    }

    /** What the processor did at most. */
    static String limits(BenchReport report) {
        return "processor: %s read %s, and do %s"
                .formatted(threads(report), range(report.read(), GIGA, "GB/s"), range(report.fma(), GIGA, "GFLOP/s"));
    }

    private static String threads(BenchReport report) {
        return report.threads() == 1 ? "1 thread" : report.threads() + " threads";
    }

    static String heading(BenchReport report) {
        Workload work = report.work();
        return "%s: %s, %s activations, %s cache%s, %s, medians of %d round%s%s"
                .formatted(
                        report.model(),
                        report.dtype(),
                        report.activations(),
                        report.kv(),
                        work.batch() == 1 ? "" : ", " + work.batch() + " sequences decoding together",
                        threads(report),
                        report.repeats(),
                        report.repeats() == 1 ? "" : "s",
                        report.commit().map(commit -> ", commit " + commit).orElse(""));
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
        String name = result.device();
        int first = result.work().contexts().getFirst();
        String prefill = "%s: prefill at %s tokens/s"
                .formatted(name, number(result.prefillTokens().median()));
        String decode = "%s: decode at %s tokens/s"
                .formatted(name, number(result.decodeTokens(first).median()));
        if (!result.onProcessor()) {
            return List.of(decode + kept(result) + "; its memory and arithmetic are its own, not this processor's");
        }
        double arithmetic = result.prefillOfFma().median();
        return List.of(
                prefill + " is " + two(arithmetic) + " of the FMA peak"
                        + (arithmetic >= NEAR ? ", which limits it" : ": it has arithmetic to spare"),
                decode + " is " + decodeLimit(result, first) + kept(result));
    }

    private static String decodeLimit(BenchResult result, int context) {
        double read = result.decodeOfRead(context).median();
        double fma = result.decodeOfFma(context).median();
        String share = read >= fma ? two(read) + " of memory's bandwidth" : two(fma) + " of the FMA peak";
        return share
                + (Math.max(read, fma) >= NEAR ? ", which limits it" : ": neither memory nor arithmetic limits it");
    }

    private static String kept(BenchResult result) {
        int last = result.work().contexts().getLast();
        return result.work().contexts().size() == 1
                ? ""
                : "; %s of that rate after %d tokens"
                        .formatted(two(result.decodeKept(last).median()), last);
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
