package dev.blobshuffle.planner;

/**
 * What one tuning would cost a workload, and how long records would take.
 *
 * @param tuning the tuning
 * @param traffic what happens each second
 * @param cost dollars per hour
 * @param latencies how long records take
 * @param blobBytes bytes of a blob that no commit cut short, on average over the blobs of a seal; 0 if all is inlined
 * @param fillSeconds how long such a batch fills
 * @param isFilledBySize whether size seals it; otherwise the delay does, or a commit
 * @param commitWait seconds that a commit waits for blobs and Kafka, on average
 * @param processingShare share of the time that commits leave for processing
 * @param writeBufferBytes what the Batcher of an instance holds at p99 of its puts
 */
public record Estimate(
        Tuning tuning,
        Traffic traffic,
        Cost cost,
        Latencies latencies,
        double blobBytes,
        double fillSeconds,
        boolean isFilledBySize,
        double commitWait,
        double processingShare,
        double writeBufferBytes) {}
