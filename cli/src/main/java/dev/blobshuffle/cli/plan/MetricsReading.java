package dev.blobshuffle.cli.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.core.plan.Workload;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a running application's metrics say about its load: the form is described in {@code docs/guides/planner.md}, the names are those of {@code docs/metrics.md}.
 *
 * @param seconds the time that the counters cover
 * @param instances metrics of each instance, by name
 * @param deployment what else is given: {@code zones}, {@code threads}, {@code partitions}, {@code commit_interval_ms}, {@code guarantee}
 */
record MetricsReading(double seconds, List<JsonNode> instances, JsonNode deployment) {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int LARGEST = 16 << 20;

    MetricsReading {
        instances = List.copyOf(instances);
    }

    /** Reads a file, or what a URL answers. */
    static MetricsReading from(String place) {
        String text = place.startsWith("http://") || place.startsWith("https://") ? fetch(place) : read(place);
        try {
            return of(place, new ObjectMapper().readTree(text));
        } catch (JsonProcessingException e) {
            throw new PlanFailed(
                    "Cannot read metrics from " + place + ": it is not JSON, " + e.getOriginalMessage()
                            + ". Give the form that docs/guides/planner.md describes.",
                    e);
        }
    }

    private static String read(String place) {
        try {
            Path file = Path.of(place);
            if (!Files.isReadable(file) || Files.isDirectory(file)) {
                throw new PlanFailed("Cannot read metrics from " + place
                        + ": there is no readable file. Give another one, or an http URL.");
            }
            if (Files.size(file) > LARGEST) {
                throw new PlanFailed("Cannot read metrics from " + place + ": it has " + Files.size(file)
                        + " bytes. Give a file of at most 16 MiB.");
            }
            return Files.readString(file);
        } catch (IOException | InvalidPathException e) {
            throw new PlanFailed(
                    "Cannot read metrics from " + place + ": " + e + ". Give a readable file or a URL.", e);
        }
    }

    private static String fetch(String url) {
        try {
            HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(url)).timeout(PATIENCE).build();
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new PlanFailed("Cannot read metrics: " + url + " answered " + response.statusCode()
                        + ". Give the URL of the metrics as JSON.");
            }
            return response.body();
        } catch (IOException | IllegalArgumentException e) {
            throw new PlanFailed("Cannot read metrics from " + url + ": " + e + ". Check address and network.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PlanFailed("Cannot read metrics from " + url + ": interrupted. Try again.", e);
        }
    }

    private static MetricsReading of(String place, JsonNode json) {
        List<JsonNode> instances = new ArrayList<>();
        json.path("instances").forEach(instances::add);
        double seconds = json.path("seconds").asDouble(0);
        if (instances.isEmpty() || !(seconds > 0)) {
            throw new PlanFailed(
                    "Cannot use metrics from " + place
                            + ": 'instances' (a list with the metrics of each) or 'seconds' (the time that the counters cover) is missing. See docs/guides/planner.md.");
        }
        MetricsReading reading = new MetricsReading(seconds, instances, json);
        if (!(reading.sum("bytes-appended") > 0) || !(reading.sum("records-appended") > 0)) {
            throw new PlanFailed(
                    "Cannot use metrics from " + place
                            + ": bytes-appended or records-appended is missing or 0. Give metrics of an application that shuffles.");
        }
        return reading;
    }

    private double sum(String metric) {
        return instances.stream()
                .mapToDouble(instance -> instance.path(metric).asDouble(0))
                .sum();
    }

    /** Puts what was measured over a builder's values. */
    void over(Workload.Builder builder) {
        double bytes = sum("bytes-appended");
        builder.bytesPerSecond(bytes / seconds);
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

    private int count(String name, int otherwise) {
        JsonNode node = deployment.path(name);
        if (node.isMissingNode()) {
            return otherwise;
        }
        if (!node.canConvertToInt() || node.asInt() < 1) {
            throw new PlanFailed(
                    "Cannot use metrics: " + name + " is " + node + ". Give a whole number from 1, or leave it out.");
        }
        return node.asInt();
    }
}
