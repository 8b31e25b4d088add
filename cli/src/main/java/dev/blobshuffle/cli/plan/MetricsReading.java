package dev.blobshuffle.cli.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.planner.LatencyProfile.MeasuredMedian;
import dev.blobshuffle.planner.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A running application's load, from its metrics: as JSON in the form of
 * {@code docs/guides/planner.md}, or as Prometheus text. The names are those of
 * {@code docs/metrics.md}.
 *
 * @param instances the counters of each instance
 * @param deployment other given values: {@code zones}, {@code threads}, {@code partitions},
 *     {@code commit_interval_ms}, {@code guarantee}
 */
record MetricsReading(List<Counted> instances, JsonNode deployment) {
    MetricsReading {
        instances = List.copyOf(instances);
    }

    /**
     * The counters of one instance.
     *
     * @param seconds the time that the counters cover
     * @param metrics value by name
     */
    record Counted(double seconds, Map<String, Double> metrics) {
        double value(String metric) {
            return metrics.getOrDefault(metric, 0.0);
        }
    }

    /**
     * Reads files or URLs: one JSON document, or any number of Prometheus texts.
     *
     * @param application selects one of several applications
     */
    static MetricsReading from(List<String> places, Optional<String> application) {
        Map<String, String> texts = new HashMap<>();
        places.forEach(place -> texts.put(place, MetricsText.at(place)));
        MetricsReading reading = read(texts, application);
        String all = String.join(", ", places);
        if (!(reading.sum("bytes-appended") > 0) || !(reading.sum("records-appended") > 0)) {
            throw new PlanFailedException(
                    "Cannot use metrics from " + all
                            + ": bytes-appended or records-appended is missing or 0. Give metrics of an application that shuffles.");
        }
        return reading;
    }

    private static MetricsReading read(Map<String, String> texts, Optional<String> application) {
        for (Map.Entry<String, String> text : texts.entrySet()) {
            if (text.getValue().stripLeading().startsWith("{")) {
                if (texts.size() > 1) {
                    throw new PlanFailedException("Cannot read metrics from " + texts.size() + " places: "
                            + text.getKey() + " has JSON. Give it alone, with all instances in it.");
                }
                return json(text.getKey(), text.getValue());
            }
        }
        return PrometheusInstances.read(texts, application);
    }

    private static MetricsReading json(String place, String text) {
        JsonNode json;
        try {
            json = new ObjectMapper().readTree(text);
        } catch (JsonProcessingException e) {
            throw new PlanFailedException(
                    "Cannot read metrics from " + place + ": it is not JSON, " + e.getOriginalMessage()
                            + ". Give the form that docs/guides/planner.md describes.",
                    e);
        }
        double seconds = json.path("seconds").asDouble(0);
        List<Counted> instances = new ArrayList<>();
        for (JsonNode instance : json.path("instances")) {
            Map<String, Double> metrics = new HashMap<>();
            instance.fields()
                    .forEachRemaining(field ->
                            metrics.put(field.getKey(), field.getValue().asDouble(0)));
            instances.add(new Counted(seconds, metrics));
        }
        if (instances.isEmpty() || !(seconds > 0)) {
            throw new PlanFailedException(
                    "Cannot use metrics from " + place
                            + ": 'instances' (a list with the metrics of each) or 'seconds' (the time that the counters cover) is missing. See docs/guides/planner.md.");
        }
        return new MetricsReading(instances, json);
    }

    /** A reading from Prometheus, which contains only zones about the deployment. */
    static MetricsReading ofZones(List<Counted> instances, int zones) {
        ObjectNode deployment = new ObjectMapper().createObjectNode();
        if (zones > 0) {
            deployment.put("zones", zones);
        }
        return new MetricsReading(instances, deployment);
    }

    private double sum(String metric) {
        return instances.stream()
                .mapToDouble(instance -> instance.value(metric))
                .sum();
    }

    /** Overwrites a builder's values with the measured ones. */
    void over(Workload.Builder builder) {
        double bytes = sum("bytes-appended");
        builder.bytesPerSecond(instances.stream()
                .mapToDouble(instance -> instance.value("bytes-appended") / instance.seconds())
                .sum());
        builder.recordBytes(bytes / sum("records-appended"));
        builder.instances(instances.size());
        double inBlobs = bytes - sum("bytes-inlined") - sum("bytes-fallback");
        double stored = sum("blob-bytes-stored");
        if (inBlobs > 0 && stored > 0) {
            builder.compression(Math.min(1, Math.max(0.001, stored / inBlobs)));
        }
        String guarantee = deployment.path("guarantee").asText("");
        if (!guarantee.isEmpty()) {
            builder.guarantee(new WorkloadOptions.Guarantees().convert(guarantee));
        }
        builder.zones(count("zones", Math.min(3, instances.size())));
        builder.threads(count("threads", 1));
        builder.partitions(count("partitions", 9 * instances.size()));
        long commit = count("commit_interval_ms", 0);
        if (commit > 0) {
            builder.commitInterval(Duration.ofMillis(commit));
        }
    }

    /**
     * Overwrites a profile's medians with the last measured ones, if the instances sent requests
     * recently.
     */
    LatencyProfile over(LatencyProfile profile) {
        return profile.measured(
                median("put-latency-p50", sum("blob-bytes-stored") / sum("blobs-stored")),
                median("get-latency-p50", sum("bytes-fetched") / sum("gets")));
    }

    private Optional<MeasuredMedian> median(String metric, double meanBytes) {
        OptionalDouble millis = instances.stream()
                .mapToDouble(instance -> instance.value(metric))
                .filter(value -> value > 0)
                .average();
        return millis.isPresent() && meanBytes > 0
                ? Optional.of(new MeasuredMedian(meanBytes, millis.getAsDouble()))
                : Optional.empty();
    }

    private int count(String name, int otherwise) {
        JsonNode node = deployment.path(name);
        if (node.isMissingNode()) {
            return otherwise;
        }
        if (!node.canConvertToInt() || node.asInt() < 1) {
            throw new PlanFailedException(
                    "Cannot use metrics: " + name + " is " + node + ". Give a whole number from 1, or leave it out.");
        }
        return node.asInt();
    }
}
