package dev.blobshuffle.cli.chart;

import java.util.List;
import java.util.Locale;

/** Collects the elements of one drawing. Owned by one thread. */
final class Svg {
    private final StringBuilder elements = new StringBuilder();
    private final int width;
    private final int height;

    Svg(int width, int height) {
        this.width = width;
        this.height = height;
    }

    /**
     * A point of the drawing, in pixels from the left and from the top.
     *
     * @param x to the right
     * @param y downwards
     */
    record Spot(double x, double y) {}

    void line(Spot from, Spot to, Colour colour, int thickness) {
        append(
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%d\"/>%n",
                from.x(), from.y(), to.x(), to.y(), colour.code(), thickness);
    }

    void path(List<Spot> spots, Colour colour) {
        append("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\" points=\"", colour.code());
        spots.forEach(spot -> append("%.1f,%.1f ", spot.x(), spot.y()));
        elements.append("\"/>\n");
    }

    /** @param hint shown when the reader points at it */
    void dot(Spot at, int radius, Colour colour, String hint) {
        append(
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\">%s</circle>%n",
                at.x(),
                at.y(),
                radius,
                colour.code(),
                hint.isEmpty() ? "" : "<title>" + HtmlPage.escaped(hint) + "</title>");
    }

    void box(Spot corner, double boxWidth, double boxHeight, Colour colour) {
        append(
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>%n",
                corner.x(), corner.y(), boxWidth, boxHeight, colour.code());
    }

    /** @param anchor which part of the text is at the spot: {@code start}, {@code middle} or {@code end} */
    void text(Spot at, String anchor, String text) {
        append(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
                at.x(), at.y(), anchor, HtmlPage.escaped(text));
    }

    private void append(String format, Object... values) {
        elements.append(String.format(Locale.ROOT, format, values));
    }

    /** The drawing, as wide as the page. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\">%n%s</svg>%n",
                width,
                height,
                elements);
    }
}
