package dev.blobshuffle.bench.application;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import javax.management.AttributeNotFoundException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * The counters of Kafka and the shuffle in this process, read through JMX.
 *
 * @param sums counters, by name
 */
record Counters(Map<String, Double> sums) {
    private static final String SHUFFLE = "blobshuffle:type=blobshuffle-metrics,*";
    private static final String DROPPED = "dropped-records";
    private static final List<String> COUNTED = List.of(
            "blobs-stored",
            "blob-bytes-stored",
            "notifications-sent",
            "records-inlined",
            "bytes-inlined",
            "puts",
            "gets",
            "put-failures",
            "get-failures",
            "bytes-fetched",
            "cache-memory-hits",
            "cache-disk-hits",
            "cache-zone-hits",
            "batches-sealed-size",
            "batches-sealed-delay",
            "batches-sealed-flush",
            "batches-sealed-memory");

    static Counters none() {
        return new Counters(Map.of());
    }

    static Counters now() {
        Map<String, Double> sums = new TreeMap<>();
        COUNTED.forEach(name -> sums.put(name, read(SHUFFLE, name)));
        sums.put(
                "shuffle-broker-bytes",
                read("kafka.producer:type=producer-topic-metrics,topic=*-repartition,*", "byte-total"));
        sums.put(DROPPED, read("kafka.streams:type=stream-task-metrics,*", "dropped-records-total"));
        return new Counters(sums);
    }

    private static double read(String pattern, String attribute) {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            double result = 0;
            for (ObjectName name : server.queryNames(new ObjectName(pattern), null)) {
                result += read(server, name, attribute);
            }
            return result;
        } catch (JMException e) {
            throw new IllegalStateException(
                    "Cannot read metric " + attribute + ": " + e.getMessage() + ". Is it in docs/metrics.md?", e);
        }
    }

    /**
     * Zero if Kafka has no such counter. A new task does not have all of its counters yet, and a
     * task that has just ended has none.
     */
    private static double read(MBeanServer server, ObjectName name, String attribute) throws JMException {
        try {
            return server.getAttribute(name, attribute) instanceof Number number
                            && Double.isFinite(number.doubleValue())
                    ? number.doubleValue()
                    : 0;
        } catch (AttributeNotFoundException | InstanceNotFoundException e) {
            if (name.getDomain().startsWith("kafka.")) {
                return 0;
            }
            throw e;
        }
    }

    /** Updates that Kafka Streams dropped since the process started. */
    double dropped() {
        return sums.getOrDefault(DROPPED, 0.0);
    }

    /** Requests to the store that failed since the process started. */
    double storeFailures() {
        return sums.getOrDefault("put-failures", 0.0) + sums.getOrDefault("get-failures", 0.0);
    }

    /** The counts since an earlier reading. */
    Properties since(Counters earlier) {
        Properties properties = new Properties();
        sums.forEach((name, value) ->
                properties.setProperty(name, Double.toString(value - earlier.sums.getOrDefault(name, 0.0))));
        return properties;
    }
}
