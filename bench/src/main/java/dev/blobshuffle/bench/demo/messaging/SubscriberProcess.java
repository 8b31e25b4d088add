package dev.blobshuffle.bench.demo.messaging;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.Publisher;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.Records;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscriber;
import dev.blobshuffle.messaging.Subscription;
import dev.blobshuffle.messaging.Transaction;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * The main class of a subscriber: writes each order into a table and publishes a receipt, in one
 * transaction with its positions, until its parent ends it.
 */
final class SubscriberProcess {
    private static final Duration WAIT = Duration.ofMillis(200);
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final int RECORDS = 200;

    private final ChildSettings settings;
    private final Clock clock = Clock.systemUTC();

    private SubscriberProcess(ChildSettings settings) {
        this.settings = settings;
    }

    public static void main(String[] arguments) throws IOException {
        ChildSettings settings = ChildSettings.read(Path.of(arguments[0]));
        ParentWatch parent = ParentWatch.begin();
        new SubscriberProcess(settings).run(parent);
        System.exit(0);
    }

    private void run(ParentWatch parent) {
        Subscription orders =
                Subscription.of(DemoDatabase.GROUP, DemoDatabase.ORDERS).maxRecords(RECORDS);
        try (Messaging messaging = Messaging.open(settings.messaging());
                Subscriber<String, String> subscriber = messaging.subscriber(orders, Serde.string(), Serde.string())) {
            parent.ready();
            while (!parent.isOver()) {
                try (Publisher<String, String> publisher =
                        messaging.publisher(settings.name(), Serde.string(), Serde.string())) {
                    work(messaging, subscriber, publisher, parent);
                } catch (BlobShuffleException e) {
                    e.printStackTrace(); // The log is unavailable, for example.
                    LockSupport.parkNanos(PAUSE.toNanos());
                }
            }
        }
    }

    /** Works until the end, or until the publisher can no longer be used. */
    private void work(
            Messaging messaging,
            Subscriber<String, String> subscriber,
            Publisher<String, String> publisher,
            ParentWatch parent) {
        while (!parent.isOver()) {
            Records<String, String> records = subscriber.poll(WAIT);
            if (records.isEmpty()) {
                continue;
            }
            long now = clock.millis();
            try (Transaction transaction = messaging.begin(publisher, subscriber)) {
                try {
                    insert(transaction.connection(), records, now);
                    records.forEach(order -> {
                        var ignored = publisher.publish(DemoDatabase.RECEIPTS, order.key(), order.value());
                    });
                    transaction.commit();
                } catch (OutcomeUnknownException e) {
                    boolean ignored = awaitOutcome(transaction, parent);
                    return; // The publisher is fenced.
                }
            } catch (SQLException e) {
                e.printStackTrace(); // The transaction was rolled back: the next poll returns the records again.
            }
        }
    }

    private static boolean awaitOutcome(Transaction transaction, ParentWatch parent) {
        while (!parent.isOver()) {
            try {
                return transaction.wasCommitted();
            } catch (BlobShuffleException e) {
                LockSupport.parkNanos(PAUSE.toNanos()); // The log does not answer yet.
            }
        }
        return false;
    }

    private void insert(Connection connection, Records<String, String> records, long now) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into " + DemoDatabase.TABLE
                + " (part, pos, publisher, number, latency_millis, subscriber) values (?, ?, ?, ?, ?, ?)")) {
            for (ReceivedRecord<String, String> record : records) {
                OrderRecord order = OrderRecord.parse(String.valueOf(record.value()));
                insert.setInt(1, record.partition());
                insert.setLong(2, record.position());
                insert.setString(3, order.publisher());
                insert.setLong(4, order.number());
                insert.setLong(5, Math.max(0, now - order.sentMillis()));
                insert.setString(6, settings.life());
                insert.addBatch();
            }
            int[] ignored = insert.executeBatch();
        }
    }
}
