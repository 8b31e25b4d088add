package dev.blobshuffle.core.internal.metrics;

import dev.blobshuffle.core.internal.metrics.Metric.Kind;
import dev.blobshuffle.core.internal.metrics.Metric.Unit;

/** The counters of an instance: {@link ShuffleMetrics#add}. */
public enum Counter {
    /** Counted by the Batcher when a batch is sealed, not at every append. */
    RECORDS_APPENDED(Unit.RECORDS, "Records that were appended to batches."),
    /** As {@link #RECORDS_APPENDED}. */
    BYTES_APPENDED(Unit.BYTES, "Encoded bytes, before compression, of the records that were appended to batches."),
    /**
     * The time for which a full write buffer blocked the application. Added in nanoseconds,
     * published in milliseconds.
     */
    APPEND_BLOCKED_TIME(Unit.MILLISECONDS, "Time that appends waited because the write buffer was full."),

    /** A section of the batch reached its maximum size. */
    BATCHES_SEALED_SIZE(Unit.BATCHES, "Batches that were sealed because they had reached their size."),
    /** The delay since the first record was over. */
    BATCHES_SEALED_DELAY(Unit.BATCHES, "Batches that were sealed because their delay budget was spent."),
    /** A commit flushed the lane. */
    BATCHES_SEALED_FLUSH(Unit.BATCHES, "Batches that were sealed by a flush (commit)."),
    /** The write budget was full. */
    BATCHES_SEALED_MEMORY(Unit.BATCHES, "Batches that were sealed because the write buffer was full."),

    /** Counted by the instance that stores it, once per blob that a notification may name. */
    BLOBS_STORED(Unit.BLOBS, "Blobs that were stored. Combined ones are counted by their hub."),
    /** Counted by the instance whose records the blob holds, also if a hub stored them. */
    BLOB_BYTES_STORED(
            Unit.BYTES, "Total bytes of the blobs that were stored, including footers, also in combined blobs."),
    /** With a store of two speeds, counted by the Batcher. Such a blob is stored later. */
    BLOBS_ANNOUNCED_EARLY(
            Unit.BLOBS, "Blobs whose notifications were sent when the fast store had them, before they were durable."),
    /** Counted by {@code TwoSpeedBlobStore}. Such a blob is announced when it is durable. */
    FAST_PUT_FAILURES(Unit.BLOBS, "Blobs that the fast store of two speeds did not store, after all attempts."),
    /** As {@link #FAST_PUT_FAILURES}. The durable store was asked instead. */
    FAST_GET_FAILURES(
            Unit.OCCURRENCES,
            "Reads that the fast store of two speeds did not answer, because it failed or does not have the blob."),
    /** A put that succeeded after its batch had been discarded or had failed. */
    BLOBS_ORPHANED(Unit.BLOBS, "Blobs that were stored after they were no longer needed. Retention deletes them."),
    /** A batch whose upload failed for good, after all attempts. */
    UPLOAD_FAILURES(Unit.OCCURRENCES, "Uploads that failed after all attempts."),

    /** Counted by the contributor of a hub, like the next six. */
    PARTS_HANDED_OVER(Unit.BLOBS, "Small blobs that were handed to a hub of the zone, to be stored with others."),
    /** The hub's blob was announced. */
    PARTS_COMBINED(Unit.BLOBS, "Handed-over blobs whose records were announced in the hub's blob."),
    /** The hub refused, its memory was full, or its put failed. */
    PARTS_REFUSED(Unit.BLOBS, "Handed-over blobs that this instance stored by itself because the hub refused them."),
    /** No sign of life for 500 ms, or the connection was lost. */
    PARTS_LOST(Unit.BLOBS, "Handed-over blobs that this instance stored by itself because the hub was silent."),
    /** The hub was alive, but took too long. */
    PARTS_SLOW(Unit.BLOBS, "Handed-over blobs that this instance stored as well because the hub was slow."),
    /** The answer contradicted the part. */
    PARTS_MISPLACED(
            Unit.BLOBS, "Handed-over blobs that this instance stored by itself because the hub's answer was wrong."),
    /** No member of the zone is a hub that works. */
    PARTS_WITHOUT_HUB(Unit.BLOBS, "Small blobs that this instance stored by itself because the zone had no hub."),
    /** Counted by the hub, like the next two. */
    PARTS_TAKEN(Unit.BLOBS, "Blobs of other instances that this hub accepted, to store them together."),
    /** The contributor stores the part by itself. */
    PARTS_TURNED_AWAY(Unit.BLOBS, "Blobs of other instances that this hub refused because its memory was full."),
    /** Also counted as {@link #PUTS}. */
    BLOBS_COMBINED(Unit.BLOBS, "Blobs that this hub stored for other instances, each made of one or more of theirs."),

