package dev.blobshuffle.flightdaemon.internal.server;

import com.google.gson.JsonObject;
import dev.blobshuffle.flightdaemon.internal.blob.CopyStore;
import dev.blobshuffle.flightdaemon.internal.copy.Copier;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * Reports copies in {@code stats} and in the metrics. Thread-safe.
 *
 * @param copier copies the shuffles; empty if there are no copies
 * @param stores of the namespaces
 */
record CopyReport(Optional<Copier> copier, Collection<CopyStore> stores) {
    private static final Copier.Counts NONE = new Copier.Counts(0, 0, 0, 0, 0, 0, 0);

    private long reads() {
        return stores.stream().mapToLong(CopyStore::reads).sum();
    }

    private long readBytes() {
        return stores.stream().mapToLong(CopyStore::readBytes).sum();
    }

    /** Adds the numbers to the statistics, if there are copies. */
    void addTo(JsonObject stats) {
        if (copier.isEmpty()) {
            return;
        }
        Copier.Counts counts = copier.get().counts();
        stats.addProperty("copied_blobs", counts.blobs());
        stats.addProperty("copied_bytes", counts.bytes());
        stats.addProperty("copy_pending_blobs", counts.pendingBlobs());
        stats.addProperty("copy_pending_bytes", counts.pendingBytes());
        stats.addProperty("copy_failed_blobs", counts.failedBlobs());
        stats.addProperty("copy_failed_bytes", counts.failedBytes());
        stats.addProperty("copy_failures", counts.failures());
        stats.addProperty("copy_reads", reads());
        stats.addProperty("copy_read_bytes", readBytes());
    }

    /** Adds the metrics. They are zero if there are no copies. */
    void addTo(Map<FlightMetric, Double> values) {
        Copier.Counts counts = copier.map(Copier::counts).orElse(NONE);
        values.put(FlightMetric.COPIES, (double) counts.blobs());
        values.put(FlightMetric.COPY_BYTES, (double) counts.bytes());
        values.put(FlightMetric.COPIES_PENDING, (double) counts.pendingBlobs());
        values.put(FlightMetric.COPY_BYTES_PENDING, (double) counts.pendingBytes());
        values.put(FlightMetric.COPIES_FAILED, (double) counts.failedBlobs());
        values.put(FlightMetric.COPY_BYTES_FAILED, (double) counts.failedBytes());
        values.put(FlightMetric.COPY_FAILURES, (double) counts.failures());
        values.put(FlightMetric.COPY_READS, (double) reads());
        values.put(FlightMetric.COPY_READ_BYTES, (double) readBytes());
    }
}
