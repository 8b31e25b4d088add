package dev.blobshuffle.planner;

/**
 * The predicted cost and latency of a workload with one tuning.
 *
 * @param tuning the tuning
 * @param traffic requests and bytes per second
 * @param cost dollars per hour
 * @param latencies latencies of records
 * @param blobBytes average bytes of the blobs of a seal that no commit cut short; 0 if all records
 *     are inlined
 * @param fillSeconds fill time of such a batch
 * @param isFilledBySize whether size seals it; otherwise the delay does, or a commit
 * @param commitWait average seconds that a commit waits for blobs and Kafka
 * @param processingShare share of the time that commits leave for processing
 * @param writeBufferBytes bytes that an instance's Batcher holds at p99 of its puts
 * @param partsPerBlob instances whose parts share a blob; 1 without combining
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
        double writeBufferBytes,
        double partsPerBlob) {}
