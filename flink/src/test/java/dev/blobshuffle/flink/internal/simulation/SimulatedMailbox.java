package dev.blobshuffle.flink.internal.simulation;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.function.ThrowingRunnable;

/** The mailbox of a simulated task. Guarded by the simulation's baton. */
final class SimulatedMailbox implements MailboxExecutor {
    private static final Duration LONG = Duration.ofHours(2);

    private final Time time;
    private final Signal signal;
    private final Deque<ThrowingRunnable<? extends Exception>> mails = new ArrayDeque<>();
    private boolean isClosed;

    SimulatedMailbox(Time time) {
        this.time = time;
        signal = time.signal();
    }

    @Override
    public void execute(
            MailOptions options, ThrowingRunnable<? extends Exception> command, String description, Object... args) {
        if (isClosed) {
            throw new RejectedExecutionException("The mailbox is closed.");
        }
        mails.add(command);
        signal.raise();
    }

    /** The same, unless the task has ended. */
    void post(ThrowingRunnable<? extends Exception> command) {
        if (!isClosed) {
            execute(command, "mail");
        }
    }

    /** Raised by all that the task waits for. */
    Signal signal() {
        return signal;
    }

    /** Runs the mails that are there now. Returns whether there were any. */
    boolean runBatch() throws Exception {
        int count = mails.size();
        boolean hasRun = false;
        for (int i = 0; i < count; i++) {
            hasRun |= runOne(); // A mail that yields runs others.
        }
        return hasRun;
    }

    private boolean runOne() throws Exception {
        ThrowingRunnable<? extends Exception> mail = mails.poll();
        if (mail != null) {
            mail.run();
        }
        return mail != null;
    }

    @Override
    public void yield() throws InterruptedException {
        while (!tryYield()) {
            long seen = signal.count();
            if (mails.isEmpty()) {
                boolean ignored = signal.await(seen, time.nanos() + LONG.toNanos());
            }
        }
    }

    @Override
    public boolean tryYield() {
        try {
            return runOne();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new FlinkRuntimeException(e);
        }
    }

    @Override
    public boolean shouldInterrupt() {
        return false;
    }

    void close() {
        isClosed = true;
        mails.clear();
    }
}
