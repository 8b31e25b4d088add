package dev.blobshuffle.kstreams.chaos;

import dev.blobshuffle.kstreams.ChaosSupplier;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;

/**
 * An instance in its own process. It reads commands from standard input and halts when that ends,
 * so it never outlives its parent. Every 10 ms it prints
 * {@code status STATE PUTS GETS FAULTS DEATHS DELETED}: puts and gets in flight, failed requests,
 * stream threads that died, and deleted blobs.
 */
final class ChaosApplication {
    private static final Duration STATUS_INTERVAL = Duration.ofMillis(10);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

    private final AtomicInteger deaths = new AtomicInteger();
    private final KafkaStreams streams;

    private ChaosApplication(Properties settings) {
        streams = new KafkaStreams(
                ChaosTopology.build(ChaosVariant.valueOf(settings.getProperty(ChaosVariant.SETTING))), settings);
        streams.setUncaughtExceptionHandler(failure -> {
            System.err.println("A stream thread dies: " + failure);
            deaths.incrementAndGet();
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        });
    }

    /** Runs an instance with the settings of Kafka Streams from a file. */
    public static void main(String[] args) throws IOException {
        Properties settings = new Properties();
        try (InputStream in = Files.newInputStream(Path.of(args[0]))) {
            settings.load(in);
        }
        ChaosApplication application = new ChaosApplication(settings);
        Thread reporter = new Thread(application::report, "report");
        reporter.setDaemon(true);
        reporter.start();
        application.streams.start();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            application.obey(order.split(" "));
        }
        Runtime.getRuntime().halt(1);
    }

    private void obey(String[] order) {
        switch (order[0]) {
            case "throw" -> ChaosTopology.THROW.set(true);
            case "dawdle" -> ChaosTopology.DAWDLE.set(Long.parseLong(order[1]));
            case "clock" -> ChaosSupplier.jump(Duration.ofMillis(Long.parseLong(order[1])));
            case "halt" -> Runtime.getRuntime().halt(1);
            case "store" -> ChaosStoreProvider.become(ChaosFault.Store.valueOf(order[1]));
            case "replace" -> {
                streams.addStreamThread();
                streams.removeStreamThread(CLOSE_TIMEOUT);
            }
            case "describe" -> describe();
            case "close" -> Runtime.getRuntime().halt(streams.close(CLOSE_TIMEOUT) ? 0 : 1);
            default -> throw new IllegalArgumentException(order[0]);
        }
    }

    /** Prints what is needed to understand a run that is stuck. */
    private void describe() {
        streams.metadataForLocalThreads().forEach(thread -> System.err.println("stuck: " + thread));
        streams.metrics().forEach((name, metric) -> {
            if (name.name().equals("records-lag") || name.name().equals("task-created-total")) {
                System.err.println("stuck: " + name.tags() + " " + name.name() + " " + metric.metricValue());
            }
        });
        StuckProducers.describe().forEach(line -> System.err.println("stuck: " + line));
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (thread.getName().contains("StreamThread") || thread.getName().contains("StateUpdater")) {
                System.err.println("stuck: " + thread.getName() + " "
                        + Arrays.stream(stack).limit(14).toList());
            }
        });
    }

    private void report() {
        CountDownLatch never = new CountDownLatch(1);
        try {
            do {
                System.out.println("status " + streams.state() + " " + ChaosStoreProvider.putsInFlight() + " "
                        + ChaosStoreProvider.getsInFlight() + " " + ChaosStoreProvider.faults() + " " + deaths.get()
                        + " "
                        + ChaosStoreProvider.deleted());
            } while (!never.await(STATUS_INTERVAL.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
