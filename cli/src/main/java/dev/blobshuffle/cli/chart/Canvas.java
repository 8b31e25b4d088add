package dev.blobshuffle.cli.chart;

import java.util.List;

/**
 * The drawing surface of a chart: coordinates in pixels from the upper left corner, colours as
 * {@code #rrggbb}. Owned by one thread.
 */
interface Canvas {
    /** The alignment of a text to its point. */
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

    /** Draws a disc. The hint appears when the pointer is over it. */
    void disc(Spot centre, double radius, String colour, String hint);

    /** Draws a filled rectangle from one corner to the other. */
    void box(Spot upperLeft, Spot lowerRight, String colour, String hint);

    void text(Spot at, Anchor anchor, String text);

    /** Draws an emphasised text that begins at its point. */
    void heading(Spot at, String text);
}
