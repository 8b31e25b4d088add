package dev.blobshuffle.flink.internal.batch;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.reference.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a lane in Flink: the hash edge behind the operator. Only the task's thread may
 * write to the edge, so what other threads send waits in a queue for a mail, or for the next flush.
 */
final class EdgeChannel implements Channel {
    private final MailboxExecutor mailbox;
    private final Edge edge;
    private final Queue<Sent> arrived = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isMailed = new AtomicBoolean();
    /** Open checkpoints wait for these. Guarded by this. */
    private final List<Unsent> open = new ArrayList<>();

    private volatile boolean isClosed;

    /** Where references go. */
    interface Edge {
        /**
         * Emits a reference.
         *
         * @param records how many records it stands for
         */
        void emit(Reference reference, int records);

        /** Whether references may leave. */
        boolean isOpen();

        /** All that had arrived is emitted. */
        void emitted();
    }

    /** A reference that waits for the task's thread. Only the last one of a delivery has it. */
    private record Sent(
            Reference reference, int records, @Nullable Delivery delivery) {}

    EdgeChannel(MailboxExecutor mailbox, Edge edge) {
        this.mailbox = mailbox;
        this.edge = edge;
    }

    @Override
    public void send(Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
        Reference reference = Reference.toSegment(partition.number(), NotificationCodec.encode(notification));
        arrive(new Sent(reference, notification.records(), delivery));
        mail();
    }

    @Override
    public void send(Partition partition, SegmentRecords records, Delivery delivery) {
        int[] left = {records.count()};
        records.forEach((timestamp, key, value, headers) -> {
            Reference reference =
                    Reference.ofRecord(partition.number(), timestamp, value == null ? new byte[0] : value);
            arrive(new Sent(reference, 1, --left[0] == 0 ? delivery : null));
        });
        mail();
    }

    private synchronized void arrive(Sent sent) {
        arrived.add(sent);
        open.forEach(unsent -> unsent.add(sent.reference(), sent.records()));
        open.removeIf(Unsent::isComplete);
    }

    /**
     * The references to records that were appended and are not emitted. The caller seals the batch
     * first. Called by the task's thread.
     *
     * @param records the number of these records, by key group
     */
    synchronized CompletableFuture<List<PendingGroup>> unsent(long[] records) {
        Unsent unsent = new Unsent(records);
        arrived.forEach(sent -> unsent.add(sent.reference(), sent.records()));
        if (!unsent.isComplete()) {
            open.add(unsent);
        }
        return unsent.all();
    }

    private synchronized void failOpen(RuntimeException cause) {
        open.forEach(unsent -> unsent.fail(cause));
        open.clear();
    }

    private void mail() {
        if (isMailed.compareAndSet(false, true)) {
            execute(this::forward, "Emit references");
        }
    }

    private void execute(Runnable mail, String description) {
        try {
            mailbox.execute(mail::run, description);
        } catch (RejectedExecutionException e) {
            isClosed = true; // The task ends. What it has not emitted belongs to no checkpoint.
        }
    }

    /** Emits what has arrived. By the task's thread. */
    void forward() {
        isMailed.set(false);
        if (!edge.isOpen()) {
            return;
        }
        for (Sent sent = arrived.poll(); sent != null; sent = arrived.poll()) {
            Delivery delivery = sent.delivery();
            edge.emit(sent.reference(), sent.records());
            if (delivery != null) {
                delivery.delivered();
            }
        }
        edge.emitted();
    }

    /** The next append would fail too, but an idle input has none. */
    @Override
    public void failed(RuntimeException cause) {
        failOpen(cause);
        if (!isClosed) {
            execute(
                    () -> {
                        throw cause;
                    },
                    "Fail with the lane");
        }
    }

    @Override
    public void flush() {
        forward();
    }

    /** Reports no further failures. */
    void close() {
        isClosed = true;
        failOpen(new CancellationException("The task ends."));
    }
}
