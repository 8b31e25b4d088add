package dev.blobshuffle.kstreams.keyparallel;

import java.util.List;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.apache.kafka.streams.processor.api.Record;

/** The slow function of a node, as it makes records of a record. */
interface NodeCall<K, V> extends Call<Arrival<K, V>, List<Record<?, ?>>>, AutoCloseable {
    /** Nothing to give back by default. */
    @Override
    default void close() {}

    /** Opens the function of one task, in its {@code init}. */
    @FunctionalInterface
    interface Source<K, V> {
        NodeCall<K, V> open(ProcessingContext context);
    }
}
