package dev.blobshuffle.cli.plan;

import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.planner.Workload;
import dev.blobshuffle.planner.Workload.Guarantee;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options that describe the shuffled load and its deployment. */
final class WorkloadOptions {
    @Option(
            names = "--throughput",
            paramLabel = "RATE",
            converter = Quantity.Rate.class,
            description =
                    "Keys and values through the shuffle, all instances together: 1GiB/s (required, but for --from-metrics).")
    @Nullable
    Double throughput;

    @Option(
            names = "--record-size",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "Key and value of a record, on average (1KiB).")
    @Nullable
    Double recordSize;

    @Option(names = "--instances", paramLabel = "N", description = "Application instances (6).")
    @Nullable
    Integer instances;

    @Option(names = "--threads", paramLabel = "N", description = "Stream threads of each instance (1).")
    @Nullable
    Integer threads;

    @Option(names = "--zones", paramLabel = "N", description = "Availability zones (3).")
    @Nullable
    Integer zones;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            description = "Partitions of the shuffle's topics (9 per instance).")
    @Nullable
    Integer partitions;

    @Option(
            names = "--guarantee",
            paramLabel = "GUARANTEE",
            converter = Guarantees.class,
            description = "exactly_once_v2 or at_least_once (at_least_once).")
    @Nullable
    Guarantee guarantee;

    @Option(
            names = "--commit-interval",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "commit.interval.ms (30s; 100ms with exactly_once_v2, as Kafka Streams has it).")
    @Nullable
    Duration commitInterval;

    @Option(
            names = "--compression",
            paramLabel = "SHARE",
            description = "Stored bytes per byte with your codec, 0 to 1: 0.25 if it compresses to a quarter (1).")
    @Nullable
    Double compression;

    @Option(names = "--replication", paramLabel = "N", description = "Replicas of topics (3).")
    @Nullable
    Integer replication;

    @Option(
            names = "--changelogs",
            paramLabel = "RATE",
            converter = Quantity.Rate.class,
            description = "Bytes to the changelogs of stateful operators, which stay in Kafka: 200MiB/s (not counted).")
    @Nullable
    Double changelogs;

    /** Overwrites a builder's values with the given ones. */
    Workload.Builder over(Workload.Builder builder) {
        set(throughput, builder::bytesPerSecond);
        set(recordSize, builder::recordBytes);
        set(instances, builder::instances);
        set(threads, builder::threads);
        set(zones, builder::zones);
        set(partitions, builder::partitions);
        set(guarantee, builder::guarantee);
        set(commitInterval, builder::commitInterval);
        set(compression, builder::compression);
        set(replication, builder::replicationFactor);
        set(changelogs, builder::changelogBytesPerSecond);
        return builder;
    }

    private static <T> void set(@Nullable T value, Consumer<T> setter) {
        if (value != null) {
            setter.accept(value);
        }
    }

    /** The processing guarantees, by Kafka Streams' names. */
    static final class Guarantees implements ITypeConverter<Guarantee> {
        @Override
        public Guarantee convert(String text) {
            try {
                return Guarantee.valueOf(text.toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(
                        "Cannot use guarantee '" + text + "'. Give exactly_once_v2 or at_least_once.");
            }
        }
    }
}
