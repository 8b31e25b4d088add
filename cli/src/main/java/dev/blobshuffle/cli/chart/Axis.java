package dev.blobshuffle.cli.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * An axis: its title, its scale, and the names of its categories, which have the positions 0, 1, 2
 * and so on.
 *
 * @param title with the unit
 * @param scale of the numbers
 * @param categories names; empty for numbers
 */
public record Axis(String title, Scale scale, List<String> categories) {
    private static final int TICKS = 6;

    /**
     * The number of powers of ten from which an axis has no room for numbers between them; also the
     * least span of a logarithmic axis.
     */
    private static final int MANY_POWERS = 4;

    private static final double LEAST_SPAN = 5;
    private static final int[] DIGITS = {1, 2, 5};

    /** The scale of an axis. */
    public enum Scale {
        /** Linear from 0. */
        LINEAR,
        /** Linear from 0 for counts: only whole numbers are labelled. */
        WHOLE,
        /** Logarithmic, for positive numbers. */
        LOGARITHMIC
    }

    /** Copies the list. */
    public Axis {
        categories = List.copyOf(categories);
    }

    /** An axis of numbers from 0. */
    public static Axis linear(String title) {
        return new Axis(title, Scale.LINEAR, List.of());
    }

    /** An axis of counts from 0. */
    public static Axis whole(String title) {
        return new Axis(title, Scale.WHOLE, List.of());
    }

    /** A logarithmic axis. */
    public static Axis logarithmic(String title) {
        return new Axis(title, Scale.LOGARITHMIC, List.of());
    }

    /** An axis of names. */
    public static Axis of(String title, List<String> categories) {
        return new Axis(title, Scale.LINEAR, categories);
    }

    /** The position of a number on the axis, from 0 to 1. */
    double share(double number, double least, double most) {
        if (!categories.isEmpty()) {
            return (number + 0.5) / categories.size();
        }
        if (most <= least) {
            return 0.5;
        }
        return scale == Scale.LOGARITHMIC
                ? Math.log(number / least) / Math.log(most / least)
                : (number - least) / (most - least);
    }

    List<Double> ticks(double least, double most) {
        List<Double> ticks = new ArrayList<>();
        if (!categories.isEmpty()) {
            for (int i = 0; i < categories.size(); i++) {
                ticks.add((double) i);
            }
        } else if (scale == Scale.LOGARITHMIC) {
            boolean areMany = Math.log10(most / least) > MANY_POWERS;
            for (double tick : marks(least, most)) {
                if (!areMany || isPowerOfTen(tick)) {
                    ticks.add(tick);
                }
            }
        } else {
            double wanted = step((most - least) / TICKS);
            double step = scale == Scale.WHOLE ? Math.max(1, wanted) : wanted;
            for (double tick = Math.ceil(least / step) * step; tick <= most; tick += step) {
                ticks.add(tick);
            }
        }
        return ticks;
    }

    /**
     * The ends of a logarithmic axis that contains two numbers. Each end is 1, 2 or 5 times a power
     * of ten. They are far enough apart for several such numbers between them.
     */
    static double[] ends(double least, double most) {
        List<Double> marks = marks(least / 100, most * 100);
        int first = marks.size() - 1;
        while (first > 0 && marks.get(first) > least) {
            first--;
        }
        int last = first + 1;
        while (last < marks.size() - 1 && (marks.get(last) < most || marks.get(last) / marks.get(first) < LEAST_SPAN)) {
            last++;
        }
        return new double[] {marks.get(first), marks.get(last)};
    }

    /** All 1, 2 and 5 times a power of ten from one number to another. */
    private static List<Double> marks(double least, double most) {
        List<Double> marks = new ArrayList<>();
        for (int exponent = (int) Math.floor(Math.log10(least)); exponent <= Math.log10(most); exponent++) {
            for (int digit : DIGITS) {
                double mark = digit * Math.pow(10, exponent);
                if (mark >= least && mark <= most) {
                    marks.add(mark);
                }
            }
        }
        return marks;
    }

    private static boolean isPowerOfTen(double number) {
        return number == Math.pow(10, Math.rint(Math.log10(number)));
    }

    /** The next 1, 2 or 5 times a power of ten. */
    private static double step(double wanted) {
        if (!(wanted > 0)) {
            return 1;
        }
        double power = Math.pow(10, Math.floor(Math.log10(wanted)));
        double digits = wanted / power;
        return power * (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
    }

    String label(double tick) {
        if (!categories.isEmpty()) {
            return categories.get((int) tick);
        }
        if (tick != 0 && (Math.abs(tick) >= 1e9 || Math.abs(tick) < 1e-3)) {
            return String.format(Locale.ROOT, "%.1e", tick);
        }
        return Math.abs(tick) >= 1e6 ? shortest(tick / 1e6) + " M" : shortest(tick);
    }

    private static String shortest(double number) {
        return String.format(Locale.ROOT, "%.3f", number).replaceAll("\\.?0+$", "");
    }
}
