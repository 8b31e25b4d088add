package dev.blobshuffle.bench.search;

import dev.blobshuffle.cli.chart.Axis;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.chart.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** The plot of demand or capacity of several variants. Stateless. */
public final class DemandChart {
    private DemandChart() {}

    /**
     * The plot.
     *
     * @param found for each variant, the resources of each load, or the load of each number of
     *     resources
     */
    public static Chart of(String title, String x, String y, Map<String, Map<Long, OptionalLong>> found) {
        List<Series> all = new ArrayList<>();
        found.forEach((variant, steps) -> {
            List<Series.Point> points = new ArrayList<>();
            steps.forEach((one, other) -> {
                if (other.isPresent()) {
                    points.add(Series.Point.of(one, other.getAsLong(), one + ": " + other.getAsLong()));
                }
            });
            all.add(new Series(variant, Series.Form.MARKED, points));
        });
        return new Chart(title, Axis.whole(x), Axis.whole(y), all);
    }
}
