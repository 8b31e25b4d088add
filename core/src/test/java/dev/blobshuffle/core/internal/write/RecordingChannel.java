package dev.blobshuffle.core.internal.write;

import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.SegmentReader;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A channel that records what is sent, in order, and acknowledges it at once or on request.
 * Thread-safe.
 */
public class RecordingChannel implements Channel {
    /** A send: a notification, or plain records. */
    public record Sent(@Nullable Notification notification, long timestamp, List<Row> plain) {}

    /** A record that was read back. */
    public record Row(
            long timestamp, @Nullable String key, @Nullable String value) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Partition, List<Sent>> sent = new HashMap<>();
    private final Deque<Delivery> held = new ArrayDeque<>();
    private boolean holdsAcknowledgements;
    private @Nullable RuntimeException refusal;
    private int flushes;
    private int sends;
    private int flushRequestedAfter;

    @Override
    public void send(Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
        accept(partition, new Sent(notification, latest, List.of()), delivery);
    }

    @Override
    public void send(Partition partition, SegmentRecords records, Delivery delivery) {
        List<Row> rows = new ArrayList<>();
        records.forEach((timestamp, key, value, headers) -> rows.add(new Row(timestamp, text(key), text(value))));
        accept(partition, new Sent(null, 0, rows), delivery);
    }

    private void accept(Partition partition, Sent what, Delivery delivery) {
        lock.lock();
        try {
            if (refusal != null) {
                throw refusal;
            }
            sent.computeIfAbsent(partition, p -> new ArrayList<>()).add(what);
            sends++;
            changed.signalAll();
            if (holdsAcknowledgements) {
                held.add(delivery);
                return;
            }
        } finally {
            lock.unlock();
        }
        delivery.delivered();
    }

    @Override
    public void flush() {
        lock.lock();
        try {
            flushes++;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void requestFlush() {
        lock.lock();
        try {
            flushRequestedAfter = sends;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The number of sends before the last request for a flush. */
    int flushRequestedAfter() {
        lock.lock();
        try {
            return flushRequestedAfter;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a flush is requested after a number of sends. */
    void awaitFlushRequest(int count) throws InterruptedException {
        lock.lock();
        try {
            long left = TimeUnit.SECONDS.toNanos(60);
            while (flushRequestedAfter < count) {
                if (left <= 0) {
                    throw new AssertionError(
                            "flush requested after " + flushRequestedAfter + " of " + sends + " sends");
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    void holdAcknowledgements() {
        lock.lock();
        try {
            holdsAcknowledgements = true;
        } finally {
            lock.unlock();
        }
    }

    void refuse(RuntimeException failure) {
        lock.lock();
        try {
            refusal = failure;
        } finally {
            lock.unlock();
        }
    }

    Delivery takeHeld() {
        lock.lock();
        try {
            return held.removeFirst();
        } finally {
            lock.unlock();
        }
    }

    int flushes() {
        lock.lock();
        try {
            return flushes;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a number of sends have arrived. */
    void awaitSends(int count) throws InterruptedException {
        lock.lock();
        try {
            long left = TimeUnit.SECONDS.toNanos(60);
            while (sends < count) {
                if (left <= 0) {
                    throw new AssertionError("only " + sends + " of " + count + " sends came");
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    public List<Sent> sent(Partition partition) {
        lock.lock();
        try {
            return List.copyOf(sent.getOrDefault(partition, List.of()));
        } finally {
            lock.unlock();
        }
    }

    int sends() {
        lock.lock();
        try {
            return sends;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The records of a partition, read back through the store, with each segment's own timestamps
     * checked.
     */
    List<Row> rows(Partition partition, BlobStore store) {
        List<Row> rows = new ArrayList<>();
        for (Sent one : sent(partition)) {
            if (one.notification() == null) {
                rows.addAll(one.plain());
            } else {
                List<Row> segment = read(partition, one.notification(), store);
                long max = segment.stream().mapToLong(Row::timestamp).max().orElseThrow();
                if (max != one.timestamp()) {
                    throw new AssertionError(
                            "segment's maximum timestamp " + max + ", notification says " + one.timestamp());
                }
                rows.addAll(segment);
            }
        }
        return rows;
    }

    static List<Row> read(Partition partition, Notification notification, BlobStore store) {
        BlobRange range = new BlobRange(
                notification.sectionOffset(),
                notification.sectionLength(),
                notification.segmentOffset(),
                notification.segmentLength());
        List<Row> rows = new ArrayList<>();
        try (BlobBytes bytes =
                store.get(notification.blob(), range).toCompletableFuture().join()) {
            SegmentReader reader =
                    new SegmentReader(notification, partition, Keyring.none(), SegmentReader.Memory.UNLIMITED);
            reader.input(bytes.buffer());
            while (reader.next()) {
                rows.add(new Row(reader.timestamp(), text(reader.key()), text(reader.value())));
            }
        }
        return rows;
    }

    private static @Nullable String text(byte @Nullable [] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
