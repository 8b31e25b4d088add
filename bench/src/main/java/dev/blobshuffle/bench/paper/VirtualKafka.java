package dev.blobshuffle.bench.paper;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;

/**
 * Kafka under virtual time, as lanes and readers see it. It delays records, keeps the order of each
 * partition, and tracks which blobs have been read, so that the store can delete them. Guarded by
 * the simulation's baton.
 */
final class VirtualKafka {
    /** From the send of a notification until its reader has it. */
    static final Duration DELIVERY = Duration.ofMillis(15);

    /** From the send of a notification until it is acknowledged. */
    static final Duration ACKNOWLEDGEMENT = Duration.ofMillis(8);

    private static final Duration HOUSEKEEPING = Duration.ofMillis(100);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(250);
    private static final String TOPIC = "shuffle";

    private final Deployment deployment;
    private final MemoryBlobStore store;
    private final SimulatedTime time;
    private final Inbox[] inboxes;
    private final long[] offsets;
    private final BlobUsages usages;
    private long sent;
    private long received;

    VirtualKafka(Deployment deployment, MemoryBlobStore store, SimulatedTime time) {
        this.deployment = deployment;
        this.store = store;
        this.time = time;
        usages = new BlobUsages(time);
        inboxes = new Inbox[deployment.instances()];
        offsets = new long[deployment.partitions()];
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

    /** The inbox of an instance. */
    Inbox inbox(int instance, SimulatedProcess process) {
        Inbox inbox = new Inbox(process.signal(), process);
        inboxes[instance] = inbox;
        return inbox;
    }

    /** A producer. */
    Channel channel() {
        return new Producer();
    }

    /** The recorder of the puts of an instance's store. */
    BlobUsages.Writer writer() {
        return usages.writer();
    }

    /** How long a stored blob's notifications waited for those of earlier blobs, nanoseconds. */
    long orderWait(Notification notification) {
        return usages.orderWait(notification.blob());
    }

    /** Records that a segment was read to its end. */
    void wasRead(Notification notification) {
        usages.wasRead(notification.blob());
    }

    /** Deletes blobs that have been read, until something is true. */
    void keepHouse(BooleanSupplier isOver) {
        store.delete(usages.removeRead()).toCompletableFuture().join();
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

        /** Waits for more notifications than the given number, up to a limit. */
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
            usages.wasSent(notification.blob());
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
