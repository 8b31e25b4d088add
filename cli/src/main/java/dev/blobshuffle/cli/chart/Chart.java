package dev.blobshuffle.cli.chart;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * A plot of series over two axes, with a legend. Immutable.
 *
 * @param title above the plot
 * @param x the horizontal axis
 * @param y the vertical axis
 * @param series in the order of the legend
 */
public record Chart(String title, Axis x, Axis y, List<Series> series) {
    private static final List<String> COLOURS =
            List.of("#b45309", "#7c3aed", "#0f766e", "#1d4ed8", "#b91c1c", "#4d7c0f", "#be185d", "#475569");
    private static final int WIDTH = 720;
    private static final int HEIGHT = 380;
    private static final int LEFT = 74;
    private static final int TOP = 56;
    private static final int BOTTOM = 48;
    private static final double ROOM = 1.08;

    /** Width of the legend: beyond its longest name, and its least and largest width. */
    private static final int BESIDE_NAME = 40;

    private static final int LEAST_LEGEND = 110;
    private static final int MOST_LEGEND = 280;

    /** The least width of a bar or category with a number above it. */
    private static final int WIDE_BAR = 26;

    private static final double DISC = 4;

    /** Height of a row of names, width of a letter, and the most rows. */
    private static final int ROW = 13;

    private static final double LETTER = 6.8;
    private static final int MOST_ROWS = 4;

    /** Copies the list. */
    public Chart {
        series = List.copyOf(series);
    }

    /** Whether the plot shows nothing: it has no points, or only bars without height. */
    public boolean isEmpty() {
        return series.stream()
                .allMatch(one -> one.points().isEmpty()
                        || one.form() == Series.Form.BARS
                                && one.points().stream().allMatch(point -> point.y() == 0));
    }

    /** The plot as an SVG element. */
    public String svg() {
        SvgCanvas canvas = new SvgCanvas(WIDTH, HEIGHT);
        new Drawing(canvas).draw();
        return canvas.end();
    }

    /** Writes the plot as PNG. */
    public void writePng(Path file) throws IOException {
        PngCanvas canvas = new PngCanvas(WIDTH, HEIGHT);
        new Drawing(canvas).draw();
        canvas.write(file);
    }

    private DoubleStream all(ToDoubleFunction<Series.Point> number) {
        return series.stream().flatMap(one -> one.points().stream()).mapToDouble(number);
    }

    /** The start and the end of an axis. */
    private double[] ends(Axis axis, ToDoubleFunction<Series.Point> low, ToDoubleFunction<Series.Point> high) {
        double most = all(high).max().orElse(1);
        if (axis.scale() == Axis.Scale.LOGARITHMIC) {
            double least = all(low).filter(number -> number > 0).min().orElse(1);
            return Axis.ends(least, Math.max(least, most));
        }
        double least = Math.min(0, all(low).min().orElse(0));
        return new double[] {least, Math.max(most * ROOM, least + 1e-9)};
    }

    /** One drawing. Owned by one thread. */
    private final class Drawing {
        private final Canvas canvas;
        private final double right = WIDTH - widthOfLegend();
        private final int rows = rowsOfNames();
        private final int bottom = BOTTOM + (rows - 1) * ROW;
        private final double leastX;
        private final double mostX;
        private final double leastY;
        private final double mostY;

        private Drawing(Canvas canvas) {
            this.canvas = canvas;
            double[] endsX = ends(x, Series.Point::x, Series.Point::x);
            double[] endsY = ends(y, Series.Point::low, Series.Point::high);
            leastX = endsX[0];
            mostX = endsX[1];
            leastY = endsY[0];
            mostY = endsY[1];
        }

        private void draw() {
            canvas.heading(new Canvas.Spot(8, 20), title);
            canvas.text(new Canvas.Spot(8, 41), Canvas.Anchor.START, y.title());
            axes();
            for (int i = 0; i < series.size(); i++) {
                String colour = COLOURS.get(series.get(i).colour().orElse(i) % COLOURS.size());
                series(series.get(i), colour, i);
                double at = TOP + 10 + 18.0 * i;
                canvas.box(
                        new Canvas.Spot(right + 12, at - 9),
                        new Canvas.Spot(right + 22, at + 1),
                        colour,
                        series.get(i).name());
                canvas.text(
                        new Canvas.Spot(right + 28, at),
                        Canvas.Anchor.START,
                        series.get(i).name());
            }
        }