    /** Acknowledged by the channel. */
    NOTIFICATIONS_SENT(Unit.NOTIFICATIONS, "Notifications that the channel accepted."),
    /** Counted for batches below the inline size. */
    RECORDS_INLINED(
            Unit.RECORDS,
            "Records that went through the channel because their batch was too small to be worth a blob."),
    /** As {@link #RECORDS_INLINED}. */
    BYTES_INLINED(
            Unit.BYTES, "Encoded bytes of the records that went through the channel because their batch was small."),
    /** The store was down. */
    RECORDS_FALLBACK(Unit.RECORDS, "Records that went through the channel because the store was down."),
    /** As {@link #RECORDS_FALLBACK}. */
    BYTES_FALLBACK(
            Unit.BYTES, "Encoded bytes of the records that went through the channel because the store was down."),

    /** Returned by a Debatcher. Plain records of the channel are not counted. */
    RECORDS_DELIVERED(Unit.RECORDS, "Records that were read from blobs and returned to the reader."),
    /** As {@link #RECORDS_DELIVERED}. */
    BYTES_DELIVERED(Unit.BYTES, "Bytes of keys and values that were read from blobs and returned to the reader."),
    /**
     * Reads whose bytes did not match their checksum. A fresh read decides whether the blob is
     * damaged.
     */
    FETCHES_CORRUPT(Unit.OCCURRENCES, "Reads of segments whose bytes did not match their checksum."),

    /** Counted by {@code MeteredBlobStore}, per attempt, because attempts are billed. */
    PUTS(Unit.REQUESTS, "Requests to the store that write a blob."),
    /** As {@link #PUTS}. */
    PUT_FAILURES(Unit.REQUESTS, "Requests to the store that write a blob and failed."),
    /** As {@link #PUTS}. */
    GETS(Unit.REQUESTS, "Requests to the store that read a part of a blob."),
    /** As {@link #PUTS}. */
    GET_FAILURES(Unit.REQUESTS, "Requests to the store that read a part of a blob and failed."),
    /** As {@link #PUTS}. */
    BYTES_FETCHED(Unit.BYTES, "Bytes that were read from the store."),
    /** As {@link #PUTS}, including failed requests. */
    BYTES_SENT(Unit.BYTES, "Bytes of blobs in write requests to the store, counting every attempt."),
    /** As {@link #PUTS}. */
    BLOBS_DELETED(Unit.BLOBS, "Blobs that the store was asked to delete."),
    /** As {@link #PUTS}. */
    OTHER_FAILURES(Unit.OCCURRENCES, "Deletes and listings that failed."),
    /** As {@link #PUTS}. */
    REQUESTS_THROTTLED(Unit.REQUESTS, "Requests that the store throttled (503 SlowDown, 429)."),
    /** Counted by the store: {@code RequestMeter}. */
    DELETES(Unit.REQUESTS, "Requests to an object store that delete blobs, one or many at a time."),
    /** As {@link #DELETES}, one per page. */
    LISTS(Unit.REQUESTS, "Requests to an object store that list blobs, one page each."),
    /** As {@link #DELETES}. */
    HEADS(Unit.REQUESTS, "Requests to an object store for the existence or properties of a resource."),
    /** Counted by {@code RetryingBlobStore}; also counted as puts and gets. */
    STORE_RETRIES(Unit.REQUESTS, "Requests to the store that were repeated because it was unavailable."),
    /** Counted by {@code TimeLimitedBlobStore}. */
    REQUESTS_TIMED_OUT(Unit.REQUESTS, "Requests to the store that timed out."),
    /** Counted by {@code HedgingBlobStore}; also counted as puts and gets. */
    HEDGES(Unit.REQUESTS, "Second requests to the store, sent because the first was slow."),
    /** As {@link #HEDGES}. */
    HEDGES_WON(Unit.REQUESTS, "Second requests that completed before the first."),
    /** Counted by {@code CircuitBreakingBlobStore}. */
    STORE_OUTAGES(
            Unit.OCCURRENCES,
            "Times that puts or gets were suspended after several consecutive failures of the store."),

