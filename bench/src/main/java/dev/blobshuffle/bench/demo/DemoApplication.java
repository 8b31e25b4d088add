package dev.blobshuffle.bench.demo;

import dev.blobshuffle.core.internal.metrics.Flow;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KafkaStreams.State;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;

/**
 * The main class of an instance of the demo's application: {@link DemoTopology} with settings from
 * a file. Only the settings decide whether it runs natively or through blobs. Arguments: the
 * settings file, and the file for the measurements. It prints {@code state <State>} on standard
 * output at every change of state, and measures latency from the line {@code measure} on standard
 * input on. When standard input ends, its parent wants it to stop or has ended: it stops in order
 * and writes its measurements.
 */
final class DemoApplication {
    /** The prefix of a line that reports a change of state. */
    static final String STATE = "state ";

    /** The parent's line at the end of the warm-up. */
    static final String MEASURE = "measure";

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(60);
    private static final String SHUFFLE_METRICS = "blobshuffle:type=blobshuffle-metrics,*";
    private static final String ZONE_METRICS = "blobshuffle:type=blobshuffle-zone-metrics,*";

    private DemoApplication() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream toParent = System.out;
        System.setOut(System.err);
        ShuffleProbe probe = new ShuffleProbe(Clock.systemUTC());
        Properties settings = settings(Path.of(arguments[0]));
        KafkaStreams streams = new KafkaStreams(DemoTopology.topology(probe::text), settings);
        streams.setStateListener((now, before) -> announce(toParent, now));
        streams.setUncaughtExceptionHandler(failure -> {
            failure.printStackTrace();
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.start();
        obey(probe);
        DemoMeasurement measured = measured(probe, settings);
        boolean closed = streams.close(CLOSE_TIMEOUT);
        try (OutputStream out = Files.newOutputStream(Path.of(arguments[1]))) {
            measured.toProperties().store(out, null);
        }
        System.exit(closed ? 0 : 1);
    }

    private static DemoMeasurement measured(ShuffleProbe probe, Properties settings) {
        return new DemoMeasurement(
                probe.records(),
                probe.latencies(),
                shuffleMetric("blobs-stored"),
                shuffleMetric("blob-bytes-stored"),
                shuffleMetric("notifications-sent"),
                shuffleMetric("records-inlined"),
                shuffleMetric("bytes-inlined"),
                shuffleMetric("puts"),
                shuffleMetric("gets"),
                shuffleMetric("bytes-fallback"),
                settings.containsKey("blobshuffle.store")
                        ? Map.of(settings.getProperty("client.rack"), zoneTraffic())
                        : Map.of(),
                flows());
    }

    /**
     * If a cache served another instance, the hit belongs to that instance, which counts it as a
     * hit of the zone.
     */
    private static ZoneTraffic zoneTraffic() {
        long own =
                shuffleMetric("cache-memory-hits") + shuffleMetric("cache-disk-hits") - shuffleMetric("peer-requests");
        return new ZoneTraffic(
                Math.max(0, own) + shuffleMetric("cache-zone-hits"),
                shuffleMetric("cache-memory-bytes") + shuffleMetric("cache-disk-bytes"));
    }

    /** Bytes of blobs by origin and destination. */
    private static Map<Flow, Long> flows() {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            Map<Flow, Long> flows = new HashMap<>();
            for (ObjectName name : server.queryNames(new ObjectName(ZONE_METRICS), null)) {
                Flow flow = new Flow(name.getKeyProperty("from"), name.getKeyProperty("to"));
                flows.merge(flow, ((Number) server.getAttribute(name, "payload-bytes")).longValue(), Long::sum);
            }
            return flows;
        } catch (JMException e) {
            throw new IllegalStateException(
                    "Cannot read the bytes between zones: " + e.getMessage() + ". Is it in docs/metrics.md?", e);
        }
    }

    private static void announce(PrintStream toParent, State state) {
        toParent.println(STATE + state);
        toParent.flush();
    }

    private static Properties settings(Path file) throws IOException {
        Properties settings = new Properties();
        try (var reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            settings.load(reader);
        }
        return settings;
    }

    /** Follows the parent's lines until standard input ends. */
    private static void obey(ShuffleProbe probe) throws IOException {
        BufferedReader words = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String word = words.readLine(); word != null; word = words.readLine()) {
            if (word.equals(MEASURE)) {
                probe.begin();
            }
        }
    }

    /** A number that the shuffle publishes through JMX; 0 where there is none, in a native run. */
    private static long shuffleMetric(String name) {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            Set<ObjectName> engines = server.queryNames(new ObjectName(SHUFFLE_METRICS), null);
            long sum = 0;
            for (ObjectName engine : engines) {
                sum += ((Number) server.getAttribute(engine, name)).longValue();
            }
            return sum;
        } catch (JMException e) {
            throw new IllegalStateException(
                    "Cannot read metric " + name + ": " + e.getMessage() + ". Is it in docs/metrics.md?", e);
        }
    }
}
