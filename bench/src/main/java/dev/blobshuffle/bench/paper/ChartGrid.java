package dev.blobshuffle.bench.paper;

import dev.blobshuffle.cli.chart.Chart;
import java.util.List;
import java.util.Locale;

/** Several plots in one SVG. Stateless. */
final class ChartGrid {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 380;
    private static final int COLUMNS = 2;
    private static final String OWN_WIDTH = "width=\"100%\"";

    private ChartGrid() {}

    /** The plots, in rows of two. */
    static String svg(List<Chart> charts) {
        int columns = Math.min(COLUMNS, charts.size());
        int rows = (charts.size() + COLUMNS - 1) / COLUMNS;
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" style=\"max-width:%dpx\" xmlns=\"http://www.w3.org/2000/svg\">%n",
                columns * WIDTH,
                rows * HEIGHT,
                columns * WIDTH));
        for (int i = 0; i < charts.size(); i++) {
            String place = String.format(
                    Locale.ROOT,
                    "x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"",
                    i % COLUMNS * WIDTH,
                    i / COLUMNS * HEIGHT,
                    WIDTH,
                    HEIGHT);
            String chart = charts.get(i).svg();
            int at = chart.indexOf(OWN_WIDTH);
            svg.append(chart, 0, at).append(place).append(chart, at + OWN_WIDTH.length(), chart.length());
        }
        return svg.append("</svg>\n").toString();
    }
}
