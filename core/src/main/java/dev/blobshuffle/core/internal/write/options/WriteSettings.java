package dev.blobshuffle.core.internal.write.options;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.record.RecordLayout;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.settings.ByteSize;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The settings of the write side: batches, their delivery, and what happens while the store is
 * down.
 */
public final class WriteSettings implements SettingGroup {
    /** Size at which a batch is sealed. */
    public static final Setting<ByteSize> BATCH_MAX_BYTES = Setting.size(
            "batch.max.bytes",
            new ByteSize(1024),
            ByteSize.ofMebibytes(16),
            "Size of one zone's section at which a batch becomes a blob. Larger blobs cost less and "
                    + "increase latency.");

    /** Delay budget. */
    public static final Setting<Duration> BATCH_MAX_DELAY = Setting.millis(
            "batch.max.delay.ms",
            0,
            500,
            "Maximum time that a record waits in a batch for others. A commit ends the wait.");

    /** Adaptive mode. */
    public static final Setting<Optional<Duration>> BATCH_TARGET_LATENCY = Setting.millisOrWord(
            "batch.target.latency.ms",
            "off",
            Duration.ofMillis(1),
            Optional.empty(),
            "Target for the p95 latency from a record's append until it can be read. Batches are as "
                    + "large as the target allows under the current load and latencies, at most `batch.max.bytes` "
                    + "and, if set, `batch.max.delay.ms`.");

    /** Which lanes share a batch. */
    public static final Setting<BatchScope> BATCH_SCOPE = Setting.choice(
            "batch.scope",
            BatchScope.INSTANCE,
            "Whether all threads of an instance share a batch, or each lane (stream thread) has its own.");

    /** Which sections share a blob. */
    public static final Setting<BatchLayout> BATCH_LAYOUT = Setting.choice(
            "batch.layout",
            BatchLayout.PACKED,
            "Which zones' sections of a batch share a blob: as many as fit into `batch.max.bytes` "
                    + "(`packed`), none (`per-zone`), or all (`single`).");

    /** Size below which a batch is inlined. */
    public static final Setting<Optional<ByteSize>> INLINE_MAX_BYTES = Setting.optionalSize(
            "inline.max.bytes",
            "by the store's prices: 104 KiB on S3, 208 KiB on Google Cloud, 0 where traffic or requests are free; at least 64 KiB without a delay",
            "Batches below this size go through Kafka as plain records, which is cheaper than a request "
                    + "to the store. 0 disables this.");

    /** Compression. */
    public static final Setting<Codec> COMPRESSION_TYPE = Setting.choice(
            "compression.type",
            Codec.NONE,
            "Compression of records in blobs, with the libraries of kafka-clients. Under Kafka Streams, "
                    + "the default is the producer's `compression.type`, with zstd for gzip and lz4 for snappy.");

    /** Delivery timeout. */
    public static final Setting<Duration> DELIVERY_TIMEOUT = Setting.millis(
            "delivery.timeout.ms",
            1,
            120_000,
            "Maximum time from the end of a batch until its blob is stored, including all attempts. "
                    + "After it, the commit fails.");

    /** Largest record. */
    public static final Setting<ByteSize> RECORD_MAX_BYTES = Setting.size(
            "record.max.bytes",
            new ByteSize(1024),
            new ByteSize(RecordLayout.MAX_ENCODED_SIZE),
            "Maximum size of a record: key, value, headers and some bytes for their lengths. At most "
                    + "64 MiB and `write.buffer.bytes`. A larger record fails alone, as with "
                    + "`max.request.size`.");

    /** Write budget. */
    public static final Setting<ByteSize> WRITE_BUFFER_BYTES = Setting.size(
            "write.buffer.bytes",
            new ByteSize(128 << 10),
            ByteSize.ofMebibytes(64),
            "Memory of an instance for records from append until they are stored. If it is full, sends "
                    + "block, as with `buffer.memory`.");

    /** Whether records may go through the channel while the store is down. */
    public static final Setting<Boolean> FALLBACK_ENABLED = Setting.flag(
            "fallback.enabled",
            false,
            "Whether records go through Kafka at a limited rate while the store is down. Otherwise the "
                    + "commit fails after the delivery timeout.");

