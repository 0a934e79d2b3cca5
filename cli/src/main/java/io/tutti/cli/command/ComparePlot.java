package io.tutti.cli.command;

import io.tutti.cli.plot.Picture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A comparison as a picture: the time of a token on each device, and the difference at each position. */
final class ComparePlot {

    private ComparePlot() {}

    /** Writes the picture, a PNG. */
    static void write(CompareResult result, Path file) throws IOException {
        DoubleSummaryStatistics range = result.others().stream()
                .flatMapToDouble(track -> Arrays.stream(track.differences()))
                .filter(ComparePlot::isDrawn)
                .summaryStatistics();
        Picture picture = new Picture();
        for (TrackFigures track : result.others()) {
            picture.line(
                    CompareText.summary(result.reference(), track),
                    track.logits().exact());
        }
        picture.chart(times(result.tracks()));
        if (range.getCount() > 0) {
            picture.chart(differences(result, range));
        }
        picture.write(file);
    }

    private static CategoryChart times(List<TrackFigures> tracks) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(Picture.WIDTH)
                .height(Picture.CHART_HEIGHT)
                .title("Time of a token")
                .yAxisTitle("milliseconds")
                .build();
        Picture.style(chart.getStyler());
        chart.getStyler().setAvailableSpaceFill(0.5);
        chart.getStyler().setYAxisDecimalPattern("0.##");
        List<String> names = tracks.stream().map(ComparePlot::label).toList();
        chart.addSeries(
                "prompt", names, tracks.stream().map(TrackFigures::promptMillis).toList());
        if (tracks.stream().noneMatch(track -> Double.isNaN(track.newMillis()))) {
            chart.addSeries(
                    "new", names, tracks.stream().map(TrackFigures::newMillis).toList());
        }
        return chart;
    }

    private static String label(TrackFigures track) {
        return Double.isNaN(track.newMillis())
                ? String.format(Locale.ROOT, "%s: prompt %.2f ms", track.name(), track.promptMillis())
                : String.format(
                        Locale.ROOT,
                        "%s: prompt %.2f, new %.2f ms",
                        track.name(),
                        track.promptMillis(),
                        track.newMillis());
    }

    private static XYChart differences(CompareResult result, DoubleSummaryStatistics range) {
        XYChart chart = new XYChartBuilder()
                .width(Picture.WIDTH)
                .height(Picture.CHART_HEIGHT)
                .title("Largest difference of a logit from "
                        + result.reference().name() + "'s at each position (no point: none)")
                .xAxisTitle("position")
                .yAxisTitle("difference")
                .build();
        Picture.style(chart.getStyler());
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setYAxisLogarithmicDecadeOnly(true);
        chart.getStyler().setYAxisMin(Math.pow(10, Math.floor(Math.log10(range.getMin()))));
        chart.getStyler().setYAxisMax(Math.pow(10, Math.floor(Math.log10(range.getMax())) + 1));
        chart.getStyler().setXAxisDecimalPattern("0");
        chart.getStyler().setYAxisDecimalPattern("0E0");
        chart.getStyler().setXAxisMin(0.0);
        chart.getStyler().setXAxisMax((double) result.reference().differences().length);
        chart.getStyler().setXAxisMaxLabelCount(10);
        chart.getStyler().setMarkerSize(5);
        for (int i = 0; i < result.others().size(); i++) {
            TrackFigures track = result.others().get(i);
            List<Integer> positions = new ArrayList<>();
            List<Double> values = new ArrayList<>();
            for (int p = 0; p < track.differences().length; p++) {
                if (isDrawn(track.differences()[p])) {
                    positions.add(p);
                    values.add(track.differences()[p]);
                }
            }
            if (!positions.isEmpty()) {
                chart.addSeries(track.name(), positions, values)
                        .setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter)
                        .setMarker(SeriesMarkers.CIRCLE)
                        .setMarkerColor(Picture.COLORS.get(i % Picture.COLORS.size()));
            }
        }
        return chart;
    }

    /** A logarithm knows no 0, and a picture no infinity. */
    private static boolean isDrawn(double difference) {
        return difference > 0 && Double.isFinite(difference);
    }
}
