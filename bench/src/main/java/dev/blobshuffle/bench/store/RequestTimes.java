package dev.blobshuffle.bench.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.cli.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The times of single requests to a store, by operation and size. {@code bench paper} can use a
 * file of them as its latency profile.
 *
 * @param name of the store, for reports
 * @param samples by operation and size
 */
public record RequestTimes(String name, List<Sample> samples) {
    /** The least number of requests that allows a statement about the p99. */
    private static final int LEAST = 20;

    /**
     * Requests of one kind.
     *
     * @param operation the operation of the requests
     * @param bytes of each
     * @param millis the time of each
     */
    public record Sample(TransferCell.Direction operation, long bytes, List<Double> millis) {
        /** Copies and checks the times. */
        public Sample {
            millis = List.copyOf(millis);
            if (bytes < 1 || millis.size() < LEAST || millis.stream().anyMatch(each -> !(each >= 0))) {
                throw new IllegalArgumentException("Cannot use " + millis.size() + " times of requests for " + bytes
                        + " bytes: give " + LEAST + " or more times, none negative, of 1 byte or more.");
            }
        }

        /** The time that a share of the requests does not exceed, milliseconds. */
        public double quantile(double share) {
            List<Double> sorted = millis.stream().sorted().toList();
            return sorted.get((int) Math.min(sorted.size() - 1, share * sorted.size()));
        }
    }

    /** Copies the samples. */
    public RequestTimes {
        samples = List.copyOf(samples);
    }

    /** The samples of an operation. */
    public List<Sample> of(TransferCell.Direction operation) {
        return samples.stream().filter(each -> each.operation() == operation).toList();
    }

    /** Writes a file of them. */
    public void write(Path file) throws IOException {
        List<Map<String, Object>> requests = new ArrayList<>();
        for (Sample sample : samples) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("operation", sample.operation().name());
            json.put("bytes", sample.bytes());
            json.put("millis", sample.millis());
            requests.add(json);
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("store", name);
        all.put("requests", requests);
        Files.writeString(file, Json.write(all));
    }

    /**
     * Reads a file of them.
     *
     * @throws IllegalArgumentException if it is no such file
     */
    public static RequestTimes read(Path file) throws IOException {
        JsonNode json = new ObjectMapper().readTree(file.toFile());
        List<Sample> samples = new ArrayList<>();
        for (JsonNode request : json.path("requests")) {
            List<Double> millis = new ArrayList<>();
            request.path("millis").forEach(each -> millis.add(each.asDouble(Double.NaN)));
            samples.add(new Sample(
                    TransferCell.Direction.valueOf(request.path("operation").asText()),
                    request.path("bytes").asLong(),
                    millis));
        }
        if (samples.isEmpty()) {
            throw new IllegalArgumentException(
                    "Cannot read " + file + ": it has no requests. Give a file of bench store --profile-out.");
        }
        return new RequestTimes(json.path("store").asText(), samples);
    }
}
