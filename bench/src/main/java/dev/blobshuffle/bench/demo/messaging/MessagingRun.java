package dev.blobshuffle.bench.demo.messaging;

import dev.blobshuffle.bench.demo.DemoFailedException;
import dev.blobshuffle.bench.demo.LatencyHistogram;
import dev.blobshuffle.bench.demo.Progress;
import dev.blobshuffle.bench.demo.Workspace;
import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.Records;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscriber;
import dev.blobshuffle.messaging.Subscription;
import dev.blobshuffle.messaging.Topic;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** One run of the demo of messaging. Owned by one thread. */
final class MessagingRun {
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration DRAIN = Duration.ofSeconds(90);
    private static final Duration QUIET = Duration.ofSeconds(5);
    private static final Duration WAIT = Duration.ofMillis(500);
    private static final int MICROS_PER_MILLI = 1000;

    private final MessagingOptions options;
    private final Workspace workspace;
    private final Progress progress;
    private final Path directory;
    private final List<ChildProcess> publishers = new ArrayList<>();
    private final List<ChildProcess> subscribers = new ArrayList<>();
    private int kills;
    private int failovers;

    MessagingRun(MessagingOptions options, Workspace workspace, Progress progress) {
        this.options = options;
        this.workspace = workspace;
        this.progress = progress;
        directory = workspace.directory("processes");
    }

    /**
     * Runs it.
     *
     * @throws DemoFailedException if a process cannot start, or ends by itself
     */
    MessagingResult run(DemoStore store) {
        progress.begin("starting PostgreSQL with a synchronous standby");
        try (DemoDatabase database = DemoDatabase.start(workspace.directory("credentials"))) {
            createTopics(database, store);
            progress.begin("starting a publisher and a subscriber in each of " + options.zones() + " zones");
            startAll(database, store);
            traffic("publishing and subscribing");
            if (options.faults() > 0) {
                drill(database, store);
            } else {
                showFaults(database, store);
            }
            return stopAndCheck(database, store);
        } finally {
            Stream.concat(publishers.stream(), subscribers.stream()).forEach(ChildProcess::kill);
        }
    }

    private void showFaults(DemoDatabase database, DemoStore store) {
        killPublisher(database, store);
        traffic("publishing under the same name in another process, which fences the killed one");
        killSubscriber(database, store);
        traffic("another subscriber has joined; the killed one's partitions follow when its lease ends");
        progress.begin("kill -9 of the primary, promotion of the standby");
        database.failOver();
        traffic("publishing and subscribing with the new primary");
        progress.begin("adding a synchronous standby to the new primary");
        database.protectAgain();
        failovers++;
    }

    private void drill(DemoDatabase database, DemoStore store) {
        FaultDrill drill = new FaultDrill(
                database,
                progress,
                publishers,
                subscribers,
                (zone, life) -> publisher(database, store, zone, life),
                (zone, life) -> subscriber(database, store, zone, life));
        drill.run(options.faults(), options.seed());
        kills += drill.kills();
        failovers += drill.failovers();
    }

    private MessagingResult stopAndCheck(DemoDatabase database, DemoStore store) {
        progress.begin("stopping the publishers");
        publishers.forEach(ChildProcess::beginStop);
        publishers.forEach(ChildProcess::finishStop);
        Set<OrderRecord> acknowledged = acknowledged();
        progress.begin("waiting for the subscribers to catch up");
        awaitRows(database, acknowledged.size());
        subscribers.forEach(ChildProcess::beginStop);
        subscribers.forEach(ChildProcess::finishStop);
        progress.begin("checking " + acknowledged.size() + " records, one by one");
        RecordAudit table = new RecordAudit();
        LatencyHistogram latency = new LatencyHistogram();
        readTable(database, table, latency);
        RecordAudit receipts = readReceipts(database, store, table.arrived());
        return new MessagingResult(
                acknowledged.size(),
                table,
                receipts,
                table.lost(acknowledged) + receipts.lost(acknowledged),
                kills,
                failovers,
                store.puts(),
                database.commits(),
                latency);
    }

    private void createTopics(DemoDatabase database, DemoStore store) {
        try (Messaging messaging = Messaging.open(settings(database, store, 0))) {
            for (String name : List.of(DemoDatabase.ORDERS, DemoDatabase.RECEIPTS)) {
                boolean ignored = messaging.topics().create(Topic.named(name).partitions(options.partitions()));
            }
        }
    }

    private void startAll(DemoDatabase database, DemoStore store) {
        for (int zone = 0; zone < options.zones(); zone++) {
            subscribers.add(subscriber(database, store, zone, 0));
            publishers.add(publisher(database, store, zone, 0));
        }
        subscribers.forEach(ChildProcess::awaitReady);
        publishers.forEach(ChildProcess::awaitReady);
    }

