package dev.blobshuffle.cli.chart;

import dev.blobshuffle.cli.chart.Svg.Spot;
import java.util.ArrayList;
import java.util.List;

/** Values side by side, as bars to the right from 0, with how far single values lie apart where there are several of each. Owned by one thread. */
public final class Bars {
    private static final int WIDTH = 740;
    private static final int NAMES = 200;
    private static final int VALUES = 130;
    private static final int ROW = 36;
    private static final int THICKNESS = 22;

    private final List<Bar> bars = new ArrayList<>();

    /** No bars yet. */
    public Bars() {}

    private record Bar(String name, Colour colour, double least, double value, double most, String text) {}

    /** One value. */
    public Bars bar(String name, Colour colour, double value, String text) {
        return bar(name, colour, new Spread(value, value, value), text);
    }

    /** A value of several, usually their median. */
    public Bars bar(String name, Colour colour, Spread spread, String text) {
        bars.add(new Bar(name, colour, spread.least(), spread.middle(), spread.most(), text));
        return this;
    }

    /**
     * Several measurements of the same.
     *
     * @param least the smallest
     * @param middle what stands for all
     * @param most the largest
     */
    public record Spread(double least, double middle, double most) {}

    /** The drawing, to be put into a page. */
    public String svg() {
        double most = bars.stream()
                .mapToDouble(Bar::most)
                .filter(Double::isFinite)
                .max()
                .orElse(0);
        double unit = most > 0 ? (WIDTH - NAMES - VALUES) / most : 0;
        Svg svg = new Svg(WIDTH, ROW * bars.size() + 16);
        for (int i = 0; i < bars.size(); i++) {
            Bar bar = bars.get(i);
            double top = 8 + ROW * i;
            double end = NAMES + Math.max(1, bar.value() * unit);
            svg.text(new Spot(NAMES - 8, top + 16), "end", bar.name());
            svg.box(new Spot(NAMES, top), end - NAMES, THICKNESS, bar.colour());
            if (bar.most() > bar.least()) {
                double middle = top + THICKNESS / 2.0;
                svg.line(
                        new Spot(NAMES + bar.least() * unit, middle),
                        new Spot(NAMES + bar.most() * unit, middle),
                        Colour.GRID,
                        3);
                svg.line(
                        new Spot(NAMES + bar.least() * unit, middle),
                        new Spot(NAMES + bar.most() * unit, middle),
                        Colour.CHOSEN,
                        1);
            }
            svg.text(new Spot(Math.max(end, NAMES + bar.most() * unit) + 6, top + 16), "start", bar.text());
        }
        return svg.toString();
    }
}
