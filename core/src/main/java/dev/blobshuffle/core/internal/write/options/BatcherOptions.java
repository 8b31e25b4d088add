package dev.blobshuffle.core.internal.write.options;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.encryption.EncryptionSettings;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.record.RecordLayout;
import dev.blobshuffle.core.internal.pricing.LiveCost;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.settings.ByteSize;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of a Batcher.
 *
 * @param batchBytes the compressed bytes of one zone at which a batch is sealed, and the target
 *     size of a blob
 * @param delay time from a batch's first record until it is sealed; zero seals as soon as the store
 *     keeps up; the maximum if there is a target
 * @param target the latency for which the Batcher chooses sizes and delays, up to {@code
 *     batchBytes} and {@code delay}; empty: it uses these two as they are
 * @param sealing the instants at which the delay ends
 * @param scope which lanes share a batch
 * @param layout which sections share a blob
 * @param inlineBytes a batch below this many bytes goes through the channel as plain records; zero:
 *     never
 * @param codec compression of frames
 * @param keys whether to encrypt frames, and with which key
 * @param deliveryTimeout time from the seal of a batch until its blob must be durable
 * @param notifyWithin time from the seal of a batch until its notifications are in the log, or will
 *     never be: a sweep may delete the blob afterwards
 * @param recordBytes the most bytes of one record; a value above {@code bufferBytes} counts as
 *     {@code bufferBytes}
 * @param bufferBytes memory for records from append until they are durable
 * @param maxBlock how long an append waits for memory
 * @param chunkBytes size of the largest pooled chunk: a power of two from 1 KiB
 * @param workers number of threads that compress and lay out blobs
 * @param blobsInFlight number of unfinished blobs at which the delay no longer seals, so that a
 *     slow store gets fewer, larger blobs
 * @param fallback what to do when the store fails for good; empty: the lanes fail
 */
