package dev.blobshuffle.kstreams;

import dev.blobshuffle.kstreams.internal.application.PlainClientSupplier;
import dev.blobshuffle.kstreams.internal.application.SupplierCheck;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.awaitility.Awaitility;

/**
 * An application in its own process. Its settings name our supplier, but like Spring it passes
 * another supplier to the constructor of KafkaStreams. When that is reported, it follows the
 * report's advice.
 */
final class NativeApplication {
    static final String INPUT = "native-in";
    static final String METRIC_IS = "metric is ";
    static final String METRIC_IS_GONE = "metric is gone";

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private NativeApplication() {}

    static Process start(String bootstrap, Path directory) throws Exception {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.log.dev.blobshuffle=info",
                "-cp",
                System.getProperty("java.class.path"),
                NativeApplication.class.getName(),
                bootstrap,
                directory.toString());
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    static Properties settings(String bootstrap, String application, Path directory) {
        Properties settings = new Properties();
        settings.put("application.id", application);
        settings.put("client.id", application);
        settings.put("bootstrap.servers", bootstrap);
        settings.put("state.dir", directory.resolve("state").toString());
        // An instance that ends leaves its group when its session times out.
        settings.put("session.timeout.ms", 3_000);
        settings.put("heartbeat.interval.ms", 500);
        settings.put("default.client.supplier", BlobShuffleClientSupplier.class.getName());
        settings.put("blobshufle.zone", "eu-1a"); // misspelt
        settings.put("blobshuffle.store", "file://" + directory.resolve("blobs"));
        return settings;
    }

    private static Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(INPUT, Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
                .foreach((key, value) -> {});
        return builder.build();
    }

    public static void main(String[] arguments) throws Exception {
        Properties settings = settings(arguments[0], "native-app", Path.of(arguments[1]));
        MBeanServer jmx = ManagementFactory.getPlatformMBeanServer();
        ObjectName bean = new ObjectName("blobshuffle:type=blobshuffle-metrics");
        try (KafkaStreams streams = new KafkaStreams(topology(), settings, new PlainClientSupplier())) {
            streams.start();
            await(jmx, bean, true);
            System.out.println(METRIC_IS + jmx.getAttribute(bean, SupplierCheck.METRIC));
        }
        try (KafkaStreams streams = new KafkaStreams(topology(), settings, new BlobShuffleClientSupplier(settings))) {
            await(jmx, bean, false);
            System.out.println(METRIC_IS_GONE);
            streams.start();
            await("a running application", () -> streams.state() == KafkaStreams.State.RUNNING);
        }
    }

    private static void await(MBeanServer jmx, ObjectName bean, boolean there) {
        await("a bean: " + there, () -> jmx.isRegistered(bean) == there);
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(condition);
    }
}
