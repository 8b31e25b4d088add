package dev.blobshuffle.cli.chart;

import java.util.List;
import java.util.OptionalInt;

/**
 * A series of points.
 *
 * @param name for the legend
 * @param form of drawing
 * @param points in order
 * @param colour number of its colour, to give a series the same colour in every plot; empty: by its
 *     position in the legend
 */
public record Series(String name, Form form, List<Point> points, OptionalInt colour) {
    /** The form in which points are drawn. */
    public enum Form {
        /** A line through the points. */
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
     * @param low start of its error bar; equal to {@code y} for none
     * @param high end of its error bar
     * @param hint shown when the pointer is over the point
     * @param label next to the point; may be empty
     */
    public record Point(double x, double y, double low, double high, String hint, String label) {
        /** A point without an error bar and a label. */
        public static Point of(double x, double y, String hint) {
            return new Point(x, y, y, y, hint, "");
        }
    }

    /** A series whose colour depends on its position in the legend. */
    public Series(String name, Form form, List<Point> points) {
        this(name, form, points, OptionalInt.empty());
    }

    /** Copies the points, and omits those that are not finite. */
    public Series {
        points = points.stream()
                .filter(point -> Double.isFinite(point.x()) && Double.isFinite(point.y()))
                .toList();
    }
}
