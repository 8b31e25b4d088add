package dev.blobshuffle.planner;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.write.options.BatchScope;
import java.time.Duration;

/**
 * The settings of a shuffle, and further assumptions of the model.
 *
 * @param blobBytes {@code batch.max.bytes}
 * @param delay {@code batch.max.delay.ms}
 * @param layout how sections are distributed over blobs
 * @param scope {@code batch.scope}
 * @param inlineBytes {@code inline.max.bytes}
 * @param cache the readers that share downloads
 * @param combining the instances that share blobs
 * @param retention how long a blob is kept
 * @param hedgedShare share of requests that are sent a second time because the first is late; 0:
 *     none
 * @param overheadBytes bytes of a record in a blob in addition to key and value: lengths,
 *     timestamp, its share of frames and footer
 * @param notificationBytes bytes of a notification in Kafka, including its record's overhead
 * @param cpuSecondsPerGib processor time of the application for each GiB shuffled
 */
public record Tuning(
        double blobBytes,
        Duration delay,
        Layout layout,
        BatchScope scope,
        double inlineBytes,
        Cache cache,
        Combining combining,
        Duration retention,
        double hedgedShare,
        double overheadBytes,
        double notificationBytes,
        double cpuSecondsPerGib) {
    /**
     * From the paper: 12 nodes with 4 virtual processors each, fully used at 1.367 GiB per second
     * (section 5.2). Covers the whole application, with Kafka Streams and the state.
     */
    public static final double PAPER_CPU_SECONDS_PER_GIB = 48 / 1.367;

    /** The distribution of sections over blobs. */
    public enum Layout {
        /**
         * {@code clamp(bytes / blob size, 1, zones)} blobs for each batch: few at low rates, a blob
         * per zone at high ones.
         */
        PACKED,
        /** Always a blob per zone, each filled separately: the paper's layout. */
        PER_ZONE,
        /** One blob with all sections, as brokers over object storage do. */
        SINGLE
    }

    /** The readers that share downloads. */
    public enum Cache {
        /** All instances of a zone: every zone except the writer's reads each section once. */
        ZONE,
        /** No sharing: each consumer reads its own partitions' ranges. */
        NONE
    }

    /** The instances that share blobs. */
    public enum Combining {
        /** None: each instance stores its own blobs. */
        NONE,
        /** Those of a zone: {@code combine.enabled}, with a hub in each zone. */
        ZONE
    }

    /** Checks every value. */
    public Tuning {
        require(
                blobBytes >= 1024 && blobBytes <= 1L << 40,
                "the blob size is " + blobBytes + " bytes",
                "1 KiB to 1 TiB");
        require(
                !delay.isNegative() && delay.toDays() < 1,
                "the delay is " + delay.toMillis() + " ms",
                "0 or more, less than 1 d");
        require(
                combining == Combining.NONE || cache == Cache.ZONE,
                "instances of a zone share blobs, but not downloads",
                "a cache per zone too: without one, each reader would read a combined blob by itself");
        require(inlineBytes >= 0, "the inline size is " + inlineBytes + " bytes", "0 or more");
        require(
                !retention.isNegative() && retention.toDays() <= 3650,
                "the retention is " + retention.toSeconds() + " s",
                "0 to 3650 d");
        require(hedgedShare >= 0 && hedgedShare <= 1, "the hedged share is " + hedgedShare, "0 to 1: 0.05 for 5 %");
        require(overheadBytes >= 0, "the overhead of a record is " + overheadBytes + " bytes", "0 or more");
        require(notificationBytes >= 0, "a notification has " + notificationBytes + " bytes", "0 or more");
        require(cpuSecondsPerGib >= 0, "the processor time is " + cpuSecondsPerGib + " s/GiB", "0 or more");
    }

    private static void require(boolean sound, String what, String range) {
        if (!sound) {
            throw new InvalidSettingsException("Cannot plan: " + what + ". Give " + range + ".");
        }
    }

    /** The settings' defaults, with a cache per zone and one hour of retention as in the paper. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder with these values. */
    public Builder toBuilder() {
        return new Builder()
                .blobBytes(blobBytes)
                .delay(delay)
                .layout(layout)
                .scope(scope)
                .inlineBytes(inlineBytes)
                .cache(cache)
                .combining(combining)
                .retention(retention)
                .hedgedShare(hedgedShare)
                .overheadBytes(overheadBytes)
                .notificationBytes(notificationBytes)
                .cpuSecondsPerGib(cpuSecondsPerGib);
    }

    /** Collects the values. Each method sets the component of the same name. */
    public static final class Builder {
        private double blobBytes = 16 << 20;
        private Duration delay = Duration.ofMillis(500);
        private Layout layout = Layout.PACKED;
        private BatchScope scope = BatchScope.INSTANCE;
        private double inlineBytes;
        private Cache cache = Cache.ZONE;
        private Combining combining = Combining.NONE;
        private Duration retention = Duration.ofHours(1);
        private double hedgedShare;
        private double overheadBytes = 6;
        private double notificationBytes = 100;
        private double cpuSecondsPerGib = PAPER_CPU_SECONDS_PER_GIB;

        private Builder() {}

        /** Largest blob. */
        public Builder blobBytes(double bytes) {
            blobBytes = bytes;
            return this;
        }

        /** Delay budget. */
        public Builder delay(Duration time) {
            delay = time;
            return this;
        }

        /** The distribution of sections over blobs. */
        public Builder layout(Layout value) {
            layout = value;
            return this;
        }

        /** The threads that share a batch. */
        public Builder scope(BatchScope who) {
            scope = who;
            return this;
        }

        /** Size below which a batch goes through Kafka. */
        public Builder inlineBytes(double bytes) {
            inlineBytes = bytes;
            return this;
        }

        /** The readers that share downloads. */
        public Builder cache(Cache who) {
            cache = who;
            return this;
        }

        /** The instances that share blobs. */
        public Builder combining(Combining who) {
            combining = who;
            return this;
        }

        /** How long a blob is kept. */
        public Builder retention(Duration time) {
            retention = time;
            return this;
        }

        /** Share of requests sent twice. */
        public Builder hedgedShare(double share) {
            hedgedShare = share;
            return this;
        }

        /** Bytes of a record in addition to key and value. */
        public Builder overheadBytes(double bytes) {
            overheadBytes = bytes;
            return this;
        }

        /** Bytes of a notification. */
        public Builder notificationBytes(double bytes) {
            notificationBytes = bytes;
            return this;
        }

        /** Processor time per GiB. */
        public Builder cpuSecondsPerGib(double seconds) {
            cpuSecondsPerGib = seconds;
            return this;
        }

        /**
         * The tuning.
         *
         * @throws InvalidSettingsException fatal: a value is out of range
         */
        public Tuning build() {
            return new Tuning(
                    blobBytes,
                    delay,
                    layout,
                    scope,
                    inlineBytes,
                    cache,
                    combining,
                    retention,
                    hedgedShare,
                    overheadBytes,
                    notificationBytes,
                    cpuSecondsPerGib);
        }
    }
}
