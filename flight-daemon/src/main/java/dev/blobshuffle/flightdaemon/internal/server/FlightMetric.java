package dev.blobshuffle.flightdaemon.internal.server;

import dev.blobshuffle.core.internal.metrics.Metric;
import dev.blobshuffle.core.internal.metrics.Metric.Kind;
import dev.blobshuffle.core.internal.metrics.Metric.Unit;

/** The daemon's Prometheus metrics. Each is one number for all shuffles and clients. */
enum FlightMetric {
    STREAMS(Kind.COUNTER, Unit.REQUESTS, "Partitions that clients began to read by Flight."),
    FRAMES(Kind.COUNTER, Unit.BATCHES, "Frames that were sent by Flight."),
    BYTES_SERVED(Kind.COUNTER, Unit.BYTES, "Bytes of the frames that were sent by Flight."),
    HTTP_ANSWERS(Kind.COUNTER, Unit.REQUESTS, "Answers by HTTP with bytes of a blob."),
    HTTP_BYTES(Kind.COUNTER, Unit.BYTES, "Bytes of blobs that were sent by HTTP."),
    FAILURES(Kind.COUNTER, Unit.OCCURRENCES, "Streams and answers by HTTP that failed."),
    REFUSALS(Kind.COUNTER, Unit.REQUESTS, "Calls and requests without a valid token or ticket."),
    STALLS(Kind.COUNTER, Unit.OCCURRENCES, "Connections and puts ended because their client did nothing."),
    RELEASES(Kind.COUNTER, Unit.OCCURRENCES, "Shuffles that were released, or whose lease ended."),
    PUTS(Kind.COUNTER, Unit.BLOBS, "Maps that clients put and that were committed."),
    PUT_BYTES(Kind.COUNTER, Unit.BYTES, "Bytes of the batches that clients put."),
    PUT_FAILURES(Kind.COUNTER, Unit.OCCURRENCES, "Puts that were refused or failed."),
    TRANSFERS_TOO_SLOW(
            Kind.COUNTER,
            Unit.OCCURRENCES,
            "Puts and connections that were ended because they were below the least rate while others waited."),
    PUTS_GAVE_WAY(Kind.COUNTER, Unit.OCCURRENCES, "Puts that were ended because another tenant waited for long."),
    CALLS_OVER_LIMIT(
            Kind.COUNTER,
            Unit.REQUESTS,
            "Calls that were refused because their tenant had as many in progress as it may have."),
    CONNECTIONS_ENDED(
            Kind.COUNTER,
            Unit.OCCURRENCES,
            "Connections of Flight and HTTP that were refused or ended: too many, too slow, or no valid call in time."),
    BLOBS_MOVED(Kind.COUNTER, Unit.BLOBS, "Blobs that went from memory to a directory because the memory was full."),
    COPIES(Kind.COUNTER, Unit.BLOBS, "Blobs that were copied to a store."),
    COPY_BYTES(Kind.COUNTER, Unit.BYTES, "Bytes of these blobs."),
    COPY_FAILURES(Kind.COUNTER, Unit.OCCURRENCES, "Attempts to copy a shuffle that failed."),
    COPY_READS(Kind.COUNTER, Unit.REQUESTS, "Reads of copies, for blobs that no directory has."),
    COPY_READ_BYTES(Kind.COUNTER, Unit.BYTES, "Bytes of these reads."),
    CONNECTIONS(Kind.GAUGE, Unit.OCCURRENCES, "Connections of Flight that are open."),
    HTTP_CONNECTIONS(Kind.GAUGE, Unit.OCCURRENCES, "Connections of HTTP that are open."),
    STREAMS_RUNNING(Kind.GAUGE, Unit.REQUESTS, "Partitions that clients are reading by Flight."),
    PUTS_RUNNING(Kind.GAUGE, Unit.REQUESTS, "Maps that clients are putting, or wait to put."),
    PUTS_WAITING(Kind.GAUGE, Unit.REQUESTS, "Puts that wait until others end."),
    STREAMS_WAITING(Kind.GAUGE, Unit.REQUESTS, "Readers that wait for memory of frames."),
    SHUFFLES_OPEN(Kind.GAUGE, Unit.OCCURRENCES, "Shuffles that were used since the start and not released."),
    FRAME_MEMORY(Kind.GAUGE, Unit.BYTES, "Memory of frames that were read and not yet sent."),
    FOOTER_MEMORY(Kind.GAUGE, Unit.BYTES, "Memory of footers."),
    PUT_MEMORY(Kind.GAUGE, Unit.BYTES, "Memory of the batches of maps that clients are putting."),
    BLOB_MEMORY(Kind.GAUGE, Unit.BYTES, "Memory of blobs that are in no directory."),
    COPIES_PENDING(Kind.GAUGE, Unit.BLOBS, "Blobs of committed shuffles that have no copy yet."),
    COPY_BYTES_PENDING(Kind.GAUGE, Unit.BYTES, "Bytes of these blobs."),
    COPIES_FAILED(Kind.GAUGE, Unit.BLOBS, "Those of them whose shuffle could not be copied and waits to try again."),
    COPY_BYTES_FAILED(Kind.GAUGE, Unit.BYTES, "Bytes of these blobs."),
    DISK_FREE(Kind.GAUGE, Unit.BYTES, "Free space of the directory that has the least.");

    private final Metric metric;

    FlightMetric(Kind kind, Unit unit, String doc) {
        metric =
                new Metric("flight-" + name().toLowerCase(java.util.Locale.ROOT).replace('_', '-'), kind, unit, doc);
    }

    /** Name, kind, unit and meaning. */
    Metric metric() {
        return metric;
    }
}
