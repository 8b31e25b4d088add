package dev.blobshuffle.kstreams.keyparallel;

import java.util.List;
import org.apache.kafka.streams.processor.api.Record;

/** What a call made of a record, for the stream thread. */
@FunctionalInterface
interface Results {
    /**
     * The records to hand on, in their order. Called once, on the stream thread, and may use state
     * stores there.
     */
    List<Record<?, ?>> records() throws Exception;
}
