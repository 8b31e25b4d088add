package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.write.deliver.PendingAnswers;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.util.List;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The application's sends that await their acknowledgement. Under Kafka Streams there are none,
 * because sends are acknowledged at append. Thread-safe.
 */
public final class Completions implements AutoCloseable {
    private final @Nullable PendingAnswers<Completion> pending;

    private Completions(@Nullable PendingAnswers<Completion> pending) {
        this.pending = pending;
    }

    /** For an application that waits for acknowledgements. */
    public static Completions atAcknowledgement(Time time) {
        return new Completions(new PendingAnswers<>(time, Completion::fail));
    }

    /** For Kafka Streams. */
    public static Completions atAppend() {
        return new Completions(null);
    }

    /** Registers a send before its record is appended. */
    void add(Partition partition, Completion completion) {
        if (pending != null) {
            pending.add(partition, completion);
        }
    }

    /** Removes the last send of a partition, because its record could not be appended. */
    void remove(Partition partition, Completion completion) {
        if (pending != null) {
            pending.remove(partition, completion);
        }
    }

    /** Called when the lane starts again: the broker can no longer get what the lane lost. */
    void startAgain() {
        if (pending != null) {
            pending.startAgain();
        }
    }

    /**
     * Waits until there is room for another send.
     *
     * @return whether there is room before the deadline
     */
    boolean awaitRoom(long deadlineNanos) throws InterruptedException {
        return pending == null || pending.awaitRoom(deadlineNanos);
    }

    /**
     * Waits until the callbacks of all delivered and lost records have run. Returns at once on the
     * thread that runs the callbacks.
     *
     * @return whether they ran before the deadline
     */
    boolean awaitCallbacks(long deadlineNanos) throws InterruptedException {
        return pending == null || pending.awaitAnswered(deadlineNanos);
    }

    /** Takes the sends of the next segment of a partition. */
    Taken take(Partition partition, int records) {
        return pending == null ? Taken.NONE : new Taken(pending, pending.take(partition, records));
    }

    /** Fails every send that no segment has taken, and sends before {@link #startAgain()}. */
    void failAll(Exception cause) {
        if (pending != null) {
            pending.failWaiting(cause);
        }
    }

    @Override
    public void close() {
        if (pending != null) {
            pending.close();
        }
    }

    /** The sends of one segment. Called by the real producer's I/O thread. */
    static final class Taken {
        private static final Taken NONE = new Taken(null, List.of());

        private final @Nullable PendingAnswers<Completion> pending;
        private final List<Completion> completions;

        private Taken(@Nullable PendingAnswers<Completion> pending, List<Completion> completions) {
            this.pending = pending;
            this.completions = completions;
        }

        /**
         * Called when the notification is in the log.
         *
         * @param sent the notification's timestamp when it was sent; if the metadata has another
         *     one, the broker set it
         */
        void acknowledgeSegment(RecordMetadata notification, long sent) {
            boolean logAppend = notification.hasTimestamp() && notification.timestamp() != sent;
            answer(completions.size(), () -> {
                int count = completions.size();
                for (int index = 0; index < count; index++) {
                    Completion completion = completions.get(index);
                    long timestamp = logAppend ? notification.timestamp() : completion.timestamp();
                    completion.acknowledge(notification, index < count - 1 ? index : VirtualOffset.LAST, timestamp);
                }
            });
        }

        /** Called when a record of the segment is in the log as a plain record. */
        void acknowledgePlain(int index, RecordMetadata plain) {
            if (index < completions.size()) {
                Completion completion = completions.get(index);
                answer(1, () -> completion.acknowledge(plain, VirtualOffset.LAST, plain.timestamp()));
            }
        }

        void fail(Exception cause) {
            if (pending != null) {
                pending.fail(completions, cause);
            }
        }

        void fail(int index, Exception cause) {
            if (index < completions.size()) {
                answer(1, () -> completions.get(index).fail(cause));
            }
        }

        private void answer(int count, Runnable answers) {
            if (pending != null) {
                pending.answer(count, answers);
            }
        }
    }
}
