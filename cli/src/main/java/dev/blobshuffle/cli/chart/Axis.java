package dev.blobshuffle.cli.chart;

import java.util.Arrays;
import java.util.function.DoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * One axis of a plot: which values it shows, and how they are written.
 *
 * @param scale how values are spaced
 * @param least the value at its beginning
 * @param most the value at its end, above {@code least}
 * @param label writes a value
 */
public record Axis(Scale scale, double least, double most, DoubleFunction<String> label) {
    private static final int TICKS = 5;
    private static final double MARGIN = 1.15;

    /** How values are spaced. */
    public enum Scale {
        /** Evenly. */
        LINEAR,
        /** By their logarithm: equal ratios take equal space. */
        LOGARITHMIC
    }

    /** Checks the range. */
    public Axis {
        if (!(most > least) || scale == Scale.LOGARITHMIC && !(least > 0) || Double.isInfinite(most)) {
            throw new IllegalArgumentException("Cannot draw an axis from " + least + " to " + most
                    + ": it needs a range, of values above 0 where it is logarithmic.");
        }
    }

    /** An axis from 0, with room for the largest of some values. */
    public static Axis fromZero(DoubleStream values, DoubleFunction<String> label) {
        double most = values.filter(Double::isFinite).max().orElse(0);
        return new Axis(Scale.LINEAR, 0, most > 0 ? most * MARGIN : 1, label);
    }

    /** A logarithmic axis with room for all of some values; those that are not above 0 stand at its beginning. */
    public static Axis logarithmic(DoubleStream values, DoubleFunction<String> label) {
        double[] shown = values.filter(value -> value > 0 && Double.isFinite(value))
                .sorted()
                .toArray();
        double least = shown.length == 0 ? 1 : shown[0];
        double most = shown.length == 0 ? 10 : shown[shown.length - 1];
        return new Axis(Scale.LOGARITHMIC, least / MARGIN, most * MARGIN, label);
    }

    /** Where a value stands, from 0 at the beginning to 1 at the end; values beyond stand at the ends. */
    double share(double value) {
        double kept = Math.min(most, Math.max(least, value));
        return scale == Scale.LINEAR
                ? (kept - least) / (most - least)
                : Math.log(kept / least) / Math.log(most / least);
    }

    /** Round values to write at the axis, in their order. */
    double[] ticks() {
        return scale == Scale.LINEAR ? evenTicks() : decadeTicks();
    }

    private double[] evenTicks() {
        double rough = (most - least) / TICKS;
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        double step = DoubleStream.of(1, 2, 5, 10)
                .map(digit -> digit * power)
                .filter(candidate -> candidate >= rough)
                .findFirst()
                .orElse(10 * power);
        long first = (long) Math.ceil(least / step);
        long last = (long) Math.floor(most / step);
        return IntStream.rangeClosed(0, (int) (last - first))
                .mapToDouble(i -> (first + i) * step)
                .toArray();
    }

    /** One, two and five of each power of ten; only the powers where these are many. */
    private double[] decadeTicks() {
        double[] all = ticksOf(1, 2, 5);
        return all.length <= 3 * TICKS ? all : ticksOf(1);
    }

    private double[] ticksOf(double... digits) {
        return IntStream.rangeClosed((int) Math.floor(Math.log10(least)), (int) Math.ceil(Math.log10(most)))
                .boxed()
                .flatMapToDouble(exponent -> Arrays.stream(digits).map(digit -> digit * Math.pow(10, exponent)))
                .filter(tick -> tick >= least && tick <= most)
                .toArray();
    }
}
