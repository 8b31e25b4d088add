package dev.blobshuffle.bench.chart;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * A plot of series over two axes, with a legend. Immutable.
 *
 * @param title above it
 * @param x the horizontal axis
 * @param y the vertical axis
 * @param series what is drawn, in the order of the legend
 */
public record Chart(String title, Axis x, Axis y, List<Series> series) {
    private static final List<String> COLOURS =
            List.of("#b45309", "#7c3aed", "#0f766e", "#1d4ed8", "#b91c1c", "#4d7c0f", "#be185d", "#475569");
    private static final int WIDTH = 720;
    private static final int HEIGHT = 360;
    private static final int LEFT = 74;
    private static final int RIGHT = 150;
    private static final int TOP = 34;
    private static final int BOTTOM = 48;
    private static final double ROOM = 1.08;

    /** Height of a row of names, width of a letter, and how many rows there may be. */
    private static final int ROW = 13;

    private static final int LETTER = 6;
    private static final int MOST_ROWS = 4;

    /** Copies. */
    public Chart {
        series = List.copyOf(series);
    }

    /** Whether there is anything to see. */
    public boolean isEmpty() {
        return series.stream().allMatch(one -> one.points().isEmpty());
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

    private double least(Axis axis, ToDoubleFunction<Series.Point> number) {
        boolean isLogarithmic = axis.scale() == Axis.Scale.LOGARITHMIC;
        double least =
                all(number).filter(value -> !isLogarithmic || value > 0).min().orElse(isLogarithmic ? 1 : 0);
        return isLogarithmic ? least / ROOM : Math.min(0, least);
    }

    private double most(Axis axis, ToDoubleFunction<Series.Point> number, double least) {
        double most = all(number).max().orElse(1);
        return axis.scale() == Axis.Scale.LOGARITHMIC
                ? Math.max(most * ROOM, least * 2)
                : Math.max(most * ROOM, least + 1e-9);
    }

    /** One drawing. Owned by one thread. */
    private final class Drawing {
        private final Canvas canvas;
        private final int rows = rowsOfNames();
        private final int bottom = BOTTOM + (rows - 1) * ROW;
        private final double leastX = least(x, Series.Point::x);
        private final double mostX = most(x, Series.Point::x, leastX);
        private final double leastY = least(y, Series.Point::low);
        private final double mostY = most(y, Series.Point::high, leastY);

        private Drawing(Canvas canvas) {
            this.canvas = canvas;
        }

        private void draw() {
            canvas.text(new Canvas.Spot(LEFT, 18), Canvas.Anchor.START, title);
            axes();
            for (int i = 0; i < series.size(); i++) {
                String colour = COLOURS.get(i % COLOURS.size());
                series(series.get(i), colour, i);
                double at = TOP + 10 + 18.0 * i;
                canvas.box(
                        new Canvas.Spot(WIDTH - RIGHT + 12, at - 9),
                        new Canvas.Spot(WIDTH - RIGHT + 22, at + 1),
                        colour,
                        series.get(i).name());
                canvas.text(
                        new Canvas.Spot(WIDTH - RIGHT + 28, at),
                        Canvas.Anchor.START,
                        series.get(i).name());
            }
        }

        /** Names of categories that are too long for one row are spread over several, in turn. */
        private int rowsOfNames() {
            int longest = x.categories().stream().mapToInt(String::length).max().orElse(0);
            int room = (WIDTH - LEFT - RIGHT) / Math.max(1, x.categories().size());
            return Math.min(MOST_ROWS, 1 + longest * LETTER / Math.max(1, room));
        }

        private void axes() {
            int row = 0;
            for (double tick : x.ticks(leastX, mostX)) {
                Canvas.Spot foot = at(tick, leastY);
                canvas.line(new Canvas.Spot(foot.x(), TOP), new Canvas.Spot(foot.x(), HEIGHT - bottom), "#eeeeee", 1);
                canvas.text(
                        new Canvas.Spot(foot.x(), HEIGHT - bottom + 16 + row++ % rows * ROW),
                        Canvas.Anchor.MIDDLE,
                        x.label(tick));
            }
            for (double tick : y.ticks(leastY, mostY)) {
                double height = at(leastX, tick).y();
                canvas.line(new Canvas.Spot(LEFT, height), new Canvas.Spot(WIDTH - RIGHT, height), "#eeeeee", 1);
                canvas.text(new Canvas.Spot(LEFT - 6, height + 4), Canvas.Anchor.END, y.label(tick));
            }
            canvas.text(new Canvas.Spot((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10), Canvas.Anchor.MIDDLE, x.title());
            canvas.text(new Canvas.Spot(WIDTH - RIGHT + 12, 18), Canvas.Anchor.START, y.title());
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
                for (Series.Point point : points) {
                    whisker(point, at(point.x(), point.y()).x(), colour);
                    canvas.disc(at(point.x(), point.y()), 4, colour, one.name() + ": " + point.hint());
                }
            }
        }

        private void bar(Series.Point point, String colour, int number) {
            long bars = series.stream()
                    .filter(one -> one.form() == Series.Form.BARS)
                    .count();
            double category =
                    (WIDTH - LEFT - RIGHT) / (double) Math.max(1, x.categories().size());
            double width = category * 0.8 / bars;
            double left = at(point.x(), leastY).x() - category * 0.4 + number * width;
            double top = at(point.x(), point.y()).y();
            canvas.box(
                    new Canvas.Spot(left, top),
                    new Canvas.Spot(left + width * 0.92, HEIGHT - bottom),
                    colour,
                    point.hint());
            whisker(point, left + width * 0.46, "#444444");
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
                    LEFT + x.share(across, leastX, mostX) * (WIDTH - LEFT - RIGHT),
                    HEIGHT - bottom - y.share(lowest, leastY, mostY) * (HEIGHT - TOP - bottom));
        }
    }
}