    /** Counted by {@code MemoryCachedBlobStore}. */
    CACHE_MEMORY_HITS(Unit.OCCURRENCES, "Reads that the cache in memory answered."),
    /** As {@link #CACHE_MEMORY_HITS}. */
    CACHE_MEMORY_MISSES(Unit.OCCURRENCES, "Reads that the cache in memory could not answer."),
    /** As {@link #CACHE_MEMORY_HITS}. */
    CACHE_MEMORY_BYTES(Unit.BYTES, "Bytes that the cache in memory served."),
    /** As {@link #CACHE_MEMORY_HITS}. */
    CACHE_MEMORY_EVICTIONS(Unit.OCCURRENCES, "Parts of blobs that the cache in memory evicted to free space."),
    /** All evictable parts were in use. */
    CACHE_MEMORY_REFUSALS(
            Unit.OCCURRENCES, "Parts of blobs that were not cached in memory because all of it was in use."),
    /** Counted by {@code DiskCachedBlobStore}. */
    CACHE_DISK_HITS(Unit.OCCURRENCES, "Reads that the cache on disk answered."),
    /** As {@link #CACHE_DISK_HITS}. */
    CACHE_DISK_MISSES(Unit.OCCURRENCES, "Reads that the cache on disk could not answer."),
    /** As {@link #CACHE_DISK_HITS}. */
    CACHE_DISK_BYTES(Unit.BYTES, "Bytes that the cache on disk served."),
    /** As {@link #CACHE_DISK_HITS}. */
    CACHE_DISK_EVICTIONS(Unit.OCCURRENCES, "Parts of blobs that the cache on disk evicted to free space."),
    /** The disk was too slow, or all parts were in use. */
    CACHE_DISK_REFUSALS(
            Unit.OCCURRENCES,
            "Parts of blobs that were not cached on disk because the disk was too slow, failed, or was " + "in use."),
    /** The store is asked instead. */
    CACHE_DISK_FAILURES(Unit.OCCURRENCES, "Reads and writes of the disk cache that failed, including damaged files."),
    /** Counted by {@code ZoneCachedBlobStore}: answers of other members. */
    CACHE_ZONE_HITS(Unit.OCCURRENCES, "Reads that another member of the zone answered."),
    /** As {@link #CACHE_ZONE_HITS}. */
    CACHE_ZONE_BYTES(Unit.BYTES, "Bytes that other members of the zone served."),
    /** The store is asked instead. */
    CACHE_ZONE_FAILURES(
            Unit.OCCURRENCES, "Reads that another member of the zone failed to answer or answered incorrectly."),
    /** The member was not asked because it failed recently. */
    CACHE_ZONE_BYPASSES(Unit.OCCURRENCES, "Times that a member of the zone was skipped because of recent failures."),
    /** Counted by {@code ZoneCachedBlobStore}, by the zone that the asked member announces. */
    CROSS_ZONE_BYTES(
            Unit.BYTES,
            "Bytes of blobs that this instance received from members of other zones, which providers "
                    + "charge for. Always 0, because instances request blobs only within their zone."),
    /** Counted by the server for other members. */
    PEER_REQUESTS(Unit.OCCURRENCES, "Reads of other members that this instance answered."),
    /** As {@link #PEER_REQUESTS}. */
    PEER_BYTES(Unit.BYTES, "Bytes that this instance sent to other members."),
    /** As {@link #PEER_REQUESTS}. */
    PEER_REFUSALS(
            Unit.OCCURRENCES, "Requests that this instance refused: without permission, malformed, or beyond a limit."),
    /** As {@link #PEER_REQUESTS}. */
    PEER_CONNECTIONS_ENDED(
            Unit.OCCURRENCES,
            "Connections from other members that this instance closed: no complete request within 5 "
                    + "seconds, or too many connections at once."),
    /** Counted by the network of members, like the next one. */
    PEER_SECRET_CHANGES(Unit.OCCURRENCES, "Times that this instance started to use a changed `peer.secret.file`."),
    /** Counted every second while the failure lasts. */
    PEER_SECRET_FAILURES(
            Unit.OCCURRENCES,
            "Checks of `peer.secret.file`, one a second, that found a file that cannot be used. The "
                    + "previous secrets stay."),
    /** Counted by the directory of members. */
    MEMBERSHIP_REFUSALS(
            Unit.OCCURRENCES,
            "Records of other members that this instance ignored: invalid signature, replayed, or too " + "many."),

