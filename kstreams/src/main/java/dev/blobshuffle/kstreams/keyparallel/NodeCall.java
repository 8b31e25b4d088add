package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.internal.calls.Call;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import java.util.Optional;
import org.apache.kafka.streams.processor.api.ProcessingContext;

/** The slow function of a node: makes output records from an input record. */
interface NodeCall<K, V> extends Call<Arrival<K, V>, Results>, AutoCloseable {
    /**
     * Whether records are prepared on the stream thread before their call, and results use state
     * stores there. By default false.
     */
    default boolean isStaged() {
        return false;
    }

    /**
     * Prepares a record on the stream thread, in the order of its key. @return its outcome, if it
     * needs no call
     */
    default Optional<Outcome<Results>> prepare(Arrival<K, V> arrival) throws Exception {
        return Optional.empty();
    }

    /** Does nothing by default. */
    @Override
    default void close() {}

    /** Opens the function of one task, in the processor's {@code init}. */
    @FunctionalInterface
    interface Source<K, V> {
        NodeCall<K, V> open(ProcessingContext context);
    }
}
