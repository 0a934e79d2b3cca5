package io.tutti.cli.command;

import io.tutti.cli.console.RefusedException;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A comparison as a picture: the time of a token on each device, and the difference at each position. */
final class ComparePlot {

    private static final int SCALE = 2;
    private static final int WIDTH = 1000;
    private static final int CHART_HEIGHT = 340;
    private static final int MARGIN = 28;
    private static final int LINE = 24;

    private static final Color[] COLORS = {
        new Color(0x2F6DB5), new Color(0xE08A2E), new Color(0x3A9A5B), new Color(0xB0413E), new Color(0x7A5BA6)
    };
    private static final Color TEXT = new Color(0x333333);
    private static final Color GRID = new Color(0xE3E3E3);
    private static final Color GOOD = new Color(0x2E7D4F);

    static {
        System.setProperty("java.awt.headless", "true"); // There is nothing to show on a screen.
    }

    private ComparePlot() {}

    /**
     * Makes sure that text can be drawn, before any work is done.
     *
     * @throws RefusedException if this system lacks what Java needs for that
     */
    static void requireFonts() {
        Graphics2D graphics = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
        try {
            graphics.getFontMetrics(font(Font.PLAIN, 12)).stringWidth("0");
        } catch (RuntimeException | LinkageError | InternalError e) {
            throw new RefusedException(
                    "--plot needs fonts, which Java does not find on this system (" + e.getMessage()
                            + "); accepted: a system with fontconfig and a font, or no --plot",
                    e);
        } finally {
            graphics.dispose();
        }
    }

    /** Writes the picture, a PNG. */
    static void write(CompareResult result, Path file) throws IOException {
        DoubleSummaryStatistics range = result.others().stream()
                .flatMapToDouble(lane -> Arrays.stream(lane.differences()))
                .filter(ComparePlot::isDrawn)
                .summaryStatistics();
        boolean equal = range.getCount() == 0;
        List<String> lines = result.others().stream()
                .map(lane -> CompareText.summary(result.reference(), lane))
                .toList();
        int head = MARGIN + LINE * lines.size() + LINE / 2;
        int height = head + CHART_HEIGHT * (equal ? 1 : 2);
        BufferedImage image = new BufferedImage(WIDTH * SCALE, height * SCALE, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.scale(SCALE, SCALE);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, WIDTH, height);
        graphics.setFont(font(Font.BOLD, 14));
        for (int i = 0; i < lines.size(); i++) {
            boolean exact = result.others().get(i).logits().exact();
            graphics.setColor(exact ? GOOD : TEXT);
            graphics.drawString(lines.get(i), MARGIN, MARGIN + LINE * i + LINE / 2);
        }
        graphics.translate(0, head);
        times(result.lanes()).paint(graphics, WIDTH, CHART_HEIGHT);
        if (!equal) {
            graphics.translate(0, CHART_HEIGHT);
            differences(result, range).paint(graphics, WIDTH, CHART_HEIGHT);
        }
        graphics.dispose();
        if (!ImageIO.write(image, "png", file.toFile())) {
            throw new IOException("this Java writes no PNG");
        }
    }

    private static CategoryChart times(List<LaneFigures> lanes) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(CHART_HEIGHT)
                .title("Time of a token")
                .yAxisTitle("milliseconds")
                .build();
        style(chart.getStyler());
        chart.getStyler().setAvailableSpaceFill(0.5);
        chart.getStyler().setYAxisDecimalPattern("0.##");
        List<String> names = lanes.stream().map(ComparePlot::label).toList();
        chart.addSeries(
                "prompt", names, lanes.stream().map(LaneFigures::promptMillis).toList());
        if (lanes.stream().noneMatch(lane -> Double.isNaN(lane.newMillis()))) {
            chart.addSeries(
                    "new", names, lanes.stream().map(LaneFigures::newMillis).toList());
        }
        return chart;
    }

    private static String label(LaneFigures lane) {
        return Double.isNaN(lane.newMillis())
                ? String.format(Locale.ROOT, "%s: prompt %.2f ms", lane.name(), lane.promptMillis())
                : String.format(
                        Locale.ROOT,
                        "%s: prompt %.2f, new %.2f ms",
                        lane.name(),
                        lane.promptMillis(),
                        lane.newMillis());
    }

    private static XYChart differences(CompareResult result, DoubleSummaryStatistics range) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(CHART_HEIGHT)
                .title("Largest difference of a logit from "
                        + result.reference().name() + "'s at each position (no point: none)")
                .xAxisTitle("position")
                .yAxisTitle("difference")
                .build();
        style(chart.getStyler());
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
            LaneFigures lane = result.others().get(i);
            List<Integer> positions = new ArrayList<>();
            List<Double> values = new ArrayList<>();
            for (int p = 0; p < lane.differences().length; p++) {
                if (isDrawn(lane.differences()[p])) {
                    positions.add(p);
                    values.add(lane.differences()[p]);
                }
            }
            if (!positions.isEmpty()) {
                chart.addSeries(lane.name(), positions, values)
                        .setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter)
                        .setMarker(SeriesMarkers.CIRCLE)
                        .setMarkerColor(COLORS[i % COLORS.length]);
            }
        }
        return chart;
    }

    /** A logarithm knows no 0, and a picture no infinity. */
    private static boolean isDrawn(double difference) {
        return difference > 0 && Double.isFinite(difference);
    }

    private static void style(AxesChartStyler styler) {
        styler.setSeriesColors(COLORS);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotBackgroundColor(Color.WHITE);
        styler.setPlotBorderVisible(false);
        styler.setPlotGridVerticalLinesVisible(false);
        styler.setPlotGridLinesColor(GRID);
        styler.setPlotGridLinesStroke(new BasicStroke(1));
        styler.setChartFontColor(TEXT);
        styler.setChartTitleBoxVisible(false);
        styler.setChartTitleFont(font(Font.BOLD, 14));
        styler.setAxisTitleFont(font(Font.PLAIN, 12));
        styler.setAxisTickLabelsColor(TEXT);
        styler.setAxisTickLabelsFont(font(Font.PLAIN, 12));
        styler.setLegendFont(font(Font.PLAIN, 12));
        styler.setLegendPosition(LegendPosition.OutsideE);
        styler.setLegendBorderColor(Color.WHITE);
        styler.setChartPadding(MARGIN);
    }

    private static Font font(int style, int size) {
        return new Font(Font.SANS_SERIF, style, size);
    }
}