        private double widthOfLegend() {
            int longest =
                    series.stream().mapToInt(one -> one.name().length()).max().orElse(0);
            return Math.min(MOST_LEGEND, Math.max(LEAST_LEGEND, BESIDE_NAME + longest * LETTER));
        }

        /**
         * The number of rows for the names of categories. Names too long for one row are
         * distributed over several rows in turn.
         */
        private int rowsOfNames() {
            int longest = x.categories().stream().mapToInt(String::length).max().orElse(0);
            return Math.min(MOST_ROWS, 1 + (int) (longest * LETTER / Math.max(1, category())));
        }

        private double category() {
            return (right - LEFT) / Math.max(1, x.categories().size());
        }

        private void axes() {
            int row = 0;
            for (double tick : x.ticks(leastX, mostX)) {
                Canvas.Spot foot = at(tick, leastY);
                if (x.categories().isEmpty()) {
                    canvas.line(
                            new Canvas.Spot(foot.x(), TOP), new Canvas.Spot(foot.x(), HEIGHT - bottom), "#eeeeee", 1);
                }
                canvas.text(
                        new Canvas.Spot(foot.x(), HEIGHT - bottom + 16 + row++ % rows * ROW),
                        Canvas.Anchor.MIDDLE,
                        x.label(tick));
            }
            for (double tick : y.ticks(leastY, mostY)) {
                double height = at(leastX, tick).y();
                canvas.line(new Canvas.Spot(LEFT, height), new Canvas.Spot(right, height), "#eeeeee", 1);
                canvas.text(new Canvas.Spot(LEFT - 6, height + 4), Canvas.Anchor.END, y.label(tick));
            }
            canvas.text(new Canvas.Spot((LEFT + right) / 2.0, HEIGHT - 10), Canvas.Anchor.MIDDLE, x.title());
        }

        private void series(Series one, String colour, int number) {
            List<Series.Point> points = one.points();
            if (one.form() == Series.Form.BARS) {
                points.forEach(point -> bar(point, colour, number));
                return;
            }
            if (one.form() != Series.Form.DISCS && points.size() > 1) {
                canvas.polyline(
                        points.stream().map(point -> at(point.x(), point.y())).toList(), colour);
            }
            if (one.form() != Series.Form.LINE || points.size() == 1) {
                // Larger discs below stay visible where several series share a point.
                double radius = DISC + 1.5 * (series.size() - 1 - number);
                for (Series.Point point : points) {
                    Canvas.Spot spot = at(point.x(), point.y());
                    whisker(point, spot.x(), colour);
                    canvas.disc(spot, radius, colour, one.name() + ": " + point.hint());
                    canvas.text(
                            new Canvas.Spot(spot.x() + radius + 3, spot.y() - 4), Canvas.Anchor.START, point.label());
                }
            }
        }

        private void bar(Series.Point point, String colour, int number) {
            long bars = series.stream()
                    .filter(one -> one.form() == Series.Form.BARS)
                    .count();
            double width = category() * 0.8 / bars;
            double left = at(point.x(), leastY).x() - category() * 0.4 + number * width;
            double top = at(point.x(), point.y()).y();
            canvas.box(
                    new Canvas.Spot(left, top),
                    new Canvas.Spot(left + width * 0.92, HEIGHT - bottom),
                    colour,
                    point.hint());
            whisker(point, left + width * 0.46, "#444444");
            if (width >= WIDE_BAR) {
                double height = at(point.x(), Math.max(point.y(), point.high())).y() - 4;
                canvas.text(new Canvas.Spot(left + width * 0.46, height), Canvas.Anchor.MIDDLE, point.label());
            }
        }

        private void whisker(Series.Point point, double across, String colour) {
            if (point.high() > point.low()) {
                canvas.line(
                        new Canvas.Spot(across, at(point.x(), point.low()).y()),
                        new Canvas.Spot(across, at(point.x(), point.high()).y()),
                        colour,
                        1.5);
            }
        }

        private Canvas.Spot at(double across, double up) {
            double lowest = y.scale() == Axis.Scale.LOGARITHMIC ? Math.max(up, leastY) : up;
            return new Canvas.Spot(
                    LEFT + x.share(across, leastX, mostX) * (right - LEFT),
                    HEIGHT - bottom - y.share(lowest, leastY, mostY) * (HEIGHT - TOP - bottom));
        }
    }
}
