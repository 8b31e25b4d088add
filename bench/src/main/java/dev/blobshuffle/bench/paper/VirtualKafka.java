package dev.blobshuffle.bench.paper;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Kafka under virtual time, as lanes and readers see it: takes a while, keeps the order of each
 * partition, and remembers which blobs have been read so that the store can delete them. Guarded by
 * the simulation's baton.
 */
final class VirtualKafka {
    /** From the send of a notification until its reader has it. */
    static final Duration DELIVERY = Duration.ofMillis(15);

    /** From the send of a notification until it is acknowledged. */
    static final Duration ACKNOWLEDGEMENT = Duration.ofMillis(8);

    private static final Duration HOUSEKEEPING = Duration.ofMillis(100);
    private static final Duration LEAST_KEPT = Duration.ofSeconds(1);
    private static final int FILLS_KEPT = 8;
    private static final Duration LONGEST_WAIT = Duration.ofMillis(250);
    private static final String TOPIC = "shuffle";

    private final Deployment deployment;
    private final MemoryBlobStore store;
    private final SimulatedTime time;
    /** A part of a blob's notifications may wait for an earlier blob after the others were read. */
    private final Duration kept;

    private final Inbox[] inboxes;
    private final long[] offsets;
    private final Map<BlobId, Usage> usages = new HashMap<>();
    private long sent;
    private long received;

    VirtualKafka(Deployment deployment, MemoryBlobStore store, SimulatedTime time) {
        this.deployment = deployment;
        this.store = store;
        this.time = time;
        kept = LEAST_KEPT.plusNanos((long) (FILLS_KEPT * deployment.fillSeconds() * 1e9));
        inboxes = new Inbox[deployment.instances()];
        offsets = new long[deployment.partitions()];
    }

    /** How many of a blob's notifications were sent and read, and when its put succeeded. */
    private static final class Usage {
        private int unread;
        private long storedNanos;
        private long waitedNanos;
        private boolean isSent;
        private Duration since = Duration.ZERO;
    }

    static Partition partition(int number) {
        return new Partition(TOPIC, number);
    }

    /** Notifications that were sent. */
    long sent() {
        return sent;
    }

    /** Notifications that readers have taken. */
    long received() {
        return received;
    }

    /** What an instance reads. */
    Inbox inbox(int instance, SimulatedProcess process) {
        Inbox inbox = new Inbox(process.signal(), process);
        inboxes[instance] = inbox;
        return inbox;
    }

    /** A producer. */
    Channel channel() {
        return new Producer();
    }

    /** Takes note of a put that has succeeded; of a hedged one the first. */
    void wasStored(BlobId blob) {
        if (!usages.containsKey(blob)) {
            usage(blob).storedNanos = time.elapsed().toNanos();
        }
    }

    /**
     * How long a stored blob's notifications waited for those of earlier blobs, nanoseconds. The
     * engine keeps the order of each partition, so one slow put holds back what follows.
     */
    long orderWait(Notification notification) {
        return usage(notification.blob()).waitedNanos;
    }

    private Usage usage(BlobId blob) {
        return usages.computeIfAbsent(blob, any -> new Usage());
    }

    /** Takes note of the end of a segment. */
    void wasRead(Notification notification) {
        Usage usage = usage(notification.blob());
        usage.unread--;
        usage.since = time.elapsed();
    }

    /** Deletes blobs that have been read, until something is true. */
    void keepHouse(BooleanSupplier isOver) {
        Duration old = time.elapsed().minus(kept);
        List<BlobId> done = new ArrayList<>();
        usages.forEach((blob, usage) -> {
            if (usage.isSent && usage.unread == 0 && usage.since.compareTo(old) < 0) {
                done.add(blob);
            }
        });
        done.forEach(usages::remove);
        store.delete(done).toCompletableFuture().join();
        if (!isOver.getAsBoolean()) {
            time.schedule(HOUSEKEEPING, () -> keepHouse(isOver));
        }
    }

    private void deliver(Partition partition, Notification notification) {
        Inbox inbox = inboxes[deployment.readerOf(partition.number())];
        inbox.entries.add(new Entry(partition, offsets[partition.number()]++, notification));
        inbox.arrived.raise();
    }

    private record Entry(Partition partition, long offset, Notification notification) {}

    /** Notifications that a reader has not taken yet. */
    final class Inbox {
        private final Deque<Entry> entries = new ArrayDeque<>();
        private final Signal arrived;
        private final Time clock;

        Inbox(Signal arrived, Time clock) {
            this.arrived = arrived;
            this.clock = clock;
        }

        long arrivals() {
            return arrived.count();
        }

        void offerAll(Debatcher<Notification> debatcher) {
            for (Entry entry = entries.poll(); entry != null; entry = entries.poll()) {
                received++;
                debatcher.offer(entry.partition(), entry.offset(), entry.notification(), 0, entry.notification());
            }
        }

        /** Waits for more than there were, but not for ever. */
        void await(long seen) throws InterruptedException {
            boolean ignored = arrived.await(seen, clock.nanos() + LONGEST_WAIT.toNanos());
        }
    }

    private final class Producer implements Channel {
        @Override
        public void send(
                Partition partition,
                Notification notification,
                long smallestTimestamp,
                long largestTimestamp,
                Delivery delivery) {
            sent++;
            Usage usage = usage(notification.blob());
            usage.unread++;
            usage.since = time.elapsed();
            usage.waitedNanos = usage.since.toNanos() - usage.storedNanos;
            usage.isSent = true;
            time.schedule(DELIVERY, () -> deliver(partition, notification));
            time.schedule(ACKNOWLEDGEMENT, delivery::delivered);
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            delivery.failed(new IllegalStateException("Cannot send plain records: nothing is inlined here."));
        }

        @Override
        public void flush() {}
    }
}
