package dev.blobshuffle.testkit.internal.simulation;

import java.util.EnumSet;
import java.util.Set;

/** A fault that a simulation injects into the engine. */
public enum Fault {
    /** A put failed and left nothing. */
    PUT_FAILED,
    /** A put stored the blob and reported a failure. */
    PUT_ANSWER_LOST,
    /** A put took longer than an attempt may. */
    PUT_SLOW,
    /** A second attempt of a put, below the engine, ended after the first one had succeeded. */
    PUT_STRAGGLED,
    /** A get failed. */
    GET_FAILED,
    /** A get took longer than an attempt may. */
    GET_SLOW,
    /** A request was never answered, or only after its caller had stopped waiting. */
    STORE_HANGS,
    /** A get returned fewer bytes than requested. */
    GET_TRUNCATED,
    /** A get returned a byte that was not stored. */
    GET_FLIPPED,
    /** For a while every request failed. */
    STORE_DOWN,
    /** A stored blob was reported missing, as with a wrong setting that is corrected later. */
    BLOB_HIDDEN,
    /** The channel refused a notification or plain records. */
    SEND_REFUSED,
    /** A process was killed. */
    PROCESS_KILLED,
    /** A process was replaced while it went on: a zombie. */
    PROCESS_REPLACED,
    /** One writer or reader of a process ended by an error, and another one took its place. */
    ACTOR_KILLED,
    /** A writer or reader rolled back by its own decision. */
    ROLLED_BACK,
    /** A partition went to another reader. */
    REASSIGNED,
    /** A request to list, measure or delete blobs failed, with or without effect. */
    SWEEP_REQUEST_FAILED,
    /** A log deleted entries that readers had committed. */
    LOG_PURGED,
    /** Readers went back to the start of a log. */
    READER_RESET,
    /** A reader read nothing for longer than a sweep waits. */
    READER_SLOW,
    /** A hub was killed; another one may take its place. */
    HUB_KILLED,
    /** A hub stood still, and then went on. */
    HUB_FROZEN,
    /** A part did not arrive, or its answer did not. */
    PART_LOST,
    /** A part arrived twice. */
    PART_REPLAYED,
    /** A hub answered with places that are not those of the part. */
    PART_MISPLACED,
    /** An instance of another owner handed over a part. */
    PART_FOREIGN,
    /** The fast store was lost for ever. */
    FAST_GONE,
    /** The fast store lost all its blobs, and went on. */
    FAST_EMPTIED,
    /** The fast store acknowledged a blob that it does not have. */
    FAST_FORGETS,
    /** The durable store failed while the fast one went on. */
    DURABLE_DOWN;

    /** Those that happen only where blobs are swept. */
    static final Set<Fault> OF_SWEEPS = EnumSet.of(SWEEP_REQUEST_FAILED, LOG_PURGED, READER_RESET, READER_SLOW);

    /** Those that happen only where small blobs are combined. */
    static final Set<Fault> OF_COMBINING =
            EnumSet.of(HUB_KILLED, HUB_FROZEN, PART_LOST, PART_REPLAYED, PART_MISPLACED, PART_FOREIGN);

    /** Those that happen only with a store of two speeds. */
    static final Set<Fault> OF_TWO_SPEEDS = EnumSet.of(FAST_GONE, FAST_EMPTIED, FAST_FORGETS, DURABLE_DOWN);

    /** Those that every schedule may have. */
    static Set<Fault> usual() {
        Set<Fault> usual = EnumSet.allOf(Fault.class);
        usual.removeAll(OF_SWEEPS);
        usual.removeAll(OF_COMBINING);
        usual.removeAll(OF_TWO_SPEEDS);
        return usual;
    }
}
