package dev.blobshuffle.bench.application;

import dev.blobshuffle.bench.observed.StoreLatencies;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.workload.BenchWorkload;
import dev.blobshuffle.bench.workload.Probes;
import dev.blobshuffle.bench.workload.Topics;
import dev.blobshuffle.bench.workload.Workloads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;

/**
 * One instance of a workload, in a process of its own.
 *
 * <p>Standard output: {@code count N} several times a second, N records after the shuffle so far,
 * and {@code state STATE} at every change. It measures latencies and counters between the lines
 * {@code measure} and {@code end} on standard input. At {@code stop} it stops in order and writes
 * its measurements. It exits at once when its standard input ends.
 */
public final class BenchApplication {
    /** Prefix of the settings that are this application's own. */
    public static final String OWN = "bench.";

    /**
     * The property of the measurements file that holds the latencies of records, as {@link
     * Histograms} writes them.
     */
    public static final String LATENCIES = "latencies";

    /** The same for puts that succeeded. */
    public static final String PUT_LATENCIES = "put-latencies";

    /** The same for gets that succeeded. */
    public static final String GET_LATENCIES = "get-latencies";

    private static final Duration REPORT_INTERVAL = Duration.ofMillis(50);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(60);

    private final Probes probes = new Probes();
    private final PrintStream toParent;

    private BenchApplication(PrintStream toParent) {
        this.toParent = toParent;
    }

    /**
     * Runs an instance.
     *
     * @param args one: the file with the settings of Kafka Streams, the parameters, and
     *     {@code bench.workload}, {@code bench.operators}, {@code bench.input},
     *     {@code bench.measured}
     */
    public static void main(String[] args) throws IOException {
        PrintStream toParent = System.out;
        System.setOut(System.err);
        Properties settings = new Properties();
        try (var reader = Files.newBufferedReader(Path.of(args[0]))) {
            settings.load(reader);
        }
        try {
            new BenchApplication(toParent).run(settings);
        } catch (IOException | InterruptedException | RuntimeException e) {
            e.printStackTrace(); // The parent shows it. Stream threads would keep the process.
            Runtime.getRuntime().halt(1);
        }
    }

    private void run(Properties settings) throws IOException, InterruptedException {
        Parameters parameters = Parameters.of(settings).overriddenBy(System.getenv());
        Topics topics = new Topics(settings.getProperty("application.id"), settings.getProperty(OWN + "input"));
        StreamsBuilder builder = new StreamsBuilder();
        BenchWorkload workload = Workloads.named(settings.getProperty(OWN + "workload"));
        if (Boolean.parseBoolean(settings.getProperty(OWN + "operators"))) {
            workload.defineWithOperators(builder, parameters, topics, probes);
        } else {
            workload.define(builder, parameters, topics, probes);
        }
        Properties kafkas = kafkas(settings);
        KafkaStreams streams = new KafkaStreams(builder.build(kafkas), kafkas);
        CountDownLatch end = new CountDownLatch(1);
        streams.setStateListener((now, before) -> tell("state " + now));
        streams.setUncaughtExceptionHandler(failure -> {
            failure.printStackTrace();
            if (parameters.hasFaults()) {
                // Replaces the thread, as production applications do: Kafka Streams treats some
                // answers of a restarted broker as fatal (KAFKA-19690).
                return StreamThreadExceptionResponse.REPLACE_THREAD;
            }
            Runtime.getRuntime().halt(1);
            throw new AssertionError(failure);
        });
        Thread reporter = new Thread(() -> report(end), "report");
        reporter.setDaemon(true);
        reporter.start();
        streams.start();
        Properties measured = obey();
        // The check of a run covers all of it.
        Counters total = Counters.now();
        measured.setProperty("dropped-records-total", Double.toString(total.dropped()));
        measured.setProperty("store-failures-total", Double.toString(total.storeFailures()));
        boolean isClosed = streams.close(CLOSE_TIMEOUT);
        end.countDown();
        reporter.join();
        measured.setProperty("count", Long.toString(probes.count()));
        measured.setProperty("checksum", Long.toString(probes.checksum()));
        try (OutputStream out = Files.newOutputStream(Path.of(settings.getProperty(OWN + "measured")))) {
            measured.store(out, null);
        }
        System.exit(isClosed ? 0 : 1);
    }

    /** Follows the parent's orders until {@code stop}; returns the measurements of the window. */
    private Properties obey() throws IOException {
        MeasuredWindow window = new MeasuredWindow(
                Counters::now,
                Map.of(
                        LATENCIES, probes::latencies,
                        PUT_LATENCIES, StoreLatencies.OF_THIS_PROCESS::puts,
                        GET_LATENCIES, StoreLatencies.OF_THIS_PROCESS::gets));
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            switch (order) {
                case "measure" -> window.begin();
                case "end" -> window.end();
                case "stop" -> {
                    return window.measured();
                }
                default -> throw new IOException("Cannot follow the order '" + order + "': it is unknown.");
            }
        }
        Runtime.getRuntime().halt(1);
        throw new AssertionError("halted");
    }

    private static Properties kafkas(Properties settings) {
        Properties kafkas = new Properties();
        settings.stringPropertyNames().stream()
                .filter(name -> !name.startsWith(OWN))
                .forEach(name -> kafkas.setProperty(name, settings.getProperty(name)));
        return kafkas;
    }

    private void report(CountDownLatch end) {
        try {
            do {
                tell("count " + probes.count());
            } while (!end.await(REPORT_INTERVAL.toMillis(), TimeUnit.MILLISECONDS));
            // The run waits until all records are counted, including those of an instance that
            // leaves.
            tell("count " + probes.count());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tell(String line) {
        toParent.println(line);
        toParent.flush();
    }
}
