package dev.blobshuffle.kstreams.keyparallel;

import org.apache.kafka.streams.processor.api.ProcessingContext;

/** The slow function of a node, as it makes records of a record. */
interface NodeCall<K, V> extends Call<Arrival<K, V>, Results>, AutoCloseable {
    /** Nothing to give back by default. */
    @Override
    default void close() {}

    /** Opens the function of one task, in its {@code init}. */
    @FunctionalInterface
    interface Source<K, V> {
        NodeCall<K, V> open(ProcessingContext context);
    }
}
