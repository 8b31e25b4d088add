package dev.blobshuffle.cli.plan;

import dev.blobshuffle.cli.plan.MetricsReading.Counted;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.metrics.Metric;
import dev.blobshuffle.core.internal.metrics.PrometheusText;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Finds the instances of an application in Prometheus texts. Samples of one text with the same
 * labels belong to one instance. Stateless.
 */
final class PrometheusInstances {
    private static final String UPTIME = "uptime";
    private static final double MILLISECONDS = 1000;
    private static final Map<String, Metric> METRICS =
            ShuffleMetrics.all().stream().collect(Collectors.toUnmodifiableMap(PrometheusText::name, metric -> metric));

    private PrometheusInstances() {}

    /**
     * The source of counters.
     *
     * @param place the text
     * @param labels of the samples
     */
    private record Series(String place, Map<String, String> labels) {
        String label(String name) {
            return labels.getOrDefault(name, "");
        }
    }

    /** @param texts the texts, by their place */
    static MetricsReading read(Map<String, String> texts, Optional<String> application) {
        Map<Series, Map<String, Double>> all = new LinkedHashMap<>();
        new TreeMap<>(texts).forEach((place, text) -> addTo(all, place, text));
        // Excludes stand-alone caches, and engines without traffic.
        all.values()
                .removeIf(metrics -> metrics.getOrDefault("bytes-appended", 0.0) <= 0
                        && metrics.getOrDefault("bytes-delivered", 0.0) <= 0);
        String chosen = chosen(all.keySet(), application);
        List<Counted> instances = new ArrayList<>();
        Set<String> zones = new TreeSet<>();
        all.forEach((series, metrics) -> {
            if (series.label("application").equals(chosen)) {
                instances.add(counted(series, metrics));
                zones.add(series.label("zone"));
            }
        });
        return MetricsReading.ofZones(instances, zones.contains("") ? 0 : zones.size());
    }

    private static void addTo(Map<Series, Map<String, Double>> all, String place, String text) {
        List<PrometheusReader.Sample> samples;
        try {
            samples = PrometheusReader.read(text);
        } catch (IllegalArgumentException e) {
            throw new PlanFailedException(
                    "Cannot read metrics from " + place + ": it is neither JSON nor the text format of Prometheus, "
                            + e.getMessage() + ". Give the address in blobshuffle.metrics.listen, with /metrics.",
                    e);
        }
        boolean isOurs = false;
        for (PrometheusReader.Sample sample : samples) {
            Metric metric = METRICS.get(sample.name());
            if (metric != null && Double.isFinite(sample.value())) {
                isOurs = true;
                all.computeIfAbsent(new Series(place, sample.labels()), series -> new HashMap<>())
                        .put(metric.name(), sample.value() * PrometheusText.divisor(metric));
            }
        }
        if (!isOurs) {
            throw new PlanFailedException("Cannot use metrics from " + place
                    + ": none is BlobShuffle's, whose names begin with blobshuffle_ and are those of docs/metrics.md."
                    + " Give the address in blobshuffle.metrics.listen, with /metrics.");
        }
    }

    private static String chosen(Set<Series> series, Optional<String> application) {
        Set<String> found =
                series.stream().map(one -> one.label("application")).collect(Collectors.toCollection(TreeSet::new));
        String names = String.join(", ", found);
        if (application.isPresent() && !found.contains(application.get())) {
            throw new InvalidSettingsException("Cannot use metrics of application " + application.get()
                    + ": there are those of: " + names + ". Give one of these.");
        }
        if (application.isEmpty() && found.size() > 1) {
            throw new InvalidSettingsException("Cannot use metrics of " + found.size() + " applications at once: "
                    + names + ". Choose one with --application.");
        }
        return application.orElse(found.isEmpty() ? "" : found.iterator().next());
    }

    private static Counted counted(Series series, Map<String, Double> metrics) {
        double seconds = metrics.getOrDefault(UPTIME, 0.0) / MILLISECONDS;
        if (!(seconds > 0)) {
            throw new PlanFailedException("Cannot use metrics from " + series.place()
                    + ": blobshuffle_uptime_seconds, the time that the counters cover, is missing or 0 for an instance."
                    + " Give all metrics that the application shows.");
        }
        return new Counted(seconds, metrics);
    }
}
