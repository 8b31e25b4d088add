package dev.blobshuffle.bench.paper;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Processor time of the application, seconds, with Kafka Streams and the store's client.
 *
 * @param perRecord for each record, whatever its size
 * @param perByte for each byte of a record
 * @param perNotification for each notification, sent and read
 * @param perPut for each put, whatever its size
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

    /** For the JSON, in microseconds and, for bytes, seconds per GiB. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("record_microseconds", perRecord * 1e6);
        json.put("byte_seconds_per_gib", perByte * GIBIBYTE);
        json.put("notification_microseconds", perNotification * 1e6);
        json.put("put_microseconds", perPut * 1e6);
        json.put("get_microseconds", perGet * 1e6);
        json.put("put_seconds_per_gib", perPutByte * GIBIBYTE);
        json.put("get_seconds_per_gib", perGetByte * GIBIBYTE);
        return json;
    }
}
