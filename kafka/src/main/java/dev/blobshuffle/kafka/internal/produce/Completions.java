package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.core.failure.Closed;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The sends of an application that await their acknowledgement, in append order per partition,
 * which is the order in which the lane sends segments: the first n belong to the next segment of n
 * records. Callbacks run on a thread of their own, one after another: one that sends may have to
 * wait for the lane, and the real producer's I/O thread, on which the lane's progress hangs, must
 * not. Under Kafka Streams, which is acknowledged at append, there are none. Thread-safe: guarded
 * by this.
 */
public final class Completions implements AutoCloseable {
    /** Sends that may await their end at once. */
    private static final int MOST = 1 << 20;

    private final Time.@Nullable Workers callbacks;
    private final @Nullable Signal progress;
    private final Map<Partition, Deque<Completion>> waiting = new HashMap<>();

    /** What is to be run, in order. Kept here, since closed workers forget what they were given. */
    private final Deque<Runnable> due = new ArrayDeque<>();

    /** Why the lane's records are lost; null while it works. */
    private @Nullable Exception loss;

    private int unfinished;
    private int running;
    private @Nullable Thread callbackThread;

    private Completions(Time.@Nullable Workers callbacks, @Nullable Signal progress) {
        this.callbacks = callbacks;
        this.progress = progress;
    }

    /** For an application that waits for acknowledgements. */
    public static Completions atAcknowledgement(Time time) {
        return new Completions(time.workers("blobshuffle-callbacks", 1), time.signal());
    }

    /** For Kafka Streams. */
    public static Completions atAppend() {
        return new Completions(null, null);
    }

    /**
     * Registers a send before its record is appended, so that no segment can overtake it. Once the
     * lane has failed the send fails too: a segment that is still on its way to the broker would
     * take it for one of its own.
     */
    void add(Partition partition, Completion completion) {
        Exception lost;
        synchronized (this) {
            unfinished++;
            lost = loss;
            if (lost == null) {
                waiting.computeIfAbsent(partition, key -> new ArrayDeque<>()).addLast(completion);
            }
        }
        if (lost != null) {
            run(1, () -> completion.fail(lost));
        }
    }

    /** The lane starts anew: nothing that it lost can reach the broker any more. */
    synchronized void startAnew() {
        loss = null;
    }

    /**
     * Waits until another send may be registered: the application's callbacks are slower than its
     * sends.
     *
     * @return whether that was before the deadline
     */
    boolean awaitRoom(long deadlineNanos) throws InterruptedException {
        return await(() -> unfinished < MOST, deadlineNanos);
    }

    /**
     * Waits until the callbacks of everything that is delivered or lost have run; at once on the
     * thread that runs them.
     */
    void awaitCallbacks(long deadlineNanos) throws InterruptedException {
        await(() -> running == 0, deadlineNanos);
    }

    private boolean await(BooleanSupplier condition, long deadlineNanos) throws InterruptedException {
        Signal signal = progress;
        while (signal != null) {
            long seen = signal.count();
            synchronized (this) {
                if (condition.getAsBoolean() || Thread.currentThread() == callbackThread) {
                    return true;
                }
            }
            if (!signal.await(seen, deadlineNanos)) {
                return false;
            }
        }
        return true;
    }

    private void run(int ending, Runnable ends) {
        if (ending == 0 || callbacks == null) {
            return;
        }
        synchronized (this) {
            running += ending;
            due.addLast(() -> {
                try {
                    ends.run();
                } finally {
                    finished(ending);
                }
            });
        }
        try {
            callbacks.execute(this::runNextOnItsThread);
        } catch (Closed e) {
            runAll(); // An answer after the close: nobody else would end the send.
        }
    }

    private void runNextOnItsThread() {
        synchronized (this) {
            callbackThread = Thread.currentThread();
        }
        Runnable next = nextDue();
        if (next != null) {
            next.run();
        }
    }

    private void runAll() {
        for (Runnable next = nextDue(); next != null; next = nextDue()) {
            next.run();
        }
    }

    private synchronized @Nullable Runnable nextDue() {
        return due.pollFirst();
    }

    private void finished(int ended) {
        synchronized (this) {
            unfinished -= ended;
            running -= ended;
        }
        if (progress != null) {
            progress.raise();
        }
    }

    /** Takes back the last send of a partition, whose record could not be appended. */
    synchronized void remove(Partition partition, Completion completion) {
        Deque<Completion> queue = waiting.get(partition);
        if (queue != null && queue.peekLast() == completion) {
            queue.removeLast();
            unfinished--;
        }
    }

    /** Takes the sends of the next segment of a partition. */
    synchronized Taken take(Partition partition, int records) {
        if (callbacks == null) {
            return new Taken(List.of());
        }
        Deque<Completion> queue = waiting.get(partition);
        List<Completion> taken = new ArrayList<>(records);
        for (int i = 0; i < records && queue != null && !queue.isEmpty(); i++) {
            taken.add(queue.removeFirst());
        }
        return new Taken(taken);
    }

    /**
     * Fails every send that no segment has taken, and those that come before {@link #startAnew}.
     */
    void failAll(Exception cause) {
        List<Completion> failed = new ArrayList<>();
        synchronized (this) {
            loss = cause;
            waiting.values().forEach(failed::addAll);
            waiting.clear();
        }
        run(failed.size(), () -> failed.forEach(completion -> completion.fail(cause)));
    }

    /**
     * Ends the callback thread. What it has not run, and what is told later, runs on the thread
     * that closes or tells: no send stays without an end.
     */
    @Override
    public void close() {
        if (callbacks != null) {
            callbacks.close();
            runAll();
        }
    }

    /** The sends of one segment. Told by the real producer's I/O thread. */
    final class Taken {
        private final List<Completion> completions;

        private Taken(List<Completion> completions) {
            this.completions = completions;
        }

        /**
         * The notification is in the log.
         *
         * @param sent the notification's timestamp as it was sent: another one in the metadata is
         *     the broker's own
         */
        void acknowledgeSegment(RecordMetadata notification, long sent) {
            boolean logAppend = notification.hasTimestamp() && notification.timestamp() != sent;
            run(completions.size(), () -> {
                int count = completions.size();
                for (int index = 0; index < count; index++) {
                    Completion completion = completions.get(index);
                    long timestamp = logAppend ? notification.timestamp() : completion.timestamp();
                    completion.acknowledge(notification, index < count - 1 ? index : VirtualOffset.LAST, timestamp);
                }
            });
        }

        /** A record of the segment is in the log as a plain record. */
        void acknowledgePlain(int index, RecordMetadata plain) {
            if (index < completions.size()) {
                Completion completion = completions.get(index);
                run(1, () -> completion.acknowledge(plain, VirtualOffset.LAST, plain.timestamp()));
            }
        }

        void fail(Exception cause) {
            run(completions.size(), () -> completions.forEach(completion -> completion.fail(cause)));
        }

        void fail(int index, Exception cause) {
            if (index < completions.size()) {
                run(1, () -> completions.get(index).fail(cause));
            }
        }
    }
}
