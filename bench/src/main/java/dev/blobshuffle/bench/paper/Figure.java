package dev.blobshuffle.bench.paper;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A figure of the paper: the parameter that it varies, and the clusters behind it.
 *
 * @param number 6 to 10
 * @param title its title
 * @param parameter the varied parameter
 * @param unit of the parameter, for axes
 * @param values of the parameter
 * @param oursToo values that only {@link Layout#OURS} is run for
 */
public record Figure(
        int number, String title, String parameter, String unit, List<Double> values, List<Double> oursToo) {
    private static final int INSTANCES = 24;
    private static final int PARTITIONS = 216;
    private static final int PARTITIONS_PER_INSTANCE = 6;
    private static final double SIZE = 16;
    private static final double PEAK_SIZE = 32;

    private static final List<Double> SIZES = List.of(1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0);

    /** Sizes at which our layout is as fast as the paper's layout with its fastest size. */
    private static final List<Double> SMALLER = List.of(0.5);

    /** All figures of section 5. */
    public static final List<Figure> ALL = List.of(
            new Figure(6, "Latency distributions", "mebibytes", "MiB per batch", List.of(SIZE), List.of()),
            new Figure(7, "Size of batches", "mebibytes", "MiB per batch", SIZES, SMALLER),
            new Figure(8, "Cost against latency", "mebibytes", "MiB per batch", SIZES, SMALLER),
            new Figure(
                    9,
                    "Number of partitions",
                    "partitions",
                    "partitions",
                    List.of(72.0, 144.0, 216.0, 288.0, 360.0, 432.0),
                    List.of()),
            new Figure(
                    10,
                    "Number of instances",
                    "instances",
                    "instances",
                    List.of(6.0, 12.0, 18.0, 24.0, 30.0, 36.0, 42.0, 48.0),
                    List.of()));

    /** Copies the lists. */
    public Figure {
        values = List.copyOf(values);
        oursToo = List.copyOf(oursToo);
    }

    /** The values that a layout is run for, ascending. */
    public List<Double> values(Layout layout) {
        if (layout == Layout.OURS) {
            return isBySize()
                    ? Stream.concat(values.stream(), oursToo.stream()).sorted().toList()
                    : List.of();
        }
        return values;
    }

    /** Whether it is about the size of batches; only then it has {@link Layout#OURS}. */
    private boolean isBySize() {
        return parameter.equals("mebibytes");
    }

    /** The cluster behind a point. */
    public Deployment deployment(Layout layout, double value) {
        if (number == 9) {
            return new Deployment(layout, SIZE, (int) value, INSTANCES, PaperLoad.byPartitions((int) value));
        }
        if (number == 10) {
            int instances = (int) value;
            return new Deployment(
                    layout, SIZE, instances * PARTITIONS_PER_INSTANCE, instances, PaperLoad.byInstances(instances));
        }
        double load = value == PEAK_SIZE ? PaperLoad.PEAK : PaperLoad.USUAL;
        return new Deployment(layout, value, PARTITIONS, INSTANCES, load);
    }

    /** All clusters behind it. */
    public List<Deployment> deployments() {
        List<Deployment> all = new ArrayList<>();
        for (Layout layout : Layout.values()) {
            values(layout).forEach(value -> all.add(deployment(layout, value)));
        }
        return all;
    }
}
