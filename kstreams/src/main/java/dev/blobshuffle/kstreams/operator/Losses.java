package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.DeadlineExceeded;
import dev.blobshuffle.core.failure.DeliveryFailed;
import dev.blobshuffle.core.failure.MemoryExhausted;
import dev.blobshuffle.core.failure.StoreUnavailable;
import java.util.Map;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.jspecify.annotations.Nullable;

/**
 * The first failure of an operator, which sticks: it is thrown by every later call and above all by the commit, for an exception handler may have swallowed it
 * meanwhile, and the commit would confirm records that are lost.
 *
 * <p>What may mend itself is thrown as the exception after which Kafka Streams takes all tasks of the thread back to the last commit, and the thread lives on. After
 * too many in a row for one task, and for what does not mend itself, it is one that ends the thread. Never a {@code TimeoutException} or {@code
 * TaskCorruptedException}: Kafka Streams would commit the thread's other tasks first, and with them what this one sent. Owned by the stream thread.
 */
final class Losses {
    /** Losses in a row that are recovered from. */
    static final int MOST_IN_A_ROW = 10;

    private final String operator;
    private final Map<String, Integer> counts;
    private @Nullable RuntimeException sticking;

    /**
     * No loss yet.
     *
     * @param operator names the operator and its task
     * @param counts how often each operator failed in a row; outlives this
     */
    Losses(String operator, Map<String, Integer> counts) {
        this.operator = operator;
        this.counts = counts;
    }

    /** Throws what sticks. */
    void check() {
        RuntimeException first = sticking;
        if (first != null) {
            throw first;
        }
    }

    /** Keeps a failure, if it is the first. @return the first, to be thrown */
    RuntimeException keep(RuntimeException failure) {
        RuntimeException first = sticking;
        if (first == null) {
            first = failure instanceof BlobShuffleException ours ? translated(ours) : failure;
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
                || failure instanceof MemoryExhausted;
        if (!mayMend) {
            return new StreamsException(what, failure);
        }
        int inARow = counts.merge(operator, 1, Integer::sum);
        if (inARow > MOST_IN_A_ROW) {
            return new StreamsException(
                    what + " More than " + MOST_IN_A_ROW
                            + " attempts in a row failed: make the store work, then start again.",
                    failure);
        }
        return new TaskMigratedException(what + " The tasks start again from the last commit.", failure);
    }
}
