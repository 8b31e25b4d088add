package dev.blobshuffle.planner;

import dev.blobshuffle.core.internal.pricing.PriceTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Statements for the reader of a plan: whether it pays off, why not, what would change that, and
 * warnings.
 */
final class Findings {
    private static final double CLEAR = 0.9;
    private static final double LITTLE_PROCESSING = 0.6;
    private static final double SLOW_NOTIFICATION = 0.1;
    private static final double SECONDS_PER_HOUR = 3600;
    private static final double GIBIBYTE = 1 << 30;

    private final Workload workload;
    private final PriceTable prices;
    private final KafkaPrices kafka;
    private final ShuffleModel model;
    private final Estimate estimate;
    private final double nativeUsd;
    private final Planner.BreakEven breakEven;
    private final List<String> findings = new ArrayList<>();

    Findings(Workload workload, ShuffleModel model, Estimate estimate, double nativeUsd, Planner.BreakEven breakEven) {
        this.workload = workload;
        this.model = model;
        this.prices = model.prices();
        this.kafka = model.kafka();
        this.estimate = estimate;
        this.nativeUsd = nativeUsd;
        this.breakEven = breakEven;
    }

    List<String> list() {
        Cost cost = estimate.cost();
        if (nativeUsd == 0) {
            freeTraffic();
        } else if (cost.shuffle() >= Plan.WORTH_IT * nativeUsd) {
            tooDear();
        } else if (cost.shuffle() > CLEAR * nativeUsd) {
            add(
                    "BlobShuffle saves little %s: %s instead of %s USD per hour.",
                    kafka.isSelfManaged() ? "here" : "with " + kafka.title(), usd(cost.shuffle()), usd(nativeUsd));
        } else {
            add(
                    "BlobShuffle pays off%s: the shuffle costs %s instead of %s USD per hour, %s times less.",
                    withKafka(), usd(cost.shuffle()), usd(nativeUsd), times(nativeUsd / cost.shuffle()));
        }
        assumed();
        inlined();
        commits();
        store();
        floor();
        changelogs();
        add("First remove repartitions that you do not need: no price beats a byte that is not shuffled.");
        return findings;
    }

    private String withKafka() {
        return kafka.isSelfManaged() ? "" : " with " + kafka.title();
    }

    /** Adds the prices that affect the result and that you should check first. */
    private void assumed() {
        if (!kafka.assumed().equals("nothing")) {
            add(
                    "Not looked up for %s: %s. Check your contract, and give your own with --kafka-prices.",
                    kafka.title(), kafka.assumed());
        }
        if (kafka.service().puts() > 0) {
            add(
                    "With %s the records are in object storage already. BlobShuffle saves some of the requests and the service's price per GB: %s USD per hour.",
                    kafka.title(), usd(Math.max(0, nativeUsd - estimate.cost().shuffle())));
        }
        if (kafka.notificationSeconds() > SLOW_NOTIFICATION) {
            add(
                    "Each notification takes about %.1f s through %s, which the latency includes.",
                    kafka.notificationSeconds(), kafka.title());
        }
    }

    private void changelogs() {
        double flow = workload.changelogBytesPerSecond();
        if (flow > 0) {
            add(
                    "Changelogs of %s/s stay in Kafka either way. They cost %s USD per hour more, and BlobShuffle does not change that.",
                    SettingsAdvice.human(flow), usd(model.inKafka(flow, workload, KafkaPrices.Readers.NONE)));
        } else {
            add(
                    "Changelogs are the other half of an application's internal traffic. They stay in Kafka, at %s USD per GiB, and these figures leave them out (--changelogs adds them).",
                    usd(model.inKafka(GIBIBYTE / SECONDS_PER_HOUR, workload, KafkaPrices.Readers.NONE)));
        }
    }

    /** Formats a ratio, with one decimal below 10. */
    private static String times(double ratio) {
        return String.format(Locale.ROOT, ratio < 10 ? "%.1f" : "%.0f", ratio);
    }

    private void freeTraffic() {
        String why = workload.zones() == 1
                ? "all instances are in one zone, so that no byte crosses zones"
                : "traffic between zones is free with these prices (" + prices.name()
                        + (kafka.isSelfManaged() ? ")" : ", " + kafka.name() + "), and so is the service");
        add(
                "BlobShuffle does not pay off in traffic: %s. It would cost %s USD per hour in requests, storage and notifications.",
                why, usd(estimate.cost().shuffle()));
        add("It still saves work of the brokers: they store notifications instead of records and their replicas.");
        add(
                workload.zones() == 1
                        ? "That changes with more zones: see --zones."
                        : "That changes with a provider that charges for traffic between zones: see --provider.");
    }

