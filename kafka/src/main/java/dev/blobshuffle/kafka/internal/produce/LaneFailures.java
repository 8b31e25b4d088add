package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.kafka.internal.client.ClientPair;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * The exceptions that a producer throws after it has lost records. They make Kafka Streams roll the
 * thread's tasks back to the last commit and continue, and make other applications abort the
 * transaction. They are never a {@code RetriableException}: Kafka Streams would then commit the
 * thread's other tasks, although their records were in the same batch. After too many losses
 * without a commit in between, the exception ends the thread, so an application does not restart
 * silently for ever. Guarded by its producer's lane.
 */
public final class LaneFailures {
    /** Most consecutive losses that are recoverable. */
    static final int MOST_IN_A_ROW = 10;

    private final ClientPair pair;
    private @Nullable RuntimeException lost;
    private boolean hopeless;

    LaneFailures(ClientPair pair) {
        this.pair = pair;
    }

    /** The loss until {@link #reset()}; null if nothing is lost. */
    @Nullable
    RuntimeException lost() {
        return lost;
    }

    /** Clears the loss: the transaction was aborted, or the tasks were given up. */
    void reset() {
        lost = null;
    }

    /** The exception of {@code send}. */
    KafkaException onSend(RuntimeException failure) {
        lose(failure);
        ApiException kafkas = kafkasOwn(failure);
        if (hopeless || (kafkas != null && !(kafkas instanceof OutOfOrderSequenceException))) {
            return new KafkaException(message("send"), kafkas == null ? failure : kafkas);
        }
        InvalidProducerEpochException recoverable = new InvalidProducerEpochException(message("send"));
        recoverable.initCause(failure);
        return new KafkaException(recoverable.getMessage(), recoverable);
    }

    /** The exception of a commit. */
    KafkaException onCommit(RuntimeException failure) {
        lose(failure);
        ApiException kafkas = kafkasOwn(failure);
        if (kafkas instanceof ProducerFencedException) {
            ProducerFencedException fenced = new ProducerFencedException(kafkas.getMessage());
            fenced.initCause(failure);
            return fenced;
        }
        if (hopeless || (kafkas != null && !isEpoch(kafkas))) {
            return new KafkaException(message("commit"), kafkas == null ? failure : kafkas);
        }
        CommitFailedException recoverable = new CommitFailedException(message("commit"));
        recoverable.initCause(failure);
        return recoverable;
    }

    /** Records a loss of records whose senders have received the failure. */
    void lose(RuntimeException failure) {
        if (lost == null) {
            lost = failure;
            hopeless = pair.poisoned() > MOST_IN_A_ROW;
        }
    }

    private String message(String what) {
        RuntimeException reason = lost;
        return "Cannot " + what + ": records since the last commit are lost"
                + (reason == null ? "" : ", " + reason.getMessage())
                + (hopeless
                        ? " More than " + MOST_IN_A_ROW
                                + " attempts in a row failed: repair the store, then start again."
                        : " Abort the transaction, or start again from the last commit.");
    }

    /**
     * Kafka's own exception inside a failure, if it is specific: fencing, authorization, an invalid
     * topic.
     */
    private static @Nullable ApiException kafkasOwn(Throwable failure) {
        Throwable cause = failure;
        while (cause != null) {
            if (cause instanceof ApiException kafkas && !(kafkas instanceof RetriableException)) {
                return kafkas;
            }
            cause = cause.getCause();
        }
        return null;
    }

    private static boolean isEpoch(ApiException exception) {
        return exception instanceof InvalidProducerEpochException
                || exception instanceof InvalidPidMappingException
                || exception instanceof OutOfOrderSequenceException;
    }
}
