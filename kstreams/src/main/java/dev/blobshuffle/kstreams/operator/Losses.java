package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.DeadlineExceeded;
import dev.blobshuffle.core.failure.DeliveryFailed;
import dev.blobshuffle.core.failure.Interrupted;
import dev.blobshuffle.core.failure.MemoryExhausted;
import dev.blobshuffle.core.failure.StoreUnavailable;
import java.util.Map;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.jspecify.annotations.Nullable;

/**
 * The first failure of an operator, which sticks: it is thrown by every later call and above all by
 * the commit, for an exception handler may have swallowed it meanwhile, and the commit would
 * confirm records that are lost.
 *
 * <p>What may mend itself is thrown as the exception after which Kafka Streams takes all tasks of
 * the thread back to the last commit, and the thread lives on. After too many in a row for one
 * task, and for what does not mend itself, it is one that ends the thread. Never a
 * {@code TimeoutException} or {@code TaskCorruptedException}: Kafka Streams would commit the
 * thread's other tasks first, and with them what this one sent. Owned by the stream thread.
 */
final class Losses {
    /** Losses in a row that are recovered from. */
    static final int MOST_IN_A_ROW = 10;

    private final String operator;
    private final Patience patience;
    private final Map<String, Integer> counts;
    private final ThreadLanes thread;
    private @Nullable RuntimeException sticking;

    /** How long an operator goes on when the same thing fails again and again. */
    enum Patience {
        /**
         * {@link #MOST_IN_A_ROW} times: what cannot be written piles up, and somebody must hear of
         * it.
         */
        LIMITED,
        /** Without end: what cannot be read waits in Kafka, and the lag tells. */
        ENDLESS
    }

    /**
     * No loss yet.
     *
     * @param operator names the operator and its task
     * @param patience how long it goes on
     * @param counts how often each operator failed in a row; outlives this
     * @param thread whose other operators are told
     */
    Losses(String operator, Patience patience, Map<String, Integer> counts, ThreadLanes thread) {
        this.operator = operator;
        this.patience = patience;
        this.counts = counts;
        this.thread = thread;
    }

    /**
     * Throws what sticks, here or in another operator of the thread: its tasks go back together.
     */
    void check() {
        RuntimeException first = sticking;
        if (first != null) {
            throw first;
        }
        thread.check();
    }

    /** Keeps a failure, if it is the first. @return the first, to be thrown */
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

    /** Everything before this is safe. */
    void recovered() {
        if (!counts.isEmpty()) {
            counts.remove(operator);
        }
    }

    private StreamsException translated(BlobShuffleException failure) {
        String what = "Cannot shuffle in " + operator + ": " + failure.getMessage();
        boolean mayMend = failure instanceof StoreUnavailable
                || failure instanceof DeadlineExceeded
                || failure instanceof DeliveryFailed
                || failure instanceof Interrupted
                || failure instanceof MemoryExhausted;
        if (!mayMend) {
            return new StreamsException(what, failure);
        }
        int inARow = counts.merge(operator, 1, Integer::sum);
        if (patience == Patience.LIMITED && inARow > MOST_IN_A_ROW) {
            return new StreamsException(
                    what + " More than " + MOST_IN_A_ROW
                            + " attempts in a row failed: make the store work, then start again.",
                    failure);
        }
        return new TaskMigratedException(what + " The tasks start again from the last commit.", failure);
    }
}
