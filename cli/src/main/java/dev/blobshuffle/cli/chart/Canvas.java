package dev.blobshuffle.cli.chart;

import java.util.List;

/**
 * What a chart draws on: coordinates in pixels from the upper left corner, colours as
 * {@code #rrggbb}. Owned by one thread.
 */
interface Canvas {
    /** Where a text stands to its point. */
    enum Anchor {
        START,
        MIDDLE,
        END
    }

    /**
     * A point.
     *
     * @param x pixels to the right
     * @param y pixels down
     */
    record Spot(double x, double y) {}

    void line(Spot from, Spot to, String colour, double width);

    void polyline(List<Spot> spots, String colour);

    /** A disc; the hint shows where a reader points at it. */
    void disc(Spot centre, double radius, String colour, String hint);

    /** A filled rectangle from one corner to the other. */
    void box(Spot upperLeft, Spot lowerRight, String colour, String hint);

    void text(Spot at, Anchor anchor, String text);

    /** A text that stands out, beginning at its point. */
    void heading(Spot at, String text);
}