    /** Limit of the fallback. */
    public static final Setting<ByteSize> FALLBACK_MAX_BYTES_PER_SECOND = Setting.size(
            "fallback.max.bytes.per.second",
            new ByteSize(1),
            ByteSize.ofMebibytes(10),
            "Maximum bytes per second that an instance sends through Kafka while the store is down. The "
                    + "limit protects brokers that are sized for notifications.");

    @Override
    public String title() {
        return "Writing";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(
                BATCH_MAX_BYTES,
                BATCH_MAX_DELAY,
                BATCH_TARGET_LATENCY,
                BATCH_SCOPE,
                BATCH_LAYOUT,
                INLINE_MAX_BYTES,
                COMPRESSION_TYPE,
                DELIVERY_TIMEOUT,
                RECORD_MAX_BYTES,
                WRITE_BUFFER_BYTES,
                FALLBACK_ENABLED,
                FALLBACK_MAX_BYTES_PER_SECOND);
    }

    @Override
    public void check(Settings settings) {
        checkRecord(settings);
        ByteSize batch = settings.value(BATCH_MAX_BYTES);
        ByteSize buffer = settings.value(WRITE_BUFFER_BYTES);
        if (batch.bytes() > buffer.bytes() / 2) {
            throw Settings.contradiction(
                    BATCH_MAX_BYTES,
                    batch,
                    WRITE_BUFFER_BYTES,
                    buffer,
                    "One batch fills while another is stored, so give the buffer at least twice as much.");
        }
        ByteSize inline = settings.value(INLINE_MAX_BYTES).orElse(new ByteSize(0));
        if (inline.compareTo(batch) > 0) {
            throw Settings.contradiction(
                    INLINE_MAX_BYTES,
                    inline,
                    BATCH_MAX_BYTES,
                    batch,
                    "No blob would ever be written; set write.enabled=false if that is meant.");
        }
        Duration delay = settings.value(BATCH_MAX_DELAY);
        Duration timeout = settings.value(DELIVERY_TIMEOUT);
        if (delay.compareTo(timeout) >= 0) {
            throw Settings.contradiction(
                    BATCH_MAX_DELAY,
                    delay.toMillis(),
                    DELIVERY_TIMEOUT,
                    timeout.toMillis(),
                    "Give the delay less than the timeout.");
        }
        settings.value(BATCH_TARGET_LATENCY).ifPresent(target -> checkTarget(target.toMillis(), delay, timeout));
    }

    private static void checkRecord(Settings settings) {
        ByteSize record = settings.value(RECORD_MAX_BYTES);
        ByteSize buffer = settings.value(WRITE_BUFFER_BYTES);
        if (record.bytes() > RecordLayout.MAX_ENCODED_SIZE) {
            throw new InvalidSettingsException(
                    "Cannot use " + RECORD_MAX_BYTES + "=" + record + ": a frame of a blob holds at most "
                            + new ByteSize(RecordLayout.MAX_ENCODED_SIZE)
                            + ". Lower it, and keep larger data elsewhere.");
        }
        if (settings.isGiven(RECORD_MAX_BYTES) && record.compareTo(buffer) > 0) {
            throw Settings.contradiction(
                    RECORD_MAX_BYTES,
                    record,
                    WRITE_BUFFER_BYTES,
                    buffer,
                    "A record must fit into the buffer: raise the buffer, or lower the other.");
        }
    }

    private static void checkTarget(long target, Duration delay, Duration timeout) {
        if (delay.isZero()) {
            throw Settings.contradiction(
                    BATCH_TARGET_LATENCY,
                    target,
                    BATCH_MAX_DELAY,
                    0,
                    "The target chooses a delay up to that one: give it 1 or more, or leave one of them out.");
        }
        if (target >= timeout.toMillis()) {
            throw Settings.contradiction(
                    BATCH_TARGET_LATENCY,
                    target,
                    DELIVERY_TIMEOUT,
                    timeout.toMillis(),
                    "Batches could fill for longer than that: give the target less than the timeout.");
        }
    }
}