public record BatcherOptions(
        long batchBytes,
        Duration delay,
        Optional<LatencyTarget> target,
        Sealing sealing,
        BatchScope scope,
        BatchLayout layout,
        long inlineBytes,
        Codec codec,
        Keyring keys,
        Duration deliveryTimeout,
        Duration notifyWithin,
        long recordBytes,
        long bufferBytes,
        Duration maxBlock,
        int chunkBytes,
        int workers,
        int blobsInFlight,
        Optional<Fallback> fallback) {
    /**
     * The most bytes of a record in the fallback. By default a broker accepts 1 MiB, including its
     * own overhead.
     */
    private static final int FALLBACK_RECORD_BYTES = 1_000_000;

    /**
     * The least inline limit without a delay. Without a delay, a batch is only what arrived
     * together. As a blob it waits longer in threads' queues than as records, and takes more CPU
     * time even with a store in memory.
     */
    private static final long UNDELAYED_INLINE_BYTES = 64 << 10;

    /** The instants at which a batch's delay ends. */
    public enum Sealing {
        /** The delay after the batch's first record. */
        AFTER_DELAY,
        /**
         * The next multiple of the delay by the machine's wall clock. So instances with the same
         * delay seal at the same time, and a hub can combine their blobs. The first record waits at
         * most as long.
         */
        ALIGNED
    }

    /**
     * Sends records through the channel while the store is down.
     *
     * @param bytesPerSecond the most bytes per second over all lanes, because brokers are sized for
     *     notifications
     * @param recordBytes the most bytes of a record that the channel accepts; a segment with a
     *     possibly larger record waits for the store instead
     */
    public record Fallback(long bytesPerSecond, int recordBytes) {
        /** Checks that both are positive. */
        public Fallback {
            if (bytesPerSecond < 1 || recordBytes < 1) {
                throw new InvalidSettingsException("Cannot fall back: " + bytesPerSecond
                        + " bytes per second, records up to " + recordBytes + " bytes. Give positive numbers.");
            }
        }
    }

    /** Checks every value, and their relations. */
    public BatcherOptions {
        require(batchBytes > 0, "batch.max.bytes", batchBytes, "Give 1 or more.");
        require(!delay.isNegative(), "batch.max.delay.ms", delay, "Give 0 or more.");
        require(
                target.isEmpty() || !delay.isZero(),
                "batch.max.delay.ms",
                delay,
                "Give 1 or more, or no batch.target.latency.ms: the target chooses a delay up to this one.");
        require(inlineBytes >= 0, "inline.max.bytes", inlineBytes, "Give 0 or more.");
        require(isPositive(deliveryTimeout), "delivery.timeout.ms", deliveryTimeout, "Give 1 or more.");
        require(isPositive(notifyWithin), "time until a notification", notifyWithin, "Give more than zero.");
        require(
                recordBytes > 0 && recordBytes <= RecordLayout.MAX_ENCODED_SIZE,
                "record.max.bytes",
                recordBytes,
                "Give 1 to " + RecordLayout.MAX_ENCODED_SIZE + ".");
        require(!maxBlock.isNegative(), "max.block.ms", maxBlock, "Give 0 or more.");
        require(
                chunkBytes >= 1024 && chunkBytes <= 1 << 20 && Integer.bitCount(chunkBytes) == 1,
                "chunk size",
                chunkBytes,
                "Give a power of two from 1 KiB to 1 MiB.");
        require(
                bufferBytes >= 2L * chunkBytes,
                "write.buffer.bytes",
                bufferBytes,
                "Give room for at least two chunks.");
        require(workers > 0, "number of workers", workers, "Give 1 or more.");
        require(
                fallback.isEmpty() || fallback.get().recordBytes() >= chunkBytes,
                "largest record of the fallback",
                fallback,
                "Give at least the size of a chunk.");
        require(blobsInFlight > 0, "number of blobs in flight", blobsInFlight, "Give 1 or more.");
    }

    private static boolean isPositive(Duration duration) {
        return !duration.isNegative() && !duration.isZero();
    }

    private static void require(boolean sound, String name, Object value, String remedy) {
        if (!sound) {
            throw new InvalidSettingsException("Cannot batch: " + name + " is " + value + ". " + remedy);
        }
    }

    /**
     * The defaults: blobs of 16 MiB or 500 ms, 64 MiB of memory, no compression, no inlining, no
     * fallback.
     */
    public static Builder builder() {
        return new Builder();
    }

    /** The options from the settings. */
    public static Builder builder(Settings settings) {
        Builder builder = builder()
                .batchBytes(settings.value(WriteSettings.BATCH_MAX_BYTES).bytes())
                .delay(delay(settings))
                .scope(settings.value(WriteSettings.BATCH_SCOPE))
                .layout(settings.value(WriteSettings.BATCH_LAYOUT))
                .inlineBytes(inlineBytes(settings))
                .codec(settings.value(WriteSettings.COMPRESSION_TYPE))
                .keys(keys(settings))
                .deliveryTimeout(settings.value(WriteSettings.DELIVERY_TIMEOUT))
                .notifyWithin(RetentionSettings.notifyWithin(settings, settings.value(WriteSettings.DELIVERY_TIMEOUT)))
                .recordBytes(settings.value(WriteSettings.RECORD_MAX_BYTES).bytes())
                .bufferBytes(settings.value(WriteSettings.WRITE_BUFFER_BYTES).bytes());
        settings.value(WriteSettings.BATCH_TARGET_LATENCY)
                .map(LatencyTarget::of)
                .ifPresent(builder::target);
        if (settings.value(WriteSettings.FALLBACK_ENABLED)) {
            long rate =
                    settings.value(WriteSettings.FALLBACK_MAX_BYTES_PER_SECOND).bytes();
            builder.fallback(new Fallback(rate, FALLBACK_RECORD_BYTES));
        }
        return builder;
    }

    /** With a target latency, the delay is at most the target, unless the delay is also set. */
    private static Duration delay(Settings settings) {
        Duration delay = settings.value(WriteSettings.BATCH_MAX_DELAY);
        return settings.isGiven(WriteSettings.BATCH_MAX_DELAY)
                ? delay
                : settings.value(WriteSettings.BATCH_TARGET_LATENCY).orElse(delay);
    }

    /**
     * The setting or, without it, the size at which a blob breaks even: by list prices, with three
     * replicas in three zones. Without a delay it is at least the size below which inlining takes
     * less CPU time. A full batch is never inlined.
     */
    private static long inlineBytes(Settings settings) {
        Optional<ByteSize> given = settings.value(WriteSettings.INLINE_MAX_BYTES);
        if (given.isPresent() || !settings.isGiven(StoreSettings.STORE)) {
            return given.map(ByteSize::bytes).orElse(0L);
        }
        long breakEven = PriceTables.of(settings).map(LiveCost::inlineBytes).orElse(0L);
        long least = delay(settings).isZero() ? UNDELAYED_INLINE_BYTES : 0;
        return Math.min(
                Math.max(breakEven, least),
                settings.value(WriteSettings.BATCH_MAX_BYTES).bytes());
    }

    private static Keyring keys(Settings settings) {
        return Keyring.open(settings.value(EncryptionSettings.KEYS), settings.value(EncryptionSettings.KEY_ID))
                .timeout(settings.value(EncryptionSettings.KEY_TIMEOUT));
    }

    /** The same options with aligned seals. */
    public BatcherOptions aligned() {
        Builder copy = builder()
                .batchBytes(batchBytes)
                .delay(delay)
                .sealing(Sealing.ALIGNED)
                .scope(scope)
                .layout(layout)
                .inlineBytes(inlineBytes)
                .codec(codec)
                .keys(keys)
                .deliveryTimeout(deliveryTimeout)
                .notifyWithin(notifyWithin)
                .recordBytes(recordBytes)
                .bufferBytes(bufferBytes)
                .maxBlock(maxBlock)
                .chunkBytes(chunkBytes)
                .workers(workers)
                .blobsInFlight(blobsInFlight);
        target.ifPresent(copy::target);
        fallback.ifPresent(copy::fallback);
        return copy.build();
    }

    /** Collects options. Each method sets the component of the same name. */
    public static final class Builder {
        private long batchBytes = 16 << 20;
        private Duration delay = Duration.ofMillis(500);
        private Optional<LatencyTarget> target = Optional.empty();
        private Sealing sealing = Sealing.AFTER_DELAY;
        private BatchScope scope = BatchScope.INSTANCE;
        private BatchLayout layout = BatchLayout.PACKED;
        private long inlineBytes;
        private Codec codec = Codec.NONE;
        private Keyring keys = Keyring.none();
        private Duration deliveryTimeout = Duration.ofMinutes(2);
        private Duration notifyWithin = Duration.ofMinutes(45);
        private long recordBytes = RecordLayout.MAX_ENCODED_SIZE;
        private long bufferBytes = 64 << 20;
        private Duration maxBlock = Duration.ofMinutes(1);
        private int chunkBytes = 64 << 10;
        private int workers = Math.min(4, Runtime.getRuntime().availableProcessors());
        private int blobsInFlight = 32;
        private Optional<Fallback> fallback = Optional.empty();

        private Builder() {}

        /** Bytes of one zone at which a batch is sealed. */
        public Builder batchBytes(long bytes) {
            batchBytes = bytes;
            return this;
        }

        /** Time from a batch's first record until it is sealed. */
        public Builder delay(Duration time) {
            delay = time;
            return this;
        }

        /** The latency to meet, with sizes and delays up to the set ones. */
        public Builder target(LatencyTarget latency) {
            target = Optional.of(latency);
            return this;
        }

        /** When the delay ends. */
        public Builder sealing(Sealing when) {
            sealing = when;
            return this;
        }

        /** Which lanes share a batch. */
        public Builder scope(BatchScope who) {
            scope = who;
            return this;
        }

        /** Which sections share a blob. */
        public Builder layout(BatchLayout which) {
            layout = which;
            return this;
        }

        /** Size in bytes below which a batch goes through the channel as plain records. */
        public Builder inlineBytes(long bytes) {
            inlineBytes = bytes;
            return this;
        }

        /** Compression of frames. */
        public Builder codec(Codec compression) {
            codec = compression;
            return this;
        }

        /** Whether to encrypt frames, and with which key. */
        public Builder keys(Keyring which) {
            keys = which;
            return this;
        }

        /** Time from the seal of a batch until its blob must be durable. */
        public Builder deliveryTimeout(Duration time) {
            deliveryTimeout = time;
            return this;
        }

        /**
         * Time from the seal of a batch until its notifications are in the log, or will never be.
         */
        public Builder notifyWithin(Duration time) {
            notifyWithin = time;
            return this;
        }

        /**
         * Size in bytes of the largest record. A record larger than the write buffer is refused
         * too.
         */
        public Builder recordBytes(long bytes) {
            recordBytes = bytes;
            return this;
        }

        /** Memory in bytes for records from append until they are durable. */
        public Builder bufferBytes(long bytes) {
            bufferBytes = bytes;
            return this;
        }

        /** Time for which an append waits for memory. */
        public Builder maxBlock(Duration time) {
            maxBlock = time;
            return this;
        }

        /** Size in bytes of the largest pooled chunk. */
        public Builder chunkBytes(int bytes) {
            chunkBytes = bytes;
            return this;
        }

        /** Number of threads that compress and lay out blobs. */
        public Builder workers(int threads) {
            workers = threads;
            return this;
        }

        /** Number of unfinished blobs at which the delay no longer seals. */
        public Builder blobsInFlight(int blobs) {
            blobsInFlight = blobs;
            return this;
        }

        /** The fallback for a store that fails for good. */
        public Builder fallback(Fallback how) {
            fallback = Optional.of(how);
            return this;
        }

        /**
         * The options.
         *
         * @throws InvalidSettingsException fatal: a value is invalid
         */
        public BatcherOptions build() {
            return new BatcherOptions(
                    batchBytes,
                    delay,
                    target,
                    sealing,
                    scope,
                    layout,
                    inlineBytes,
                    codec,
                    keys,
                    deliveryTimeout,
                    notifyWithin,
                    recordBytes,
                    bufferBytes,
                    maxBlock,
                    chunkBytes,
                    workers,
                    blobsInFlight,
                    fallback);
        }
    }
}
