package dev.blobshuffle.cli.chart;

import java.util.List;
import java.util.Locale;

/** Draws SVG. Owned by one thread. */
final class SvgCanvas implements Canvas {
    private final StringBuilder svg = new StringBuilder();

    SvgCanvas(int width, int height) {
        svg.append(format(
                "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" style=\"max-width:%dpx\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" font-family=\"system-ui,sans-serif\" font-size=\"12\">%n",
                width, height, width));
        // The page may have a dark background, and the texts are dark too.
        svg.append("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    @Override
    public void line(Spot from, Spot to, String colour, double width) {
        svg.append(format(
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>%n",
                from.x(), from.y(), to.x(), to.y(), colour, width));
    }

    @Override
    public void polyline(List<Spot> spots, String colour) {
        svg.append("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"")
                .append(colour)
                .append("\" points=\"");
        spots.forEach(spot -> svg.append(format("%.1f,%.1f ", spot.x(), spot.y())));
        svg.append("\"/>\n");
    }

    @Override
    public void disc(Spot centre, double radius, String colour, String hint) {
        svg.append(format(
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"><title>%s</title></circle>%n",
                centre.x(), centre.y(), radius, colour, HtmlPage.escaped(hint)));
    }

    @Override
    public void box(Spot upperLeft, Spot lowerRight, String colour, String hint) {
        svg.append(format(
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s</title></rect>%n",
                upperLeft.x(),
                upperLeft.y(),
                Math.max(0, lowerRight.x() - upperLeft.x()),
                Math.max(0, lowerRight.y() - upperLeft.y()),
                colour,
                HtmlPage.escaped(hint)));
    }

    @Override
    public void text(Spot at, Anchor anchor, String text) {
        svg.append(format(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#444\">%s</text>%n",
                at.x(), at.y(), anchor.name().toLowerCase(Locale.ROOT), HtmlPage.escaped(text)));
    }

    @Override
    public void heading(Spot at, String text) {
        svg.append(format(
                "<text x=\"%.1f\" y=\"%.1f\" font-size=\"14\" font-weight=\"600\" fill=\"#222\">%s</text>%n",
                at.x(), at.y(), HtmlPage.escaped(text)));
    }

    String end() {
        return svg + "</svg>\n";
    }
}
