package io.tutti.cli.bench;

import io.tutti.cli.plot.Picture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A report as a picture: how near each kind of work comes to its limit, and decoding against the context. */
public final class BenchPlot {

    private BenchPlot() {}

    /** Writes the picture, a PNG. */
    public static void write(BenchReport report, Path file) throws IOException {
        Picture picture = new Picture().line(BenchText.heading(report), false);
        report.results().forEach(result -> picture.line(BenchText.rates(result), false));
        if (report.results().stream().anyMatch(BenchResult::onProcessor)) {
            picture.chart(shares(report));
        }
        picture.chart(rates(report)).write(file);
    }

    private static CategoryChart shares(BenchReport report) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(Picture.WIDTH)
                .height(Picture.CHART_HEIGHT)
                .title("Share of what all threads can do")
                .build();
        Picture.style(chart.getStyler());
        chart.getStyler().setAvailableSpaceFill(0.5);
        chart.getStyler().setYAxisDecimalPattern("0.0");
        chart.getStyler().setYAxisMin(0.0);
        chart.getStyler().setYAxisMax(1.0);
        chart.getStyler().setLabelsVisible(true);
        chart.getStyler().setLabelsFontColorAutomaticEnabled(false);
        chart.getStyler().setLabelsPosition(0.5);
        List<String> kinds = new ArrayList<>(List.of("prefill: multiply-adds"));
        report.work().contexts().forEach(context -> kinds.add("decode after " + context + ": memory"));
        for (BenchResult result : report.results()) {
            if (result.onProcessor()) {
                List<Double> shares =
                        new ArrayList<>(List.of(result.prefillOfFma().median()));
                report.work()
                        .contexts()
                        .forEach(context ->
                                shares.add(result.decodeOfRead(context).median()));
                chart.addSeries(result.device(), kinds, shares);
            }
        }
        return chart;
    }

    private static XYChart rates(BenchReport report) {
        XYChart chart = new XYChartBuilder()
                .width(Picture.WIDTH)
                .height(Picture.CHART_HEIGHT)
                .title("Decoding: median, and range of the rounds")
                .xAxisTitle("tokens in the cache before")
                .yAxisTitle("tokens/s")
                .build();
        Picture.style(chart.getStyler());
        chart.getStyler().setYAxisMin(0.0);
        chart.getStyler().setXAxisDecimalPattern("#,##0");
        chart.getStyler().setYAxisDecimalPattern("#,##0.#");
        List<Integer> contexts = report.work().contexts();
        for (BenchResult result : report.results()) {
            chart.addSeries(
                            result.device(),
                            contexts,
                            contexts.stream()
                                    .map(context -> result.decodeTokens(context).median())
                                    .toList(),
                            contexts.stream()
                                    .map(context -> halfRange(result.decodeTokens(context)))
                                    .toList())
                    .setMarker(SeriesMarkers.CIRCLE);
        }
        return chart;
    }

    private static double halfRange(Spread spread) {
        return (spread.max() - spread.min()) / 2;
    }
}
