package dev.blobshuffle.bench.report;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * The spread of numbers over repetitions: median, least and largest. From five numbers on, it also
 * has the bootstrap's 95 % interval of the median.
 *
 * @param median the median; NaN if there are no numbers
 * @param min the least
 * @param max the largest
 * @param interval the 95 % interval of the median, if there are enough
 */
public record Spread(double median, double min, double max, Optional<Interval> interval) {
    private static final int LEAST_FOR_INTERVAL = 5;
    private static final int RESAMPLES = 2000;
    private static final double OUTSIDE = 0.025;

    /**
     * From one number to another.
     *
     * @param low the lower one
     * @param high the higher one
     */
    public record Interval(double low, double high) {}

    /** The spread of numbers. Numbers that are not finite do not count. */
    public static Spread of(List<Double> numbers) {
        double[] sorted = numbers.stream()
                .mapToDouble(Double::doubleValue)
                .filter(Double::isFinite)
                .sorted()
                .toArray();
        if (sorted.length == 0) {
            return new Spread(Double.NaN, Double.NaN, Double.NaN, Optional.empty());
        }
        Optional<Interval> interval =
                sorted.length < LEAST_FOR_INTERVAL ? Optional.empty() : Optional.of(bootstrap(sorted));
        return new Spread(median(sorted), sorted[0], sorted[sorted.length - 1], interval);
    }

    private static double median(double[] sorted) {
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /** The percentile bootstrap, with a fixed seed, so that a report is reproducible. */
    private static Interval bootstrap(double[] numbers) {
        Random random = new Random(1);
        double[] medians = IntStream.range(0, RESAMPLES)
                .mapToDouble(i -> {
                    double[] drawn = new double[numbers.length];
                    Arrays.setAll(drawn, j -> numbers[random.nextInt(numbers.length)]);
                    Arrays.sort(drawn);
                    return median(drawn);
                })
                .sorted()
                .toArray();
        return new Interval(medians[(int) (OUTSIDE * RESAMPLES)], medians[(int) ((1 - OUTSIDE) * RESAMPLES) - 1]);
    }

    /**
     * Whether a ratio clearly differs from 1: the interval, or without one all numbers, lies on one
     * side of 1.
     */
    boolean isClear() {
        double low = interval.map(Interval::low).orElse(min);
        double high = interval.map(Interval::high).orElse(max);
        return low > 1 || high < 1;
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("median", median);
        json.put("min", min);
        json.put("max", max);
        interval.ifPresent(found -> {
            json.put("ci95_low", found.low);
            json.put("ci95_high", found.high);
        });
        return json;
    }
}
