package dev.blobshuffle.planner;

import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.combine.CombineSettings;
import dev.blobshuffle.core.internal.write.options.BatchScope;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.core.settings.ByteSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The settings of a tuning, each with its reason. Stateless. */
final class SettingsAdvice {
    private static final String PEER = "dev.blobshuffle:blobshuffle-peer";
    private static final long MEBIBYTE = 1 << 20;
    private static final double SPARE = 1.25;

    /** Blobs for which a hub has memory. */
    private static final int HUB_BLOBS = 3;

    private static final long STREAMS_TRANSACTION_TIMEOUT_MILLIS = 10_000;

    private SettingsAdvice() {}

    static List<Plan.RecommendedSetting> of(Workload workload, Estimate estimate) {
        Tuning tuning = estimate.tuning();
        List<Plan.RecommendedSetting> settings = new ArrayList<>();
        settings.add(new Plan.RecommendedSetting(
                WriteSettings.BATCH_MAX_BYTES.name(), bytes(tuning.blobBytes()), sizeReason(estimate)));
        settings.add(new Plan.RecommendedSetting(
                WriteSettings.BATCH_MAX_DELAY.name(),
                Long.toString(tuning.delay().toMillis()),
                delayReason(estimate)));
        if (workload.threads() > 1) {
            settings.add(new Plan.RecommendedSetting(
                    WriteSettings.BATCH_SCOPE.name(),
                    tuning.scope().name().toLowerCase(Locale.ROOT),
                    tuning.scope() == BatchScope.INSTANCE
                            ? "the " + workload.threads() + " threads of an instance fill a blob together, in a "
                                    + workload.threads() + "th of the time"
                            : "each thread fills blobs of its own"));
        }
        settings.add(
                new Plan.RecommendedSetting(
                        WriteSettings.INLINE_MAX_BYTES.name(),
                        bytes(tuning.inlineBytes()),
                        tuning.inlineBytes() > 0
                                ? (isCombined(estimate)
                                        ? "a smaller batch costs less through Kafka than its share of a combined blob"
                                        : "a smaller batch costs less through Kafka than as requests to the store")
                                : "no batch is cheaper through Kafka: traffic between zones costs more than requests here, or neither costs"));
        addBuffers(settings, workload, estimate);
        addCombining(settings, estimate);
        addCommits(settings, workload, estimate);
        return settings;
    }

    private static boolean isCombined(Estimate estimate) {
        return estimate.partsPerBlob() > 1;
    }

    private static String sizeReason(Estimate estimate) {
        if (isCombined(estimate)) {
            return text("bounds a combined blob, which has %s here", human(estimate.blobBytes()));
        }
        return estimate.isFilledBySize()
                ? text("a zone's part fills in %.2f s and then ends the batch", estimate.fillSeconds())
                : estimate.blobBytes() == 0
                        ? "not reached: batches end by time, and are inlined"
                        : text("not reached: a batch ends by time, with blobs of %s", human(estimate.blobBytes()));
    }

    private static String delayReason(Estimate estimate) {
        return estimate.isFilledBySize()
                ? "bounds the wait when the load falls; at this load size ends batches earlier"
                : text(
                        "ends a batch, unless a commit comes first: it has filled for %.0f ms then",
                        1000 * estimate.fillSeconds());
    }

    private static void addBuffers(List<Plan.RecommendedSetting> settings, Workload workload, Estimate estimate) {
        double needed = Math.max(2 * estimate.tuning().blobBytes(), SPARE * estimate.writeBufferBytes());
        long buffer = Math.max(64, roundUp(needed / MEBIBYTE));
        settings.add(new Plan.RecommendedSetting(
                WriteSettings.WRITE_BUFFER_BYTES.name(),
                new ByteSize(buffer * MEBIBYTE).toString(),
                text(
                        "an instance holds %s, including records that arrive during the slowest of a hundred puts",
                        human(estimate.writeBufferBytes()))));
        addCache(settings, estimate);
    }

    private static void addCache(List<Plan.RecommendedSetting> settings, Estimate estimate) {
        if (estimate.tuning().cache() == Tuning.Cache.ZONE) {
            settings.add(new Plan.RecommendedSetting(
                    CacheSettings.ZONE_ENABLED.name(),
                    "true",
                    "a section is downloaded once by each zone, if each instance sets peer.listen and a secret or"
                            + " certificate too; see other choices for the cost without",
                    Optional.of(PEER)));
        }
    }

    private static void addCombining(List<Plan.RecommendedSetting> settings, Estimate estimate) {
        if (!isCombined(estimate)) {
            return;
        }
        settings.add(new Plan.RecommendedSetting(
                CombineSettings.ENABLED.name(),
                "true",
                text(
                        "%.0f instances of a zone share a blob, if each zone has a hub, for example `blobshuffle cache"
                                + " --combine`; the hub has the same batch.max.bytes",
                        estimate.partsPerBlob()),
                Optional.of(PEER)));
        double held =
                HUB_BLOBS * Math.max(estimate.blobBytes(), estimate.tuning().blobBytes());
        if (held > CombineSettings.BUFFER_BYTES.defaultValue().bytes()) {
            settings.add(new Plan.RecommendedSetting(
                    CombineSettings.BUFFER_BYTES.name(),
                    new ByteSize(roundUp(held / MEBIBYTE) * MEBIBYTE).toString(),
                    "of the hub: room for blobs that are being stored, and for the next"));
        }
    }

    private static void addCommits(List<Plan.RecommendedSetting> settings, Workload workload, Estimate estimate) {
        long commit = workload.commitInterval().toMillis();
        settings.add(new Plan.RecommendedSetting(
                "commit.interval.ms",
                Long.toString(commit),
                text(
                        "as given; a commit waits %.2f s for blobs, which leaves %.0f %% of a thread's time for processing",
                        estimate.commitWait(), 100 * estimate.processingShare())));
        boolean isTransactional = workload.guarantee() == Workload.Guarantee.EXACTLY_ONCE_V2;
        if (isTransactional && commit >= STREAMS_TRANSACTION_TIMEOUT_MILLIS) {
            settings.add(new Plan.RecommendedSetting(
                    "producer.transaction.timeout.ms",
                    Long.toString(2 * commit + 30_000),
                    "Kafka Streams sets 10 s, and does not start when a commit interval is longer"));
        }
    }

    private static long roundUp(double mebibytes) {
        long step = mebibytes > 256 ? 64 : 16;
        return (long) Math.ceil(mebibytes / step) * step;
    }

    private static String bytes(double bytes) {
        return new ByteSize((long) bytes).toString();
    }

    static String human(double bytes) {
        if (bytes >= 1L << 40) {
            return text("%.2f TiB", bytes / (1L << 40));
        }
        if (bytes >= 1 << 30) {
            return text("%.2f GiB", bytes / (1 << 30));
        }
        if (bytes >= MEBIBYTE) {
            return text("%.1f MiB", bytes / MEBIBYTE);
        }
        return bytes >= 1024 ? text("%.1f KiB", bytes / 1024) : text("%.0f B", bytes);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
