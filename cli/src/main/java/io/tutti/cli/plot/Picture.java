package io.tutti.cli.plot;

import io.tutti.cli.console.RefusedException;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Some lines of text and charts below them, as a PNG. */
public final class Picture {

    public static final int WIDTH = 1000;
    public static final int CHART_HEIGHT = 340;

    /** Of series, in their order. */
    public static final List<Color> COLORS = List.of(
            new Color(0x2F6DB5), new Color(0xE08A2E), new Color(0x3A9A5B), new Color(0xB0413E), new Color(0x7A5BA6));

    private static final int SCALE = 2;
    private static final int MARGIN = 28;
    private static final int LINE = 24;
    private static final Color TEXT = new Color(0x333333);
    private static final Color GRID = new Color(0xE3E3E3);
    private static final Color GOOD = new Color(0x2E7D4F);

    static {
        System.setProperty("java.awt.headless", "true"); // There is nothing to show on a screen.
    }

    private static final Font HEADING = font(Font.BOLD, 14);

    private record Line(String text, boolean good) {}

    private final List<Line> lines = new ArrayList<>();
    private final List<Chart<?, ?>> charts = new ArrayList<>();

    /** Adds a line of text, in green if it is good news. One that is too wide is written as several. */
    public Picture line(String text, boolean good) {
        lines.add(new Line(text, good));
        return this;
    }

    /** Adds a chart of {@link #WIDTH} and {@link #CHART_HEIGHT}, styled by {@link #style}. */
    public Picture chart(Chart<?, ?> chart) {
        charts.add(chart);
        return this;
    }

    /** Writes it. */
    public void write(Path file) throws IOException {
        List<Line> heading = lines.stream().flatMap(Picture::broken).toList();
        int head = MARGIN + LINE * heading.size() + LINE / 2;
        int height = head + CHART_HEIGHT * charts.size();
        BufferedImage image = new BufferedImage(WIDTH * SCALE, height * SCALE, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.scale(SCALE, SCALE);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, WIDTH, height);
        graphics.setFont(HEADING);
        for (int i = 0; i < heading.size(); i++) {
            graphics.setColor(heading.get(i).good() ? GOOD : TEXT);
            graphics.drawString(heading.get(i).text(), MARGIN, MARGIN + LINE * i + LINE / 2);
        }
        graphics.translate(0, head);
        for (Chart<?, ?> chart : charts) {
            chart.paint(graphics, WIDTH, CHART_HEIGHT);
            graphics.translate(0, CHART_HEIGHT);
        }
        graphics.dispose();
        if (!ImageIO.write(image, "png", file.toFile())) {
            throw new IOException("this Java writes no PNG");
        }
    }

    /** A line, broken at blanks where it would run out of the picture. */
    private static Stream<Line> broken(Line line) {
        Graphics2D graphics = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
        FontMetrics metrics = graphics.getFontMetrics(HEADING);
        graphics.dispose();
        Stream.Builder<Line> parts = Stream.builder();
        String part = "";
        for (String word : line.text().split(" ", -1)) {
            String longer = part.isEmpty() ? word : part + " " + word;
            if (!part.isEmpty() && metrics.stringWidth(longer) > WIDTH - 2 * MARGIN) {
                parts.add(new Line(part, line.good()));
                longer = word;
            }
            part = longer;
        }
        return parts.add(new Line(part, line.good())).build();
    }

    /** The look that all charts share. */
    public static void style(AxesChartStyler styler) {
        styler.setSeriesColors(COLORS.toArray(Color[]::new));
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotBackgroundColor(Color.WHITE);
        styler.setPlotBorderVisible(false);
        styler.setPlotGridVerticalLinesVisible(false);
        styler.setPlotGridLinesColor(GRID);
        styler.setPlotGridLinesStroke(new BasicStroke(1));
        styler.setChartFontColor(TEXT);
        styler.setChartTitleBoxVisible(false);
        styler.setChartTitleFont(HEADING);
        styler.setAxisTitleFont(font(Font.PLAIN, 12));
        styler.setAxisTickLabelsColor(TEXT);
        styler.setAxisTickLabelsFont(font(Font.PLAIN, 12));
        styler.setLegendFont(font(Font.PLAIN, 12));
        styler.setLegendPosition(LegendPosition.OutsideE);
        styler.setLegendBorderColor(Color.WHITE);
        styler.setChartPadding(MARGIN);
    }

    /**
     * Makes sure that text can be drawn, before any work is done.
     *
     * @throws RefusedException if this system lacks what Java needs for that
     */
    public static void requireFonts() {
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

    private static Font font(int style, int size) {
        return new Font(Font.SANS_SERIF, style, size);
    }
}
