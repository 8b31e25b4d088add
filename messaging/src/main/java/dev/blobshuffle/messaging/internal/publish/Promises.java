package dev.blobshuffle.messaging.internal.publish;

import dev.blobshuffle.core.failure.Closed;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.log.publish.Acknowledgements;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The publishes that wait for their answers, in append order per partition. Answers come on a
 * thread of their own, one after another, because an application's callback may publish, and then
 * wait for the log. Thread-safe: guarded by this.
 */
final class Promises implements Acknowledgements, AutoCloseable {
    /** Publishes that may wait at once. */
    private static final int MOST = 1 << 20;

    private final Time.Workers callbacks;
    private final Signal progress;
    private final Map<Partition, Deque<Promise>> waiting = new HashMap<>();

    /** What is to run, in order. Kept here, because closed workers drop their tasks. */
    private final Deque<Runnable> due = new ArrayDeque<>();

    /** Why the lane's records are lost; null while it works. */
    private @Nullable RuntimeException loss;

    private int unfinished;
    private int running;
    private @Nullable Thread callbackThread;

    Promises(Time time) {
        callbacks = time.workers("blobshuffle-callbacks", 1);
        progress = time.signal();
    }

    /** Registers a publish before its record is appended, so that no segment overtakes it. */
    void add(Partition partition, Promise promise) {
        RuntimeException lost;
        synchronized (this) {
            unfinished++;
            lost = loss;
            if (lost == null) {
                waiting.computeIfAbsent(partition, any -> new ArrayDeque<>()).addLast(promise);
            }
        }
        if (lost != null) {
            RuntimeException cause = lost;
            run(1, () -> promise.completeExceptionally(cause));
        }
    }

    /** Takes back the last publish of a partition, whose record could not be appended. */
    synchronized void remove(Partition partition, Promise promise) {
        Deque<Promise> queue = waiting.get(partition);
        if (queue != null && queue.peekLast() == promise) {
            queue.removeLast();
            unfinished--;
        }
    }

    /** The lane begins again: nothing that it lost can be committed any more. */
    synchronized void startAgain() {
        loss = null;
    }

    @Override
    public synchronized Taken take(Partition partition, int records) {
        Deque<Promise> queue = waiting.get(partition);
        List<Promise> taken = new ArrayList<>(records);
        for (int i = 0; i < records && queue != null && !queue.isEmpty(); i++) {
            taken.add(queue.removeFirst());
        }
        return new Taken() {
            @Override
            public void committed() {
                run(taken.size(), () -> taken.forEach(Promise::keep));
            }

            @Override
            public void failed(RuntimeException cause) {
                run(taken.size(), () -> taken.forEach(promise -> promise.completeExceptionally(cause)));
            }
        };
    }

    @Override
    public void failed(RuntimeException cause) {
        List<Promise> failed = new ArrayList<>();
        synchronized (this) {
            loss = cause;
            waiting.values().forEach(failed::addAll);
            waiting.clear();
        }
        run(failed.size(), () -> failed.forEach(promise -> promise.completeExceptionally(cause)));
    }

    /**
     * Waits until another publish may be registered.
     *
     * @return whether that was before the deadline
     */
    boolean awaitRoom(long deadlineNanos) throws InterruptedException {
        return hasRoom() || await(() -> unfinished < MOST, deadlineNanos);
    }

    private synchronized boolean hasRoom() {
        return unfinished < MOST;
    }

    /**
     * Waits until the answers that are known have been given; at once on the thread that gives
     * them.
     */
    void awaitCallbacks(long deadlineNanos) throws InterruptedException {
        boolean ignored = await(() -> running == 0, deadlineNanos);
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

    private void run(int count, Runnable answers) {
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
        } catch (Closed e) {
            runAll(); // An answer after the close: nobody else gives it.
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
     * Ends the thread. What it has not run, runs on the closing one: every publish gets an answer.
     */
    @Override
    public void close() {
        callbacks.close();
        runAll();
    }
}
