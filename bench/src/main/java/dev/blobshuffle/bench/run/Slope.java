package dev.blobshuffle.bench.run;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The slope of a straight line through points, by ordinary least squares; 0 for fewer than two.
 * Stateless.
 */
final class Slope {
    private Slope() {}

    /** The slope of numbers at distances of one. */
    static double of(double[] numbers) {
        List<Integer> indexes = IntStream.range(0, numbers.length).boxed().toList();
        return of(indexes, i -> i, i -> numbers[i]);
    }

    static <T> double of(List<T> points, ToDoubleFunction<T> x, ToDoubleFunction<T> y) {
        double meanX = points.stream().mapToDouble(x).average().orElse(0);
        double meanY = points.stream().mapToDouble(y).average().orElse(0);
        double above = 0;
        double below = 0;
        for (T point : points) {
            double distance = x.applyAsDouble(point) - meanX;
            above += distance * (y.applyAsDouble(point) - meanY);
            below += distance * distance;
        }
        return below == 0 ? 0 : above / below;
    }
}
