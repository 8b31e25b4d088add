package dev.blobshuffle.core.internal.write.deliver;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The records of an application that wait for their answers, in append order per partition. The
 * lane sends segments in the same order, so the first n records belong to the next segment of n
 * records. Answers are given one after another on a separate thread: a callback that sends may wait
 * for the lane, so it must not run on a thread that the lane's progress depends on. Thread-safe:
 * guarded by this.
 *
 * @param <A> takes the answer to one record
 */
public final class PendingAnswers<A> implements AutoCloseable {
    /** Records that may wait at once. */
    private static final int MOST = 1 << 20;

    private final Time.Workers callbacks;
    private final Signal progress;
    private final BiConsumer<A, Exception> fail;
    private final Map<Partition, Deque<A>> waiting = new HashMap<>();

    /** The answers to give, in order. Kept here, because closed workers drop their tasks. */
    private final Deque<Runnable> due = new ArrayDeque<>();

    /** The reason why the lane's records are lost; null while the lane works. */
    private @Nullable Exception loss;

    private int unfinished;
    private int running;
    private @Nullable Thread callbackThread;

    /**
     * Answers of a lane that has no records yet.
     *
     * @param time supplies the answers' thread
     * @param fail fails one record with the reason of its loss
     */
    public PendingAnswers(Time time, BiConsumer<A, Exception> fail) {
        callbacks = time.workers("blobshuffle-callbacks", 1);
        progress = time.signal();
        this.fail = fail;
    }

    /**
     * Registers a record before it is appended, so that no segment overtakes it. If the lane has
     * failed, the record fails too: otherwise a segment in flight would count it as one of its own.
     */
    public void add(Partition partition, A answer) {
        Exception lost;
        synchronized (this) {
            unfinished++;
            lost = loss;
            if (lost == null) {
                waiting.computeIfAbsent(partition, any -> new ArrayDeque<>()).addLast(answer);
            }
        }
        if (lost != null) {
            Exception cause = lost;
            answer(1, () -> fail.accept(answer, cause));
        }
    }

    /** Removes the last record of a partition, which could not be appended. */
    public synchronized void remove(Partition partition, A answer) {
        Deque<A> queue = waiting.get(partition);
        if (queue != null && queue.peekLast() == answer) {
            queue.removeLast();
            unfinished--;
        }
    }

    /**
     * Forgets a partition without waiting records. Does nothing if a record waits, or if the lane
     * has failed.
     *
     * @return whether the partition is forgotten
     */
    public synchronized boolean forget(Partition partition) {
        Deque<A> queue = waiting.get(partition);
        if (loss != null || (queue != null && !queue.isEmpty())) {
            return false;
        }
        waiting.remove(partition);
        return true;
    }

    /** The lane starts again. No answer to a lost record can arrive from now on. */
    public synchronized void startAgain() {
        loss = null;
    }

    /**
     * Takes the records of the next segment of a partition. The caller must answer each of them.
     */
    public synchronized List<A> take(Partition partition, int records) {
        Deque<A> queue = waiting.get(partition);
        List<A> taken = new ArrayList<>(records);
        for (int i = 0; i < records && queue != null && !queue.isEmpty(); i++) {
            taken.add(queue.removeFirst());
        }
        return taken;
    }

    /**
     * Fails every record that no segment has taken, and every record that is added before the lane
     * starts again.
     */
    public void failWaiting(Exception cause) {
        List<A> failed = new ArrayList<>();
        synchronized (this) {
            loss = cause;
            waiting.values().forEach(failed::addAll);
            waiting.clear();
        }
        fail(failed, cause);
    }

    /** Fails records that were taken. */
    public void fail(List<A> taken, Exception cause) {
        answer(taken.size(), () -> taken.forEach(answer -> fail.accept(answer, cause)));
    }

    /**
     * Gives answers to records that were taken.
     *
     * @param count how many records
     * @param answers gives them, on the thread for answers
     */
    public void answer(int count, Runnable answers) {
        if (count == 0) {
            return;
        }
        synchronized (this) {
            running += count;
            due.addLast(() -> {
                try {
                    answers.run();
                } finally {
                    finished(count);
                }
            });
        }
        try {
            callbacks.execute(this::runNextOnItsThread);
        } catch (ClosedException e) {
            runAll(); // The thread for answers is closed, so this thread gives the answer.
        }
    }

    /**
     * Waits until another record may be registered, because callbacks may be slower than the
     * application.
     *
     * @return whether there was room before the deadline
     */
    public boolean awaitRoom(long deadlineNanos) throws InterruptedException {
        return hasRoom() || await(() -> unfinished < MOST, deadlineNanos);
    }

    private synchronized boolean hasRoom() {
        return unfinished < MOST;
    }

    /**
     * Waits until all known answers have been given. Returns at once on the thread that gives them.
     *
     * @return whether they were given before the deadline
     */
    public boolean awaitAnswered(long deadlineNanos) throws InterruptedException {
        return await(() -> running == 0, deadlineNanos);
    }

    private boolean await(BooleanSupplier condition, long deadlineNanos) throws InterruptedException {
        while (true) {
            long seen = progress.count();
            synchronized (this) {
                if (condition.getAsBoolean() || Thread.currentThread() == callbackThread) {
                    return true;
                }
            }
            if (!progress.await(seen, deadlineNanos)) {
                return false;
            }
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

    private void finished(int count) {
        synchronized (this) {
            unfinished -= count;
            running -= count;
        }
        progress.raise();
    }

    /**
     * Ends the thread for answers. The calling thread gives the remaining answers, and a later
     * caller of {@link #answer} gives its own. So every record gets its answer.
     */
    @Override
    public void close() {
        callbacks.close();
        runAll();
    }
}
