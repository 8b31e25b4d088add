package dev.blobshuffle.planner;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.time.Duration;

/**
 * The load of an application and its deployment. The load is steady and spread evenly over
 * instances, partitions and zones.
 *
 * @param bytesPerSecond keys and values that go through the shuffle, over all instances
 * @param recordBytes key and value of a record, on average
 * @param instances application instances
 * @param threads stream threads of each
 * @param zones availability zones with instances
 * @param partitions partitions of the shuffle's topics
 * @param guarantee the processing guarantee
 * @param commitInterval time between two commits of a thread
 * @param compression stored bytes per byte with the codec in use; 1: no compression
 * @param replicationFactor replicas of the topics: of notifications here, of records natively
 * @param changelogBytesPerSecond bytes per second that the application writes to changelogs, which
 *     stay in Kafka
 */
public record Workload(
        double bytesPerSecond,
        double recordBytes,
        int instances,
        int threads,
        int zones,
        int partitions,
        Guarantee guarantee,
        Duration commitInterval,
        double compression,
        int replicationFactor,
        double changelogBytesPerSecond) {
    /** The most instances, partitions and so on. A larger number is a typing error. */
    private static final int MOST = 1_000_000;

    /** When readers may see a record. */
    public enum Guarantee {
        /** As soon as it arrives. */
        AT_LEAST_ONCE(Duration.ofSeconds(30)),
        /** When the transaction that wrote it has committed. */
        EXACTLY_ONCE_V2(Duration.ofMillis(100));

        private final Duration commitInterval;

        Guarantee(Duration commitInterval) {
            this.commitInterval = commitInterval;
        }

        /** Kafka Streams' default of {@code commit.interval.ms}. */
        public Duration defaultCommitInterval() {
            return commitInterval;
        }
    }

    /** Checks every value. */
    public Workload {
        require(
                bytesPerSecond > 0 && bytesPerSecond < 1e15,
                "the throughput is " + bytesPerSecond + " bytes/s",
                "more than 0 and less than 1e15 bytes/s, 900 TiB/s");
        require(
                recordBytes >= 1 && recordBytes <= 1e9,
                "the record size is " + recordBytes + " bytes",
                "1 byte to 1 GB, key and value together");
        require(instances >= 1 && instances <= MOST, "the number of instances is " + instances, "1 to " + MOST);
        require(threads >= 1 && threads <= MOST, "the number of threads is " + threads, "1 to " + MOST);
        require(zones >= 1 && zones <= 100, "the number of zones is " + zones, "1 to 100");
        require(partitions >= 1 && partitions <= MOST, "the number of partitions is " + partitions, "1 to " + MOST);
        require(
                commitInterval.toMillis() >= 1 && commitInterval.compareTo(Duration.ofDays(1)) <= 0,
                "the commit interval is " + commitInterval.toMillis() + " ms",
                "1 ms to 1 d");
        require(
                compression > 0 && compression <= 1,
                "the compressed share is " + compression,
                "what is left of a byte, above 0 and at most 1: 0.25 if records shrink to a quarter");
        require(
                replicationFactor >= 1 && replicationFactor <= 100,
                "the replication factor is " + replicationFactor,
                "1 to 100");
        require(
                changelogBytesPerSecond >= 0 && changelogBytesPerSecond < 1e15,
                "the changelogs get " + changelogBytesPerSecond + " bytes/s",
                "0 to 1e15 bytes/s, 900 TiB/s");
        if (instances < zones) {
            throw new InvalidSettingsException("Cannot plan: " + instances + " instances cannot be in " + zones
                    + " zones. Give at least as many instances as zones.");
        }
    }

    private static void require(boolean sound, String what, String range) {
        if (!sound) {
            throw new InvalidSettingsException("Cannot plan: " + what + ". Give " + range + ".");
        }
    }

    /** Records per second over all instances. */
    public double recordsPerSecond() {
        return bytesPerSecond / recordBytes;
    }

    /** The same application at another load. */
    public Workload withBytesPerSecond(double bytes) {
        return toBuilder().bytesPerSecond(bytes).build();
    }

    /**
     * A small application: 6 instances of a thread in 3 zones, 54 partitions, 1 KiB records,
     * at-least-once.
     */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder with these values. */
    public Builder toBuilder() {
        return new Builder()
                .bytesPerSecond(bytesPerSecond)
                .recordBytes(recordBytes)
                .instances(instances)
                .threads(threads)
                .zones(zones)
                .partitions(partitions)
                .guarantee(guarantee)
                .commitInterval(commitInterval)
                .compression(compression)
                .replicationFactor(replicationFactor)
                .changelogBytesPerSecond(changelogBytesPerSecond);
    }

    /** Collects the values. Each method sets the component of the same name. */
    public static final class Builder {
        private double bytesPerSecond = 100 << 20;
        private double recordBytes = 1024;
        private int instances = 6;
        private int threads = 1;
        private int zones = 3;
        private int partitions = 54;
        private Guarantee guarantee = Guarantee.AT_LEAST_ONCE;
        private Duration commitInterval = Duration.ofSeconds(30);
        private double compression = 1;
        private int replicationFactor = 3;
        private double changelogBytesPerSecond;

        private Builder() {}

        /** Bytes of keys and values per second. */
        public Builder bytesPerSecond(double bytes) {
            bytesPerSecond = bytes;
            return this;
        }

        /** Bytes of a record. */
        public Builder recordBytes(double bytes) {
            recordBytes = bytes;
            return this;
        }

        /** Number of instances. */
        public Builder instances(int count) {
            instances = count;
            return this;
        }

        /** Stream threads of each instance. */
        public Builder threads(int count) {
            threads = count;
            return this;
        }

        /** Number of zones. */
        public Builder zones(int count) {
            zones = count;
            return this;
        }

        /** Number of partitions. */
        public Builder partitions(int count) {
            partitions = count;
            return this;
        }

        /** The processing guarantee. Also sets Kafka Streams' default commit interval for it. */
        public Builder guarantee(Guarantee value) {
            guarantee = value;
            commitInterval = value.defaultCommitInterval();
            return this;
        }

        /** Time between commits. */
        public Builder commitInterval(Duration time) {
            commitInterval = time;
            return this;
        }

        /** Stored bytes per byte. */
        public Builder compression(double ratio) {
            compression = ratio;
            return this;
        }

        /** Replicas of topics. */
        public Builder replicationFactor(int replicas) {
            replicationFactor = replicas;
            return this;
        }

        /** Bytes of changelogs per second. */
        public Builder changelogBytesPerSecond(double bytes) {
            changelogBytesPerSecond = bytes;
            return this;
        }

        /**
         * The workload.
         *
         * @throws InvalidSettingsException fatal: a value is out of range
         */
        public Workload build() {
            return new Workload(
                    bytesPerSecond,
                    recordBytes,
                    instances,
                    threads,
                    zones,
                    partitions,
                    guarantee,
                    commitInterval,
                    compression,
                    replicationFactor,
                    changelogBytesPerSecond);
        }
    }
}
