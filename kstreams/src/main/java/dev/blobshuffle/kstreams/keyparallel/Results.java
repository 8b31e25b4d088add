package dev.blobshuffle.kstreams.keyparallel;

import java.util.List;
import org.apache.kafka.streams.processor.api.Record;

/** The results of a call, for the stream thread. */
@FunctionalInterface
interface Results {
    /**
     * The records to hand on, in order. Called once, on the stream thread, where it may use state
     * stores.
     */
    List<Record<?, ?>> records() throws Exception;
}
