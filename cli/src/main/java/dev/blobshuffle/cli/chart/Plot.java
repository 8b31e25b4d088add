package dev.blobshuffle.cli.chart;

import dev.blobshuffle.cli.chart.Svg.Spot;
import java.util.ArrayList;
import java.util.List;

/**
 * A plot of values over values: curves, points, and levels that run across. What is added later is drawn above what was there. Owned by one thread.
 *
 * <pre>{@code
 * String svg = new Plot(Axis.logarithmic(millis, Plot::…), Axis.fromZero(shares, …))
 *         .curve("native", Colour.NATIVE, points)
 *         .svg();
 * }</pre>
 */
public final class Plot {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 300;
    private static final int LEFT = 70;
    private static final int RIGHT = 20;
    private static final int TOP = 10;
    private static final int BOTTOM = 40;
    private static final int LEGEND_LINE = 20;

    private final Axis horizontal;
    private final Axis vertical;
    private final Svg svg = new Svg(WIDTH + RIGHT, HEIGHT);
    private int legends;

    /** An empty plot with its grid. */
    public Plot(Axis horizontal, Axis vertical) {
        this.horizontal = horizontal;
        this.vertical = vertical;
        for (double tick : horizontal.ticks()) {
            double x = x(tick);
            svg.line(new Spot(x, TOP), new Spot(x, HEIGHT - BOTTOM), Colour.GRID, 1);
            svg.text(
                    new Spot(x, HEIGHT - BOTTOM + 18),
                    "middle",
                    horizontal.label().apply(tick));
        }
        for (double tick : vertical.ticks()) {
            double y = y(tick);
            svg.line(new Spot(LEFT, y), new Spot(WIDTH, y), Colour.GRID, 1);
            svg.text(new Spot(LEFT - 8, y + 4), "end", vertical.label().apply(tick));
        }
    }

    /**
     * A point of a plot.
     *
     * @param x on the horizontal axis
     * @param y on the vertical axis
     * @param hint shown when the reader points at it; may be empty
     */
    public record Point(double x, double y, String hint) {
        /** A point without a hint. */
        public static Point of(double x, double y) {
            return new Point(x, y, "");
        }
    }

    /** A curve through points, with a line in the legend. */
    public Plot curve(String name, Colour colour, List<Point> points) {
        legend(name, colour);
        return trace(colour, points);
    }

    /** A curve through points that the legend leaves out. */
    public Plot trace(Colour colour, List<Point> points) {
        List<Spot> spots = new ArrayList<>();
        points.forEach(point -> spots.add(spot(point)));
        svg.path(spots, colour);
        return this;
    }

    /** Single points. */
    public Plot points(Colour colour, List<Point> points) {
        points.forEach(point -> svg.dot(spot(point), 4, colour, point.hint()));
        return this;
    }

    /** A large point with its name beside it. */
    public Plot mark(String name, Colour colour, Point point) {
        Spot at = spot(point);
        svg.dot(at, 7, colour, point.hint());
        boolean isRight = at.x() > WIDTH * 0.8;
        svg.text(new Spot(at.x() + (isRight ? -10 : 10), at.y() - 8), isRight ? "end" : "start", name);
        return this;
    }

    /** How far values lie apart at a place: a line from the least to the most. */
    public Plot span(Colour colour, double x, double least, double most) {
        svg.line(new Spot(x(x), y(least)), new Spot(x(x), y(most)), colour, 1);
        return this;
    }

    /** A line across at one value, if the axis shows it. */
    public Plot level(String name, Colour colour, double value) {
        if (value >= vertical.least() && value <= vertical.most()) {
            svg.line(new Spot(LEFT, y(value)), new Spot(WIDTH, y(value)), colour, 1);
            svg.text(new Spot(WIDTH, y(value) - 6), "end", name);
        }
        return this;
    }

    private void legend(String name, Colour colour) {
        double y = TOP + 12 + LEGEND_LINE * legends++;
        svg.line(new Spot(LEFT + 12, y), new Spot(LEFT + 40, y), colour, 2);
        svg.text(new Spot(LEFT + 46, y + 4), "start", name);
    }

    private Spot spot(Point point) {
        return new Spot(x(point.x()), y(point.y()));
    }

    private double x(double value) {
        return LEFT + horizontal.share(value) * (WIDTH - LEFT);
    }

    private double y(double value) {
        return HEIGHT - BOTTOM - vertical.share(value) * (HEIGHT - BOTTOM - TOP);
    }

    /** The drawing, to be put into a page. */
    public String svg() {
        return svg.toString();
    }
}