    /** Counted by the readers that follow topics, and by those that read for other members. */
    LOG_PAGES_READ(
            Unit.REQUESTS, "Reads of batches from the commit log's database, for this instance and for its zone."),
    /** As {@link #LOG_PAGES_READ}. */
    LOG_BYTES_READ(Unit.BYTES, "Bytes of entries that were read from the commit log's database."),
    /**
     * Counted if a zone shares its reads of a log. Includes the pages that this instance reads for
     * others.
     */
    LOG_PAGES_SHARED(
            Unit.OCCURRENCES,
            "Pages of the commit log that followed a topic without a read of the database of their own: another "
                    + "instance of the zone sent them, or this one had read them for the zone."),
    /** As {@link #LOG_PAGES_SHARED}. */
    LOG_BYTES_SHARED(Unit.BYTES, "Bytes of entries in those pages."),
    /** The database was asked instead. */
    LOG_SHARE_FAILURES(
            Unit.OCCURRENCES,
            "Pages of the commit log that an instance of the zone did not send in time, refused, or sent damaged. "
                    + "The database was asked instead."),

    /** Counted by the metrics endpoint of the process, in one of its engines. */
    METRICS_CONNECTIONS_ENDED(
            Unit.OCCURRENCES,
            "Connections to the metrics endpoint that it closed: no complete request within 5 seconds, "
                    + "or too many connections at once."),

    /** Counted by the application's sweeper, which runs in one instance at a time. */
    SWEEPS(Unit.OCCURRENCES, "Sweeps of the store that this instance finished."),
    /** As {@link #SWEEPS}. A failure loses nothing; the next sweep continues. */
    SWEEP_FAILURES(Unit.OCCURRENCES, "Sweeps of the store that this instance could not finish."),
    /** These sweeps also count as {@link #SWEEP_FAILURES}. The log names both times. */
    CLOCK_DIFFERENCES(
            Unit.OCCURRENCES,
            "Sweeps that stopped because two clocks differ by more than 15 minutes: this machine's, the store's, "
                    + "or a writer's."),
    /** As {@link #SWEEPS}. */
    BLOBS_SWEPT(Unit.BLOBS, "Blobs that this instance deleted because they were no longer needed, including orphans."),
    /** As {@link #SWEEPS}. */
    BYTES_SWEPT(Unit.BYTES, "Bytes of the blobs that this instance deleted because they were no longer needed."),
    /** As {@link #SWEEPS}, as far as the logs prove it. */
    ORPHANS_SWEPT(
            Unit.BLOBS,
            "Swept blobs that never had a notification, as far as the logs show: from crashed writers "
                    + "and abandoned batches."),
    /** As {@link #ORPHANS_SWEPT}. */
    ORPHAN_BYTES_SWEPT(Unit.BYTES, "Bytes of the swept blobs that never had a notification.");

    private final Metric metric;

    Counter(Unit unit, String doc) {
        metric = new Metric(ShuffleMetrics.nameOf(this), Kind.COUNTER, unit, doc);
    }

    /** The published metric of the counter. */
    public Metric metric() {
        return metric;
    }
}
