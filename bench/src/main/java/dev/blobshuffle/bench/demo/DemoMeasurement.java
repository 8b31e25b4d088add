package dev.blobshuffle.bench.demo;

import dev.blobshuffle.core.internal.metrics.Flow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The measurements of one instance of the application.
 *
 * @param records records that were shuffled
 * @param latencies after the warm-up, from the append of each shuffled record until it is processed
 *     after the shuffle
 * @param blobs blobs stored
 * @param blobBytes bytes of the blobs stored
 * @param notifications notifications sent
 * @param inlinedRecords records that went through Kafka because their batch was small
 * @param inlinedBytes bytes of those records' keys and values
 * @param puts requests to the store that write
 * @param gets requests to the store that read
 * @param fallbackBytes bytes of records that went through Kafka because the store was down
 * @param zones the reads that the caches of each zone answered, by the zone's name; empty in a
 *     native run
 * @param flows bytes of blobs by origin and destination; empty in a native run
 */
record DemoMeasurement(
        long records,
        LatencyHistogram latencies,
        long blobs,
        long blobBytes,
        long notifications,
        long inlinedRecords,
        long inlinedBytes,
        long puts,
        long gets,
        long fallbackBytes,
        Map<String, ZoneTraffic> zones,
        Map<Flow, Long> flows) {
    private static final String ZONE = "zone.";
    private static final String FLOW = "flow.";
    private static final String ARROW = ">";

    DemoMeasurement {
        zones = Collections.unmodifiableMap(new TreeMap<>(zones));
        flows = Collections.unmodifiableMap(new TreeMap<>(flows));
    }

    /** Nothing measured yet. */
    static DemoMeasurement nothing() {
        return new DemoMeasurement(0, new LatencyHistogram(), 0, 0, 0, 0, 0, 0, 0, 0, Map.of(), Map.of());
    }

    /** Reads that a cache answered. */
    long cacheHits() {
        return zones.values().stream().mapToLong(ZoneTraffic::hits).sum();
    }

    /**
     * Bytes of shuffled records that may have crossed zones outside the store: in records that went
     * through the brokers, and from instance to instance.
     */
    long crossZonePayloadBytes() {
        return inlinedBytes
                + fallbackBytes
                + flows.entrySet().stream()
                        .filter(flow -> flow.getKey().isCrossing())
                        .mapToLong(Map.Entry::getValue)
                        .sum();
    }

    /** Bytes of one flow; 0 if there were none. */
    long bytes(Flow flow) {
        return flows.getOrDefault(flow, 0L);
    }

    /** The sum of two instances' measurements. */
    DemoMeasurement plus(DemoMeasurement other) {
        LatencyHistogram both = new LatencyHistogram();
        both.add(latencies);
        both.add(other.latencies);
        Map<String, ZoneTraffic> all = new TreeMap<>(zones);
        other.zones.forEach((zone, traffic) -> all.merge(zone, traffic, ZoneTraffic::plus));
        Map<Flow, Long> ways = new TreeMap<>(flows);
        other.flows.forEach((flow, bytes) -> ways.merge(flow, bytes, Long::sum));
        return new DemoMeasurement(
                records + other.records,
                both,
                blobs + other.blobs,
                blobBytes + other.blobBytes,
                notifications + other.notifications,
                inlinedRecords + other.inlinedRecords,
                inlinedBytes + other.inlinedBytes,
                puts + other.puts,
                gets + other.gets,
                fallbackBytes + other.fallbackBytes,
                all,
                ways);
    }

    /** The form in which an instance passes it to its parent. */
    Properties toProperties() {
        Properties properties = new Properties();
        properties.setProperty("records", Long.toString(records));
        properties.setProperty("latencies", latencies.format());
        properties.setProperty("blobs", Long.toString(blobs));
        properties.setProperty("blobBytes", Long.toString(blobBytes));
        properties.setProperty("notifications", Long.toString(notifications));
        properties.setProperty("inlinedRecords", Long.toString(inlinedRecords));
        properties.setProperty("inlinedBytes", Long.toString(inlinedBytes));
        properties.setProperty("puts", Long.toString(puts));
        properties.setProperty("gets", Long.toString(gets));
        properties.setProperty("fallbackBytes", Long.toString(fallbackBytes));
        zones.forEach((zone, traffic) -> properties.setProperty(ZONE + zone, traffic.format()));
        flows.forEach(
                (flow, bytes) -> properties.setProperty(FLOW + flow.from() + ARROW + flow.to(), Long.toString(bytes)));
        return properties;
    }

    /** Reads the file that an instance wrote. */
    static DemoMeasurement read(Path file) {
        Properties properties = new Properties();
        try (var reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot read what an instance measured: " + e.getMessage() + ". Its log is beside the file.", e);
        }
        Map<String, ZoneTraffic> zones = new TreeMap<>();
        Map<Flow, Long> flows = new TreeMap<>();
        for (String name : properties.stringPropertyNames()) {
            if (name.startsWith(ZONE)) {
                zones.put(name.substring(ZONE.length()), ZoneTraffic.parse(properties.getProperty(name)));
            } else if (name.startsWith(FLOW)) {
                int arrow = name.indexOf(ARROW);
                Flow flow = new Flow(name.substring(FLOW.length(), arrow), name.substring(arrow + 1));
                flows.put(flow, number(properties, name));
            }
        }
        return new DemoMeasurement(
                number(properties, "records"),
                LatencyHistogram.parse(properties.getProperty("latencies")),
                number(properties, "blobs"),
                number(properties, "blobBytes"),
                number(properties, "notifications"),
                number(properties, "inlinedRecords"),
                number(properties, "inlinedBytes"),
                number(properties, "puts"),
                number(properties, "gets"),
                number(properties, "fallbackBytes"),
                zones,
                flows);
    }

    private static long number(Properties properties, String name) {
        return Long.parseLong(properties.getProperty(name));
    }
}
