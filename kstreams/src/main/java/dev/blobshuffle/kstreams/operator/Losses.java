package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.DeadlineExceededException;
import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.failure.MemoryExhaustedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.failure.WaitInterruptedException;
import java.util.Map;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the first failure of an operator until the tasks restart. Every later call throws it, and
 * above all the commit: an exception handler may have swallowed the failure, and the commit would
 * then confirm lost records.
 *
 * <p>A temporary failure is thrown as an exception that makes Kafka Streams roll all tasks of the
 * thread back to the last commit; the thread continues. After too many consecutive failures of one
 * task, and for a permanent failure, the exception ends the thread. It is never a
 * {@code TimeoutException} or {@code TaskCorruptedException}: Kafka Streams would then commit the
 * thread's other tasks first, and with them the records that this task has sent. Owned by the
 * stream thread.
 */
final class Losses {
    /** Most consecutive losses that are recoverable. */
    static final int MOST_IN_A_ROW = 10;

    private final String operator;
    private final Patience patience;
    private final Map<String, Integer> counts;
    private final ThreadLanes thread;
    private @Nullable RuntimeException sticking;

    /** How often an operator retries after repeated failures. */
    enum Patience {
        /**
         * Up to {@link #MOST_IN_A_ROW} times: unwritten records pile up, so the failure must become
         * visible.
         */
        LIMITED,
        /** Without limit: unread records wait in Kafka, and the lag shows them. */
        ENDLESS
    }

    /**
     * No loss yet.
     *
     * @param operator names the operator and its task
     * @param patience how often it retries
     * @param counts consecutive failures of each operator; outlives this object
     * @param thread reports the failure to the thread's other operators
     */
    Losses(String operator, Patience patience, Map<String, Integer> counts, ThreadLanes thread) {
        this.operator = operator;
        this.patience = patience;
        this.counts = counts;
        this.thread = thread;
    }

    /**
     * Throws the failure of this operator, or of another operator of the thread: its tasks roll
     * back together.
     */
    void check() {
        RuntimeException first = sticking;
        if (first != null) {
            throw first;
        }
        thread.check();
    }

    /** Keeps a failure if it is the first. @return the first failure, to be thrown */
    RuntimeException keep(RuntimeException failure) {
        RuntimeException first = sticking;
        if (first == null) {
            first = failure;
            if (failure instanceof BlobShuffleException ours) {
                first = translated(ours);
                thread.fail(first);
            }
            sticking = first;
        }
        return first;
    }

    /** Resets the count: everything so far is committed. */
    void recovered() {
        if (!counts.isEmpty()) {
            counts.remove(operator);
        }
    }

    private StreamsException translated(BlobShuffleException failure) {
        String what = "Cannot shuffle in " + operator + ": " + failure.getMessage();
        boolean mayMend = failure instanceof StoreUnavailableException
                || failure instanceof DeadlineExceededException
                || failure instanceof DeliveryFailedException
                || failure instanceof WaitInterruptedException
                || failure instanceof MemoryExhaustedException;
        if (!mayMend) {
            return new StreamsException(what, failure);
        }
        int inARow = counts.merge(operator, 1, Integer::sum);
        if (patience == Patience.LIMITED && inARow > MOST_IN_A_ROW) {
            return new StreamsException(
                    what + " More than " + MOST_IN_A_ROW
                            + " attempts in a row failed: repair the store, then start again.",
                    failure);
        }
        return new TaskMigratedException(what + " The tasks start again from the last commit.", failure);
    }
}
