package dev.blobshuffle.cli.chart;

import java.util.List;
import java.util.OptionalInt;

/**
 * Points that belong together.
 *
 * @param name for the legend
 * @param form how they are drawn
 * @param points in order
 * @param colour number of its colour, so that the same thing has the same one in every plot; empty:
 *     by its place in the legend
 */
public record Series(String name, Form form, List<Point> points, OptionalInt colour) {
    /** How points are drawn. */
    public enum Form {
        /** A line through them. */
        LINE,
        /** A line with discs. */
        MARKED,
        /** Discs only. */
        DISCS,
        /** Bars from 0. */
        BARS
    }

    /**
     * One point.
     *
     * @param x on the horizontal axis
     * @param y on the vertical axis
     * @param low where its whisker begins; as {@code y} for none
     * @param high where it ends
     * @param hint shown where a reader points at it
     * @param label written beside it; may be empty
     */
    public record Point(double x, double y, double low, double high, String hint, String label) {
        /** A point without a whisker and a label. */
        public static Point of(double x, double y, String hint) {
            return new Point(x, y, y, y, hint, "");
        }
    }

    /** A series whose place in the legend gives it its colour. */
    public Series(String name, Form form, List<Point> points) {
        this(name, form, points, OptionalInt.empty());
    }

    /** Copies, and leaves out points that are nowhere. */
    public Series {
        points = points.stream()
                .filter(point -> Double.isFinite(point.x()) && Double.isFinite(point.y()))
                .toList();
    }
}
