package dev.blobshuffle.cli.plan;

import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.planner.Goal;
import dev.blobshuffle.planner.KafkaPriceTables;
import dev.blobshuffle.planner.KafkaPrices;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.planner.Tuning;
import dev.blobshuffle.planner.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options for the goals of the shuffle, and for fixed values of its tuning, prices and store. */
final class TuningOptions {
    /** The default goal, seconds: a p95 that interactive users accept. */
    private static final double USUAL_P95 = 2;

    /** The default budget of hedges, which are on by default. */
    private static final double USUAL_HEDGES = 0.05;

    private static final double KIBIBYTE = 1024;

    @Option(
            names = "--target-p95",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "Find the cheapest settings with this p95 of the shuffle (2s).")
    @Nullable
    Duration targetP95;

    @Option(
            names = "--max-cost",
            paramLabel = "USD",
            description = "Find the fastest settings for this many USD per hour.")
    @Nullable
    Double maxCost;

    @Option(
            names = "--batch-size",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "Do not choose: price this batch.max.bytes (with --delay).")
    @Nullable
    Double batchSize;

    @Option(
            names = "--delay",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "Do not choose: price this batch.max.delay.ms (with --batch-size).")
    @Nullable
    Duration delay;

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            defaultValue = "aws",
            description = "Prices: aws, aws-s3-express, gcp, azure, r2 or self-hosted (aws).")
    String provider = "aws";

    @Option(
            names = "--prices",
            paramLabel = "FILE",
            description = "Your own prices, as docs/guides/planner.md describes.")
    @Nullable
    Path prices;

    @Option(
            names = "--kafka",
            paramLabel = "NAME",
            defaultValue = "self-managed",
            description = "Kafka service:"
                    + " self-managed, msk, msk-express, confluent-cloud, diskless or warpstream (self-managed).")
    String kafka = "self-managed";

    @Option(
            names = "--kafka-prices",
            paramLabel = "FILE",
            description = "Your own prices of Kafka, as docs/guides/planner.md describes.")
    @Nullable
    Path kafkaPrices;

    @Option(
            names = "--latency-profile",
            paramLabel = "NAME",
            description =
                    "Latencies of the store: s3-standard, s3-blobshuffle-paper, s3-paper-requests, s3-express, zero (as the prices say).")
    @Nullable
    String profile;

    @Option(
            names = "--layout",
            paramLabel = "LAYOUT",
            converter = Layouts.class,
            description = "packed, per-zone (the paper's) or single (packed).")
    Tuning.@Nullable Layout layout;

    @Option(
            names = "--cache",
            paramLabel = "CACHE",
            converter = Caches.class,
            description = "zone: a section is downloaded once per zone; none: by each reader (zone).")
    Tuning.@Nullable Cache cache;

    @Option(
            names = "--combine",
            description =
                    "Combine the blobs of a zone's instances where this pays (docs/guides/combining.md); needs --cache zone.")
    boolean isCombining;

    @Option(
            names = "--retention",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "How long blobs are kept (1h).")
    @Nullable
    Duration retention;

    @Option(
            names = "--hedging",
            paramLabel = "SHARE",
            description =
                    "Share of requests that are sent a second time when late (0.05, as store.hedge.enabled does).")
    @Nullable
    Double hedging;

    @Option(
            names = "--inline-size",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "inline.max.bytes (where the prices break even).")
    @Nullable
    Double inlineSize;

    @Option(
            names = "--record-overhead",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "Bytes of a blob per record besides key and value (6B).")
    @Nullable
    Double overhead;

    @Option(
            names = "--cpu-per-gib",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description =
                    "Processor time of your application for each GiB shuffled, as `bench run throughput` measures it (35.1s, the paper's).")
    @Nullable
    Duration cpuPerGib;

    PriceTable priceTable() {
        return prices == null ? PriceTables.named(provider.toLowerCase(Locale.ROOT)) : PriceTables.read(prices);
    }

    KafkaPrices kafkaPrices() {
        return kafkaPrices == null
                ? KafkaPriceTables.named(kafka.toLowerCase(Locale.ROOT))
                : KafkaPriceTables.read(kafkaPrices);
    }

    LatencyProfile latencyProfile(PriceTable table) {
        String wanted = profile == null ? table.profile() : profile;
        try {
            return LatencyProfile.named(wanted);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingsException(String.valueOf(e.getMessage()));
        }
    }

    Tuning tuning(Workload workload, PriceTable table, KafkaPrices service) {
        Tuning.Builder builder = Tuning.builder();
        double breakEven = service.breakEvenBytes(table, workload)
                .map(bytes -> Math.ceil(bytes / KIBIBYTE) * KIBIBYTE)
                .orElse(0.0);
        builder.inlineBytes(inlineSize == null ? breakEven : inlineSize);
        if (layout != null) {
            builder.layout(layout);
        }
        if (cache != null) {
            builder.cache(cache);
        }
        builder.combining(isCombining ? Tuning.Combining.ZONE : Tuning.Combining.NONE);
        if (retention != null) {
            builder.retention(retention);
        }
        builder.hedgedShare(hedging == null ? USUAL_HEDGES : hedging);
        if (overhead != null) {
            builder.overheadBytes(overhead);
        }
        if (cpuPerGib != null) {
            builder.cpuSecondsPerGib(cpuPerGib.toNanos() / 1e9);
        }
        return builder.build();
    }

    Goal goal(Tuning base) {
        if (Optional.ofNullable(targetP95).isPresent() && maxCost != null) {
            throw new InvalidSettingsException("Cannot plan for both --target-p95 and --max-cost. Give one.");
        }
        if ((batchSize == null) != (delay == null)) {
            throw new InvalidSettingsException(
                    "Cannot price settings: one of --batch-size and --delay is missing. Give both, or neither and a goal.");
        }
        if (batchSize != null && delay != null) {
            if (targetP95 != null || maxCost != null) {
                throw new InvalidSettingsException(
                        "Cannot both price settings and look for some. Give --batch-size and --delay, or --target-p95, or --max-cost.");
            }
            return new Goal.Fixed(
                    base.toBuilder().blobBytes(batchSize).delay(delay).build());
        }
        if (maxCost != null) {
            return new Goal.MaxCost(maxCost);
        }
        return new Goal.TargetP95(targetP95 == null ? USUAL_P95 : targetP95.toNanos() / 1e9);
    }

    /** The names of layouts. */
    static final class Layouts implements ITypeConverter<Tuning.Layout> {
        @Override
        public Tuning.Layout convert(String text) {
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "packed" -> Tuning.Layout.PACKED;
                case "per-zone" -> Tuning.Layout.PER_ZONE;
                case "single" -> Tuning.Layout.SINGLE;
                default ->
                    throw new TypeConversionException(
                            "Cannot use layout '" + text + "'. Give packed, per-zone or single.");
            };
        }
    }

    /** The names of caches. */
    static final class Caches implements ITypeConverter<Tuning.Cache> {
        @Override
        public Tuning.Cache convert(String text) {
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "zone" -> Tuning.Cache.ZONE;
                case "none" -> Tuning.Cache.NONE;
                default -> throw new TypeConversionException("Cannot use cache '" + text + "'. Give zone or none.");
            };
        }
    }
}
