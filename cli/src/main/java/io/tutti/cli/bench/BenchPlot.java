package io.tutti.cli.bench;

import io.tutti.cli.plot.Picture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;

/** A report as a picture: how near each kind of work comes to its limit, and decoding against the context. */
public final class BenchPlot {

    private BenchPlot() {}

    /** Writes the picture, a PNG. */
    public static void write(BenchReport report, Path file) throws IOException {
        Picture picture = new Picture().line(BenchText.heading(report), false);
        report.results().forEach(result -> BenchText.verdict(result).forEach(line -> picture.line(line, false)));
        picture.line(BenchText.limits(report), false);
        if (report.results().stream().anyMatch(BenchResult::onProcessor)) {
            picture.chart(shares(report));
        }
        picture.chart(rates(report)).write(file);
    }

    private static CategoryChart shares(BenchReport report) {
        CategoryChart chart = chart(report, "Share of what all threads can do", "0.00");
        chart.getStyler().setYAxisMax(largestShare(report));
        List<String> kinds = new ArrayList<>(List.of("prefill: multiply-adds"));
        report.work().contexts().forEach(context -> kinds.add("decode after " + context + ": memory"));
        for (BenchResult result : report.results()) {
            if (result.onProcessor()) {
                chart.addSeries(result.device(), kinds, shares(result));
            }
        }
        return chart;
    }

    private static List<Double> shares(BenchResult result) {
        List<Double> shares = new ArrayList<>(List.of(result.prefillOfFma().median()));
        result.work()
                .contexts()
                .forEach(context -> shares.add(result.decodeOfRead(context).median()));
        return shares;
    }

    /** Caches can make it more than 1. */
    private static double largestShare(BenchReport report) {
        return report.results().stream()
                .flatMap(result -> shares(result).stream())
                .reduce(1.0, Math::max);
    }

    private static CategoryChart rates(BenchReport report) {
        CategoryChart chart = chart(report, "Decode: new tokens/s, after so many in the cache", "#,##0.#");
        List<Integer> contexts = report.work().contexts();
        List<String> names = contexts.stream()
                .map(context -> String.format(Locale.ROOT, "%,d", context))
                .toList();
        for (BenchResult result : report.results()) {
            List<Double> rates = contexts.stream()
                    .map(context -> result.decodeTokens(context).median())
                    .toList();
            chart.addSeries(result.device(), names, rates);
        }
        return chart;
    }

    private static CategoryChart chart(BenchReport report, String title, String numbers) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(Picture.WIDTH)
                .height(Picture.CHART_HEIGHT)
                .title(title)
                .build();
        Picture.style(chart.getStyler());
        chart.getStyler().setLegendVisible(report.results().size() > 1);
        chart.getStyler().setAvailableSpaceFill(0.5);
        chart.getStyler().setYAxisMin(0.0);
        chart.getStyler().setYAxisDecimalPattern(numbers);
        chart.getStyler().setLabelsVisible(true);
        chart.getStyler().setLabelsPosition(0.5);
        return chart;
    }
}