    private void tooDear() {
        add(
                "BlobShuffle does not pay off%s: the shuffle would cost %s USD per hour, and natively %s.",
                withKafka(), usd(estimate.cost().shuffle()), usd(nativeUsd));
        Cost cost = estimate.cost();
        double requests = cost.puts() + cost.gets();
        if (cost.transferred() > requests && cost.transferred() > nativeUsd / 2) {
            add(
                    "The reason is what the store charges for bytes in and out. Another store would change that: see --provider.");
        } else if (requests > nativeUsd / 2) {
            add(
                    "The reason is requests for small blobs: %s on average, and one is worth its requests from %s. Fewer instances, threads that share blobs"
                            + " (batch.scope=instance), a longer delay or rarer commits make larger ones.",
                    SettingsAdvice.human(estimate.traffic().blobBytes()),
                    kafka.breakEvenBytes(prices, workload)
                            .map(SettingsAdvice::human)
                            .orElse("no size on"));
        } else if (cost.inlined() > nativeUsd / 2) {
            add(
                    "The reason is small batches: an instance has %s when a batch ends, which is below inline.max.bytes, so that it goes through Kafka as it would natively. Fewer"
                            + " instances, a longer delay (--target-p95) or rarer commits make larger ones.",
                    SettingsAdvice.human(workload.bytesPerSecond() / workload.instances() * estimate.fillSeconds()));
        } else {
            add("The reason is small records in many partitions: there are about as many notifications as records.");
        }
        rate();
    }

    private void rate() {
        if (breakEven
                .bytesPerSecond()
                .filter(rate -> rate > workload.bytesPerSecond())
                .isPresent()) {
            add(
                    "With %s and the longest delay that the goal allows, it pays off from about %s/s on, over all instances.",
                    breakEven.with(),
                    SettingsAdvice.human(breakEven.bytesPerSecond().get()));
        } else if (breakEven.bytesPerSecond().isEmpty()) {
            add("No higher load changes that with these prices.");
        }
    }

    private void inlined() {
        double share = estimate.traffic().inlinedBytes() / workload.bytesPerSecond();
        if (share > 0.005 && share < 0.995) {
            add(
                    "%.0f %% of the bytes go through Kafka as plain records, because their batches are below inline.max.bytes.",
                    100 * share);
        }
    }

    private void commits() {
        if (estimate.processingShare() < LITTLE_PROCESSING) {
            add(
                    "The commit interval of %d ms is short: each commit waits %.2f s for blobs, so threads process only %.0f %% of the time, and each commit ends every"
                            + " batch. Set a longer commit.interval.ms.",
                    workload.commitInterval().toMillis(), estimate.commitWait(), 100 * estimate.processingShare());
        }
    }

    private void store() {
        if (prices.name().startsWith("gcp")) {
            add("Switch soft delete off for the bucket: otherwise deleted blobs are kept, and charged, for 7 days.");
        }
        if (prices.name().contains("express")) {
            add("S3 Express One Zone keeps a blob in one zone: if that zone is lost, records that are not yet read"
                    + " are lost.");
        }
    }

    /** Adds the price of the retention floor, which applies to every blob. */
    private void floor() {
        FloorPrice floor = FloorPrice.usual(estimate.traffic(), prices);
        add(
                "No blob is deleted before it is %d h old (blobshuffle.retention.floor.ms), so that a mistake can be stopped. That keeps %s and costs %s USD per hour"
                        + " here, of which these figures have %s for %.1f h (--retention). A file store needs as much disk space. A lower floor costs less in proportion.",
                floor.floor().toHours(),
                SettingsAdvice.human(floor.keptBytes()),
                usd(floor.usdPerHour()),
                usd(estimate.cost().stored()),
                estimate.tuning().retention().toSeconds() / SECONDS_PER_HOUR);
    }

    private void add(String format, Object... values) {
        findings.add(String.format(Locale.ROOT, format, values));
    }

    private static String usd(double amount) {
        return String.format(Locale.ROOT, amount >= 0.1 ? "%,.2f" : "%.4f", amount);
    }
}
