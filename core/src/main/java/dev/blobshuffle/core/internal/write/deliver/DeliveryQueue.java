package dev.blobshuffle.core.internal.write.deliver;

import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.internal.concurrent.References;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Latency;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sealed segments of one lane between two discards: one queue per partition, in append order.
 * Uploads may finish in any order. A segment goes to the channel only from the head of its
 * partition's queue, once its blob is readable or it may be sent as plain records. The first
 * failure ends the queue: nothing is sent after it. The queue is settled when the channel has
 * acknowledged every segment and every blob is durable.
 *
 * <p>Thread-safe. The monitor guards queues and counts, and is never held while the channel is
 * called. The {@link Emitter} lets one thread at a time send, so no caller waits for a channel that
 * blocks, except {@link #abandon}, after which nothing is sent.
 */
public final class DeliveryQueue {
    private final String laneName;
    private final Channel channel;
    private final Time time;
    private final Signal progress;
    private final DeliveryContext context;
    private final ShuffleMetrics metrics;

    private final SendLimit limit;

    private final Map<Partition, Deque<Segment>> queues = new HashMap<>();
    private final Deque<Deque<Segment>> sendable = new ArrayDeque<>();
    private final EarlySegments early = new EarlySegments();
    private int unsent;
    private int unacknowledged;
    private volatile boolean isEnded;
    private volatile @Nullable RuntimeException failure;

    private final Emitter emitter;

    /** The thread that reports the queue's failure to the channel. */
    private volatile @Nullable Thread reporter;

    /**
     * An empty queue.
     *
     * @param progress the lane's signal: raised when something was sent, everything was
     *     acknowledged, or the queue failed
     */
    public DeliveryQueue(String laneName, Channel channel, Signal progress, DeliveryContext context) {
        this.laneName = laneName;
        this.channel = channel;
        this.progress = progress;
        this.context = context;
        time = context.time();
        metrics = context.metrics();
        limit = context.sendLimit(channel);
        emitter = new Emitter(this, channel, progress, context);
    }

    /** Names the lane in logs. */
    public String laneName() {
        return laneName;
    }

    /** The stored failure, if any. */
    public @Nullable RuntimeException failure() {
        return failure;
    }

    /** Whether nothing more is sent. */
    boolean isEnded() {
        return isEnded;
    }

    /**
     * Appends a segment. Returns false if the queue has ended; the caller then releases the memory.
     */
    public synchronized boolean enqueue(Segment segment) {
        if (isEnded) {
            return false;
        }
        queues.computeIfAbsent(segment.partition(), partition -> new ArrayDeque<>())
                .addLast(segment);
        unsent++;
        return true;
    }

    /**
     * Reports that a segment's blob is durable. Returns false if the segment no longer waits for
     * it.
     */
    public boolean stored(Segment segment, Notification notification) {
        synchronized (this) {
            if (segment.state == Segment.State.WAITING) {
                segment.toStored(notification);
                offerHead(segment);
                return true;
            }
            if (!early.remove(segment)) {
                return false;
            }
        }
        answer();
        return true;
    }

    /**
     * Reports that readers find a segment's blob, which is not durable yet: the segment may be
     * sent, and waits for {@link #stored}. Returns false if it no longer waits for its blob.
     */
    public synchronized boolean readable(Segment segment, Notification notification) {
        if (segment.state != Segment.State.WAITING) {
            return false;
        }
        segment.toStored(notification);
        early.add(segment);
        offerHead(segment);
        return true;
    }

    /**
     * Runs an action when a segment's blob is durable, or another one if the queue ends before. At
     * once if the outcome is known and no earlier action of the partition waits.
     */
    void whenDurable(Segment segment, Runnable durable, Consumer<RuntimeException> lost) {
        EarlySegments.Waiter waiter = new EarlySegments.Waiter(segment, durable, lost);
        boolean isKnown;
        synchronized (this) {
            isKnown = isEnded || early.isSettled();
            if (!isKnown) {
                early.await(waiter);
            }
        }
        if (isKnown) {
            end(waiter);
        } else {
            answer();
        }
    }

    private void end(EarlySegments.Waiter waiter) {
        if (waiter.segment().isLost()) {
            waiter.lost().accept(loss());
        } else {
            waiter.durable().run();
        }
    }

    /** Runs the actions whose segments are durable. One thread at a time, to keep their order. */
    private void answer() {
        synchronized (this) {
            if (!early.beginAnswers()) {
                return; // The other thread takes the action.
            }
        }
        boolean isDone = false;
        try {
            while (!isDone) {
                EarlySegments.Waiter next;
                synchronized (this) {
                    next = early.next();
                    isDone = next == null;
                    if (isDone) {
                        early.endAnswers();
                    }
                }
                if (next != null) {
                    next.durable().run();
                }
            }
        } finally {
            if (!isDone) {
                synchronized (this) {
                    early.endAnswers();
                }
            }
        }
        progress.raise();
    }

    private RuntimeException loss() {
        RuntimeException cause = failure;
        return cause != null
                ? cause
                : new DeliveryFailedException("Cannot confirm records of lane " + laneName
                        + ": they were discarded before their blob was durable. Send them again.");
    }

    /**
     * Marks a segment to be sent as plain records, once it is {@link #due}. From now on the segment
     * owns the memory of its records.
     *
     * @param holder the references to the blob's memory, one of them for this segment; null: the
     *     segment holds its own memory
     * @return false if the segment no longer waits for its blob
     */
    public synchronized boolean plain(Segment segment, @Nullable References holder) {
        if (segment.state != Segment.State.WAITING) {
            return false;
        }
        segment.toPlain(holder);
        return true;
    }

    /** Allows a plain segment to be sent. */
    public synchronized void due(Segment segment) {
        if (segment.state == Segment.State.PLAIN) {
            segment.toDue();
            offerHead(segment);
        }
    }

    /** Whether a segment waits until its blob is durable. */
    public synchronized boolean isWaiting(Segment segment) {
        return segment.state == Segment.State.WAITING || early.contains(segment);
    }

    private void offerHead(Segment segment) {
        Deque<Segment> queue = queues.get(segment.partition());
        if (queue != null && queue.peekFirst() == segment) {
            sendable.addLast(queue);
        }
    }

    /**
     * Has the sendable segments sent soon: by the lane's thread if it is in a flush, otherwise by a
     * delivery thread.
     */
    public void emitSoon() {
        emitter.emitSoon();
    }

    /** While set, the lane's thread emits whenever progress is raised. */
    public void setOwnerEmits(boolean emits) {
        emitter.setOwnerEmits(emits);
    }

    /** Whether a segment may be sent now. */
    synchronized boolean hasSendable() {
        return !sendable.isEmpty();
    }

    /** Sends the sendable segments. If another thread is sending, that thread sends them too. */
    public void emit() {
        emitter.emit();
    }

    private synchronized @Nullable Segment next() {
        Deque<Segment> queue = sendable.peekFirst();
        if (queue == null) {
            return null;
        }
        Segment head = queue.removeFirst();
        Segment following = queue.peekFirst();
        if (following == null || !following.isSendable()) {
            sendable.removeFirst();
        }
        head.toSent(time.nanos());
        unacknowledged++;
        return head;
    }

    /**
     * Passes the sendable segments to the channel. Returns the number of segments that it took.
     * Called by the emitter.
     */
    int send() {
        if (!hasSendable()) {
            return 0;
        }
        Emission emission = new Emission();
        try {
            channel.send(emission);
            emission.end(true);
        } catch (RuntimeException e) {
            emission.refused(e);
        } catch (Error e) {
            emission.refused(e); // Nothing may be sent past it, and a flush must not wait for it.
            throw e;
        }
        synchronized (this) {
            if (!isEnded) {
                unsent -= emission.taken;
            }
        }
        return emission.taken;
    }

    /** The segments that one call of the channel takes. Owned by the emitter. */
    private final class Emission implements Channel.Outgoing {
        private int taken;
        private @Nullable Segment current;

        @Override
        public Channel.@Nullable Entry next() {
            end(true);
            Segment following = DeliveryQueue.this.next();
            if (following == null) {
                return null;
            }
            taken++;
            if (isTooLate(following)) {
                fail(limit.failure(laneName, following)); // Nothing is sent after it.
                return null;
            }
            current = following;
            return following;
        }

        /** The channel has finished with the records of the entry that it took last. */
        private void end(boolean isSent) {
            Segment ended = current;
            current = null;
            if (ended != null && ended.isPlain()) {
                if (isSent) {
                    countPlain(ended);
                }
                ended.releasePlain();
            }
        }

        private void refused(Throwable cause) {
            Segment last = current;
            if (last == null) {
                fail(new DeliveryFailedException(
                        "Cannot deliver records of lane " + laneName
                                + ": the channel failed. Roll back to the last commit.",
                        cause));
            } else {
                DeliveryQueue.this.refused(last, cause);
            }
            end(false);
        }
    }

    /** Whether a segment's notification may no longer be sent. */
    boolean isTooLate(Segment segment) {
        return limit.isPassed(segment);
    }

    private void countPlain(Segment segment) {
        boolean isFallback = segment.isFallback();
        metrics.add(isFallback ? Counter.RECORDS_FALLBACK : Counter.RECORDS_INLINED, segment.count());
        metrics.add(isFallback ? Counter.BYTES_FALLBACK : Counter.BYTES_INLINED, segment.bytes());
    }

    /** The channel has acknowledged a segment. */
    void delivered(Segment segment) {
        boolean last;
        synchronized (this) {
            if (segment.state != Segment.State.SENT) {
                return;
            }
            segment.state = Segment.State.DELIVERED;
            last = !isEnded && --unacknowledged == 0;
        }
        if (!segment.isPlain()) {
            metrics.add(Counter.NOTIFICATIONS_SENT, 1);
        }
        long now = time.nanos();
        metrics.record(Latency.SEAL_TO_DELIVERED_LATENCY, now - segment.sealedNanos());
        metrics.record(Latency.NOTIFICATION_LATENCY, now - segment.sentNanos());
        context.observer().delivered(segment, now);
        if (last) {
            progress.raise();
        }
    }

    /** The channel lost a segment. */
    void refused(Segment segment, Throwable cause) {
        fail(new DeliveryFailedException(
                "Cannot deliver " + segment.count() + " records of lane " + laneName + " to " + segment.partition()
                        + ": the channel failed. Roll back to the last commit.",
                cause));
    }

    /** Ends the queue with a failure, unless it has ended. */
    public void fail(RuntimeException cause) {
        List<EarlySegments.Waiter> lost;
        synchronized (this) {
            if (isEnded) {
                return;
            }
            failure = cause;
            reporter = Thread.currentThread();
            lost = end();
        }
        try {
            lost.forEach(this::end); // These records are older than those in the channel.
            channel.failed(cause);
        } catch (RuntimeException | Error e) {
            if (e != cause) {
                cause.addSuppressed(e); // Only the first failure counts, and the blob's other lanes must also fail.
            }
        } finally {
            reporter = null;
            progress.raise();
            context.memoryReleased().raise(); // The owner may wait for memory.
        }
    }

    /** Ends the queue. Returns what waits for blobs that are not durable. */
    private List<EarlySegments.Waiter> end() {
        isEnded = true;
        for (Deque<Segment> queue : queues.values()) {
            for (Segment segment : queue) {
                boolean holdsMemory = segment.state == Segment.State.PLAIN;
                segment.state = Segment.State.DROPPED;
                if (holdsMemory) {
                    segment.releasePlain();
                }
            }
        }
        queues.clear();
        sendable.clear();
        unsent = 0;
        unacknowledged = 0;
        return early.lose();
    }

    /**
     * Ends the queue and waits until no other thread is in the channel, neither to send nor to
     * report a failure. The channel would attribute a later report to the next queue.
     */
    public void abandon() {
        List<EarlySegments.Waiter> lost = List.of();
        synchronized (this) {
            if (!isEnded) {
                lost = end();
            }
        }
        lost.forEach(this::end);
        boolean interrupted = false;
        while (true) {
            long seen = progress.count();
            if (isLeftByOthers()) {
                break;
            }
            try {
                boolean ignored = progress.await(seen, time.nanos() + Long.MAX_VALUE / 2);
            } catch (InterruptedException e) {
                interrupted = true; // Keep waiting: appended records must not be sent after the discard.
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isLeftByOthers() {
        Thread reporting = reporter;
        return emitter.isLeftByOthers() && (reporting == null || reporting == Thread.currentThread());
    }

    /** Segments not yet passed to the channel. */
    public synchronized int unsent() {
        return unsent;
    }

    /** Segments that the channel has not acknowledged, whether sent or not. */
    public synchronized int undelivered() {
        return unsent + unacknowledged;
    }

    /** Segments whose blobs are readable and not durable. */
    public synchronized int early() {
        return early.size();
    }

    /** Whether the channel has acknowledged all segments, and all their blobs are durable. */
    public synchronized boolean isSettled() {
        return unsent + unacknowledged == 0 && early.isSettled();
    }
}
