package dev.blobshuffle.bench.messaging;

import dev.blobshuffle.bench.application.Histograms;
import dev.blobshuffle.bench.observed.StoreLatencies;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.HdrHistogram.Histogram;

/**
 * The main class of a zone's producers and consumers. It reads orders from standard input: {@code
 * produce}, {@code measure}, {@code end}, {@code stop}. When standard input ends, the process ends.
 */
final class ZoneMain {
    private static final Duration STATUS = Duration.ofMillis(100);

    private final Properties settings;
    private final PrintStream out;
    private final Workload workload;
    private final Client client;
    private final Window window = new Window();
    private final List<GroupCheck> groups = new ArrayList<>();
    private final List<ConsumerLoop> consumers = new ArrayList<>();
    private final List<ProducerLoop> producers = new ArrayList<>();
    private long puts;
    private long gets;
    private long received;

    private ZoneMain(Properties settings, PrintStream out) throws IOException {
        this.settings = settings;
        this.out = out;
        workload = WorkloadFile.read(Path.of(settings.getProperty("bench.workload")));
        client = client(settings);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        PrintStream out = System.out;
        System.setOut(System.err);
        Properties settings = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(arguments[0]), StandardCharsets.UTF_8)) {
            settings.load(reader);
        }
        new ZoneMain(settings, out).run();
        System.exit(0);
    }

    private static Client client(Properties settings) {
        MessagingSystem system = MessagingSystem.valueOf(settings.getProperty("bench.system"));
        if (system.isKafka()) {
            return new KafkaClient(system, settings.getProperty("bench.servers"));
        }
        Map<String, String> messaging = new HashMap<>();
        settings.stringPropertyNames().stream()
                .filter(key -> key.startsWith("blobshuffle."))
                .forEach(key -> messaging.put(key, settings.getProperty(key)));
        return new BlobClient(messaging);
    }

    private void run() throws IOException, InterruptedException {
        open();
        Thread status = new Thread(this::reportStatus, "bench-status");
        status.setDaemon(true);
        status.start();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            switch (order) {
                case "produce" -> producers.forEach(ProducerLoop::start);
                case "measure" -> beginWindow();
                case "end" -> endWindow();
                case "stop" -> {
                    stop();
                    return;
                }
                default -> throw new IOException("Cannot obey '" + order + "': the order is unknown.");
            }
        }
        throw new IOException("Cannot go on: the parent is gone.");
    }

    /**
     * Opens the producers and consumers of this zone: each n-th of all, where n is the number of
     * zones.
     */
    private void open() {
        int zone = Integer.parseInt(settings.getProperty("bench.zone"));
        int zones = Integer.parseInt(settings.getProperty("bench.zones"));
        boolean isTransactional =
                MessagingSystem.valueOf(settings.getProperty("bench.system")).isTransactional();
        for (int group = 0; group < workload.subscriptions(); group++) {
            groups.add(new GroupCheck(workload));
        }
        for (int topic = 0; topic < workload.topics(); topic++) {
            String name = settings.getProperty("bench.topic") + "-" + topic;
            for (int group = 0; group < workload.subscriptions(); group++) {
                for (int i = zone; i < workload.consumers(); i += zones) {
                    ConsumerLoop loop = new ConsumerLoop(
                            client.consumer(name + "-group-" + group, name), groups.get(group), window);
                    consumers.add(loop);
                    loop.start();
                }
            }
            for (int i = zone; i < workload.producers(); i += zones) {
                int number = topic * workload.producers() + i;
                producers.add(new ProducerLoop(
                        client.producer(name + "-producer-" + i), name, workload, number, isTransactional, window));
            }
        }
    }

    private void beginWindow() {
        // Each call begins a new count of requests.
        var ignoredPuts = StoreLatencies.OF_THIS_PROCESS.puts();
        var ignoredGets = StoreLatencies.OF_THIS_PROCESS.gets();
        received = received();
        window.begin();
    }

    private void endWindow() throws InterruptedException {
        window.end();
        received = received() - received;
        puts = StoreLatencies.OF_THIS_PROCESS.puts().getTotalCount();
        gets = StoreLatencies.OF_THIS_PROCESS.gets().getTotalCount();
        for (ProducerLoop producer : producers) {
            producer.finish();
        }
        say("published " + producers.stream().mapToLong(ProducerLoop::published).sum());
    }

    private void stop() throws IOException, InterruptedException {
        Histogram latency = Window.histogram();
        for (ConsumerLoop consumer : consumers) {
            consumer.finish();
            latency.add(consumer.latency());
        }
        client.close();
        Properties measured = new Properties();
        measured.setProperty("latency", Histograms.format(latency));
        measured.setProperty("publish", Histograms.format(window.published()));
        put(measured, "received", received);
        put(measured, "puts", puts);
        put(measured, "gets", gets);
        put(
                measured,
                "published",
                producers.stream().mapToLong(ProducerLoop::published).sum());
        put(
                measured,
                "published.sum",
                producers.stream().mapToLong(ProducerLoop::sum).sum());
        put(
                measured,
                "failed",
                producers.stream().mapToLong(ProducerLoop::failed).sum());
        for (int group = 0; group < groups.size(); group++) {
            put(measured, "count." + group, groups.get(group).count());
            put(measured, "sum." + group, groups.get(group).sum());
            put(measured, "wrong." + group, groups.get(group).wrong());
        }
        try (Writer writer =
                Files.newBufferedWriter(Path.of(settings.getProperty("bench.measured")), StandardCharsets.UTF_8)) {
            measured.store(writer, null);
        }
    }

    private static void put(Properties properties, String key, long number) {
        properties.setProperty(key, Long.toString(number));
    }

    private long received() {
        return groups.stream().mapToLong(GroupCheck::count).sum();
    }

    private void reportStatus() {
        try {
            while (true) {
                long owned = consumers.stream().mapToLong(ConsumerLoop::owned).sum();
                say("status " + owned + " " + received());
                Thread.sleep(STATUS.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void say(String line) {
        out.println(line);
        out.flush();
    }
}