    private void killPublisher(DemoDatabase database, DemoStore store) {
        progress.begin("kill -9 of the publisher in " + MessagingOptions.zone(0));
        publishers.get(0).kill();
        kills++;
        publishers.set(0, publisher(database, store, 0, 1));
        publishers.get(0).awaitReady();
    }

    private void killSubscriber(DemoDatabase database, DemoStore store) {
        progress.begin("kill -9 of the subscriber in " + MessagingOptions.zone(1));
        subscribers.get(1).kill();
        kills++;
        subscribers.set(1, subscriber(database, store, 1, 1));
        subscribers.get(1).awaitReady();
    }

    private ChildProcess publisher(DemoDatabase database, DemoStore store, int zone, int life) {
        String name = "publisher-" + zone;
        return ChildProcess.start(
                PublisherProcess.class,
                new ChildSettings(name, name + "." + life, directory, options.rate(), settings(database, store, zone)));
    }

    private ChildProcess subscriber(DemoDatabase database, DemoStore store, int zone, int life) {
        String name = "subscriber-" + zone;
        return ChildProcess.start(
                SubscriberProcess.class,
                new ChildSettings(name, name + "." + life, directory, 0, settings(database, store, zone)));
    }

    private Map<String, String> settings(DemoDatabase database, DemoStore store, int zone) {
        Map<String, String> settings = new HashMap<>();
        settings.put("blobshuffle.log", database.uri());
        settings.put("blobshuffle.store", store.uri());
        settings.put("blobshuffle.zone", MessagingOptions.zone(zone));
        settings.put("blobshuffle.inline.max.bytes", "0"); // Records are small, and would go into the log itself.
        settings.put("blobshuffle.cache.memory.bytes", "32 MiB");
        settings.put("blobshuffle.cache.zone.enabled", "true");
        settings.put("blobshuffle.peer.listen", "127.0.0.1:0");
        settings.put("blobshuffle.peer.secret.file", workspace.secret().toString());
        return settings;
    }

    /** Lets everything run for a while. */
    private void traffic(String what) {
        progress.begin(what);
        long end = System.nanoTime() + options.pace().toNanos();
        while (System.nanoTime() < end) {
            publishers.forEach(ChildProcess::check);
            subscribers.forEach(ChildProcess::check);
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private Set<OrderRecord> acknowledged() {
        try {
            return Acknowledgements.all(directory);
        } catch (IOException e) {
            throw new DemoFailedException("Cannot read what was acknowledged: " + e + ". Check the disk.", e);
        }
    }

    /** Waits until no more rows arrive. Records that were not acknowledged may arrive too. */
    private void awaitRows(DemoDatabase database, long acknowledged) {
        long now = System.nanoTime();
        long deadline = now + DRAIN.toNanos();
        long changed = now;
        long rows = database.rows();
        while (now < deadline && (rows < acknowledged || now < changed + QUIET.toNanos())) {
            subscribers.forEach(ChildProcess::check);
            LockSupport.parkNanos(PAUSE.toNanos());
            now = System.nanoTime();
            long found = database.rows();
            changed = found == rows ? changed : now;
            rows = found;
        }
    }

    private static void readTable(DemoDatabase database, RecordAudit audit, LatencyHistogram latency) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select publisher, number, latency_millis from " + DemoDatabase.TABLE + " order by id")) {
            while (rows.next()) {
                audit.see(rows.getString(1), rows.getLong(2));
                latency.record(rows.getLong(3) * MICROS_PER_MILLI);
            }
        } catch (SQLException e) {
            throw new DemoFailedException("Cannot read the subscribers' table: " + e.getMessage(), e);
        }
    }

    /** Reads to the end of the receipts, as another group. */
    private RecordAudit readReceipts(DemoDatabase database, DemoStore store, long expected) {
        RecordAudit audit = new RecordAudit();
        Subscription all = Subscription.of("audit", DemoDatabase.RECEIPTS);
        try (Messaging messaging = Messaging.open(settings(database, store, 0));
                Subscriber<String, String> subscriber = messaging.subscriber(all, Serde.string(), Serde.string())) {
            long deadline = System.nanoTime() + DRAIN.toNanos();
            long changed = System.nanoTime();
            for (long now = changed;
                    now < deadline && (audit.arrived() < expected || now < changed + WAIT.toNanos());
                    now = System.nanoTime()) {
                Records<String, String> records = subscriber.poll(WAIT);
                for (ReceivedRecord<String, String> record : records) {
                    OrderRecord order = OrderRecord.parse(String.valueOf(record.value()));
                    audit.see(order.publisher(), order.number());
                }
                changed = records.isEmpty() ? changed : now;
            }
        }
        return audit;
    }
}
