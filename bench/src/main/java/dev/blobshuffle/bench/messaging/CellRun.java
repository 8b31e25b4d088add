package dev.blobshuffle.bench.messaging;

import dev.blobshuffle.bench.application.Histograms;
import dev.blobshuffle.bench.process.CpuTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/** Runs one workload on one system once. Owned by one thread. */
final class CellRun {
    private static final int ZONES = 3;
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration DRAIN = Duration.ofSeconds(90);
    private static final double NANOS_PER_SECOND = 1e9;

    private final MessagingServers servers;
    private final Path directory;
    private final Workload workload;
    private final MessagingSystem system;
    private final List<ZoneProcess> zones = new ArrayList<>();

    CellRun(MessagingServers servers, Path directory, Workload workload, MessagingSystem system) {
        this.servers = servers;
        this.directory = directory;
        this.workload = workload;
        this.system = system;
    }

    /** CPU time and database work up to one moment. */
    private record Moment(long nanos, CpuTime clients, CpuTime servers, DatabaseWork database) {}

    /**
     * Runs it.
     *
     * @throws IOException if a process ends by itself, or does not begin or end in time
     */
    CellResult run(int round) throws IOException, SQLException, InterruptedException {
        String prefix = "bench-" + directory.getFileName();
        servers.createTopics(system, prefix, workload);
        try {
            startZones(prefix);
            long partitions = (long) workload.topics() * workload.partitions() * workload.subscriptions();
            await(START, "its consumers to own all partitions", () -> sum(ZoneProcess::owned) == partitions);
            tell("produce");
            sleep(workload.warmUp());
            tell("measure");
            Moment begin = moment();
            sleep(workload.measured());
            tell("end");
            Moment end = moment();
            return drain(round, begin, end);
        } finally {
            zones.forEach(ZoneProcess::close);
            servers.dropTopics(system, prefix, workload);
        }
    }

    private void startZones(String prefix) throws IOException {
        Files.createDirectories(directory);
        Path file = directory.resolve("workload.yaml");
        Files.write(file, WorkloadFile.format(workload), StandardCharsets.UTF_8);
        for (int zone = 0; zone < ZONES; zone++) {
            Properties settings = new Properties();
            servers.settings(zone).forEach(settings::setProperty);
            settings.setProperty("bench.system", system.name());
            settings.setProperty("bench.servers", servers.kafka());
            settings.setProperty("bench.workload", file.toString());
            settings.setProperty("bench.topic", prefix);
            settings.setProperty("bench.zone", Integer.toString(zone));
            settings.setProperty("bench.zones", Integer.toString(ZONES));
            zones.add(ZoneProcess.start(directory.resolve("zone-" + zone), settings));
        }
    }

    private CellResult drain(int round, Moment begin, Moment end) throws IOException, InterruptedException {
        await(
                DRAIN,
                "its producers to end",
                () -> zones.stream().allMatch(zone -> zone.published().isPresent()));
        long expected = sum(zone -> zone.published().orElse(0)) * workload.subscriptions();
        long deadline = System.nanoTime() + DRAIN.toNanos();
        while (sum(ZoneProcess::received) < expected && System.nanoTime() < deadline) {
            sleep(LOOK); // The check below reports missing records.
        }
        tell("stop");
        List<Properties> measured = new ArrayList<>();
        for (ZoneProcess zone : zones) {
            measured.add(zone.measured());
        }
        CpuTime clients = end.clients.since(begin.clients);
        CpuTime all = end.servers.since(begin.servers);
        return new CellResult(
                workload,
                system,
                round,
                (end.nanos - begin.nanos) / NANOS_PER_SECOND,
                sum(measured, "received"),
                histogram(measured, "latency"),
                histogram(measured, "publish"),
                clients.work(),
                all.work(),
                clients.compilers() + all.compilers(),
                end.database.since(begin.database),
                sum(measured, "puts"),
                sum(measured, "gets"),
                DeliveryCheck.problem(workload, measured));
    }

    static long sum(List<Properties> measured, String key) {
        return measured.stream()
                .mapToLong(zone -> Long.parseLong(zone.getProperty(key)))
                .sum();
    }

    private static Histogram histogram(List<Properties> measured, String key) {
        Histogram all = Window.histogram();
        measured.forEach(zone -> all.add(Histograms.parse(zone.getProperty(key))));
        return all;
    }

    private Moment moment() throws IOException, SQLException {
        return new Moment(
                System.nanoTime(),
                CpuTime.of(zones.stream().map(ZoneProcess::pid).toList()),
                servers.cpu(system),
                system.isKafka() ? new DatabaseWork(0, 0, 0) : servers.databaseWork());
    }

    private void tell(String order) throws IOException {
        for (ZoneProcess zone : zones) {
            zone.tell(order);
        }
    }

    /** Sleeps, and fails if a process ends meanwhile. */
    private void sleep(Duration time) throws IOException, InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        do {
            for (ZoneProcess zone : zones) {
                zone.check();
            }
            Thread.sleep(Math.max(0, Math.min(LOOK.toMillis(), (end - System.nanoTime()) / 1_000_000)));
        } while (System.nanoTime() < end);
    }

    private void await(Duration patience, String what, BooleanSupplier condition)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IOException("Cannot run " + workload.name() + " on " + system.title() + ": waited "
                        + patience.toSeconds() + " s for " + what + ". Is the machine too busy?");
            }
            sleep(LOOK);
        }
    }

    private long sum(ToLongFunction<ZoneProcess> number) {
        return zones.stream().mapToLong(number).sum();
    }
}
