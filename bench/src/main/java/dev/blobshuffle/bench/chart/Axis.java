package dev.blobshuffle.bench.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * An axis: its title, how numbers lie on it, and for categories their names, which stand at 0, 1, 2 and so on.
 *
 * @param title with the unit
 * @param scale how numbers lie on it
 * @param categories names; none for numbers
 */
public record Axis(String title, Scale scale, List<String> categories) {
    private static final int TICKS = 6;

    /** How numbers lie on an axis. */
    public enum Scale {
        /** From 0, evenly. */
        LINEAR,
        /** Each power of ten as wide as the others; for numbers above 0. */
        LOGARITHMIC
    }

    /** Copies. */
    public Axis {
        categories = List.copyOf(categories);
    }

    /** An axis of numbers from 0. */
    public static Axis linear(String title) {
        return new Axis(title, Scale.LINEAR, List.of());
    }

    /** A logarithmic axis. */
    public static Axis logarithmic(String title) {
        return new Axis(title, Scale.LOGARITHMIC, List.of());
    }

    /** An axis of names. */
    public static Axis of(String title, List<String> categories) {
        return new Axis(title, Scale.LINEAR, categories);
    }

    /** Where on the axis, from 0 to 1, a number lies. */
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
            for (int exponent = (int) Math.floor(Math.log10(least)); exponent <= Math.log10(most); exponent++) {
                for (int digit : new int[] {1, 2, 5}) {
                    double tick = digit * Math.pow(10, exponent);
                    if (tick >= least && tick <= most) {
                        ticks.add(tick);
                    }
                }
            }
        } else {
            double step = step((most - least) / TICKS);
            for (double tick = Math.ceil(least / step) * step; tick <= most; tick += step) {
                ticks.add(tick);
            }
        }
        return ticks;
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
        if (tick != 0 && (Math.abs(tick) >= 1e6 || Math.abs(tick) < 1e-3)) {
            return String.format(Locale.ROOT, "%.0e", tick);
        }
        return String.format(Locale.ROOT, "%.3f", tick).replaceAll("\\.?0+$", "");
    }
}
