package dev.blobshuffle.kstreams.internal.application;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kstreams.internal.commit.StreamsInternals;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.JmxReporter;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports an application that runs natively although its settings name
 * {@code BlobShuffleClientSupplier}. A supplier that is passed to the constructor of
 * {@code KafkaStreams} takes precedence over the setting, and Kafka then makes no instance of the
 * named class. But Kafka initializes the class while it parses the settings, which starts this
 * check. If stream threads run and no supplier has been configured, the check logs an error and
 * sets the metric {@code native-stream-threads}.
 *
 * <p>Settings may be parsed without an application, for example by a test driver. So the check
 * reports nothing before a stream thread runs. It repeats every few seconds, on a daemon thread. It
 * ends when a supplier is configured, after a report, or after a quarter of an hour.
 *
 * <pre>
 *   IDLE ──start──▶ WATCHING ──stream threads──▶ REPORTED
 *     │                │  └────time is up────▶ ENDED  │
 *     └───configured───┴──────────▶ ENDED ◀──configured (retracts the error)
 * </pre>
 *
 * <p>Thread-safe: guarded by {@code this}.
 */
public final class SupplierCheck {
    /** The check of this process. There is one, because Kafka initializes a class once. */
    public static final SupplierCheck PROCESS = new SupplierCheck(new SystemTime(), SupplierCheck::streamThreads);

    public static final String METRIC = "native-stream-threads";
    static final Duration INTERVAL = Duration.ofSeconds(3);
    static final Duration LIMIT = Duration.ofMinutes(15);

    private static final Logger LOG = LoggerFactory.getLogger(ApplicationSettings.SUPPLIER_CLASS);
    private static final String SPRING = "org.springframework.kafka.config.StreamsBuilderFactoryBean";

    private final Time time;
    private final Supplier<List<String>> runningThreads;
    private final Set<String> applications = ConcurrentHashMap.newKeySet();
    private State state = State.IDLE;
    private long begin;
    private @Nullable Metrics metrics;

    /**
     * A check that has not started.
     *
     * @param runningThreads names of the running stream threads
     */
    SupplierCheck(Time time, Supplier<List<String>> runningThreads) {
        this.time = time;
        this.runningThreads = runningThreads;
    }

    enum State {
        IDLE,
        WATCHING,
        REPORTED,
        ENDED
    }

    /** Starts the check, unless a supplier is configured already. */
    public synchronized void start() {
        if (state == State.IDLE) {
            state = State.WATCHING;
            begin = time.nanos();
            time.schedule(INTERVAL, this::look);
        }
    }

    private synchronized void look() {
        if (state != State.WATCHING) {
            return;
        }
        List<String> threads = runningThreads.get();
        if (!threads.isEmpty()) {
            report(threads);
        } else if (time.nanos() - begin >= LIMIT.toNanos()) {
            state = State.ENDED;
        } else {
            time.schedule(INTERVAL, this::look);
        }
    }

    private void report(List<String> threads) {
        state = State.REPORTED;
        LOG.error(
                "Kafka Streams runs natively in this process, without BlobShuffle: its clients come from another client supplier. Settings name"
                        + " default.client.supplier={}, but a supplier that is passed to the constructor of KafkaStreams takes precedence. {} Stream"
                        + " threads: {}. If these should run natively, remove default.client.supplier from their settings.",
                ApplicationSettings.SUPPLIER_CLASS,
                remedy(),
                threads);
        metrics = metrics();
    }

    private static String remedy() {
        return isPresent(SPRING)
                ? "Spring always passes one. Add the dependency dev.blobshuffle:blobshuffle-spring-boot-starter, or this bean: @Bean StreamsBuilderFactoryBeanConfigurer blobShuffle() { return factory ->"
                        + " factory.setClientSupplier(new BlobShuffleClientSupplier(factory.getStreamsConfiguration())); }"
                : "Pass this one: new KafkaStreams(topology, settings, new BlobShuffleClientSupplier(settings)), and name your own in"
                        + " blobshuffle.client.supplier.";
    }

    private static boolean isPresent(String type) {
        try {
            Class.forName(type, false, SupplierCheck.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    private Metrics metrics() {
        JmxReporter jmx = new JmxReporter();
        jmx.configure(Map.of());
        Metrics registry = new Metrics(
                new MetricConfig(),
                List.of(jmx),
                org.apache.kafka.common.utils.Time.SYSTEM,
                new KafkaMetricsContext("blobshuffle"));
        registry.addMetric(
                registry.metricName(
                        METRIC,
                        "blobshuffle-metrics",
                        "Stream threads that run natively although settings name BlobShuffle's client supplier."),
                (Gauge<Integer>) (ignored, now) -> runningThreads.get().size());
        return registry;
    }

    /** Called when a supplier is configured for an application. Retracts an error. */
    public synchronized void configured(String application) {
        applications.add(application);
        if (state == State.REPORTED) {
            LOG.info(
                    "Kafka Streams application {} has BlobShuffle's clients now. The error that it runs natively is"
                            + " withdrawn, unless it was about another application of this process.",
                    application);
        }
        state = State.ENDED;
        Metrics shown = metrics;
        if (shown != null) {
            metrics = null;
            shown.close();
        }
    }

    /** Whether a supplier has been configured for an application. */
    boolean isConfigured(String application) {
        return applications.contains(application);
    }

    synchronized State state() {
        return state;
    }

    private static List<String> streamThreads() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] threads = new Thread[2 * root.activeCount() + 64];
        int count = root.enumerate(threads);
        return Arrays.stream(threads, 0, count)
                .filter(StreamsInternals::isStreamThread)
                .map(Thread::getName)
                .sorted()
                .toList();
    }
}
