package dev.blobshuffle.bench.paper;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Processor time of the application, seconds, with Kafka Streams and the store's client.
 *
 * @param perRecord for each record, whatever its size
 * @param perByte for each byte of a record
 * @param perNotification for each notification, sent and read
 * @param perPut for each batch and its put, whatever its size
 * @param perGet for each get
 * @param perPutByte for each byte put
 * @param perGetByte for each byte got
 */
public record CpuCost(
        double perRecord,
        double perByte,
        double perNotification,
        double perPut,
        double perGet,
        double perPutByte,
        double perGetByte) {
    private static final double GIBIBYTE = 1 << 30;
    private static final double MICROS = 1e6;
    private static final int PROCESSORS_PER_INSTANCE = 2;

    /** An r6in.xlarge in us-east-1, USD per hour, and its virtual processors. */
    private static final double USD_PER_NODE_HOUR = 0.34866;

    private static final int PROCESSORS_PER_NODE = 4;

    /** Processor seconds for each GiB of values that a cluster shuffles. */
    public double perGibibyte(ClusterResult result) {
        double perSecond = result.gibibytesPerSecond();
        double stored = result.overhead() * GIBIBYTE;
        double fetched = result.fetchedShare() * GIBIBYTE;
        return GIBIBYTE / Deployment.VALUE_BYTES * perRecord
                + GIBIBYTE * perByte
                + result.notificationsPerSecond() / perSecond * perNotification
                + result.putsPerSecond() / perSecond * perPut
                + result.getsPerSecond() / perSecond * perGet
                + stored * perPutByte
                + fetched * perGetByte;
    }

    /** GiB per second at which every processor of the cluster is busy. */
    public double limit(ClusterResult result) {
        return result.deployment().instances() * PROCESSORS_PER_INSTANCE / perGibibyte(result);
    }

    /** Price of the nodes for 1 GiB per second. */
    public double usdPerHour(ClusterResult result) {
        return perGibibyte(result) / PROCESSORS_PER_NODE * USD_PER_NODE_HOUR;
    }

    /**
     * Reads the times from a file that contains {@link #asJson}.
     *
     * @throws IllegalArgumentException if the file has no such times
     */
    public static CpuCost read(Path file) throws IOException {
        JsonNode cpu = new ObjectMapper().readTree(file.toFile()).path("cpu");
        if (!cpu.isObject()) {
            throw new IllegalArgumentException(
                    "Cannot take processor times from " + file + ": it has none. Give the JSON of a run with them.");
        }
        return new CpuCost(
                cpu.path("record_microseconds").asDouble() / MICROS,
                cpu.path("byte_seconds_per_gib").asDouble() / GIBIBYTE,
                cpu.path("notification_microseconds").asDouble() / MICROS,
                cpu.path("put_microseconds").asDouble() / MICROS,
                cpu.path("get_microseconds").asDouble() / MICROS,
                cpu.path("put_seconds_per_gib").asDouble() / GIBIBYTE,
                cpu.path("get_seconds_per_gib").asDouble() / GIBIBYTE);
    }

    /** For the JSON, in microseconds and, for bytes, seconds per GiB. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("record_microseconds", perRecord * MICROS);
        json.put("byte_seconds_per_gib", perByte * GIBIBYTE);
        json.put("notification_microseconds", perNotification * MICROS);
        json.put("put_microseconds", perPut * MICROS);
        json.put("get_microseconds", perGet * MICROS);
        json.put("put_seconds_per_gib", perPutByte * GIBIBYTE);
        json.put("get_seconds_per_gib", perGetByte * GIBIBYTE);
        return json;
    }
}
