package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.store.StoreFinding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Compares the time limits of an application's commits with the latency of a store. Stateless. */
final class CommitAdvice {
    /** The factor on the p95: an upload may be slow, be given up and be retried. */
    private static final int ATTEMPTS = 4;

    private static final Duration LEAST_WAIT = Duration.ofSeconds(5);
    private static final Duration MOST_LINGER = Duration.ofMillis(10);

    private CommitAdvice() {}

    /**
     * The findings about settings.
     *
     * @param puts latencies of puts; empty if they could not be measured
     * @param brokersMost the brokers' {@code transaction.max.timeout.ms}; empty if unknown
     */
    static List<Finding> of(CommitSettings settings, Optional<ProbeTimes> puts, Optional<Duration> brokersMost) {
        List<StoreFinding> findings = new ArrayList<>();
        if (settings.commitInterval().compareTo(settings.batchDelay()) < 0) {
            findings.add(StoreFinding.warning(
                    "commit interval",
                    "a commit ends every batch, and they come each "
                            + settings.commitInterval().toMillis()
                            + " ms, before the batch's delay of "
                            + settings.batchDelay().toMillis()
                            + " ms: blobs are smaller and cost more requests",
                    "Raise commit.interval.ms to " + settings.batchDelay().toMillis()
                            + " or more, or lower blobshuffle.batch.max.delay.ms if you want that latency."));
        }
        puts.ifPresent(latencies -> addWaits(settings, latencies.percentile(95), brokersMost, findings));
        if (settings.linger().compareTo(MOST_LINGER) > 0) {
            findings.add(StoreFinding.hint(
                    "linger",
                    "the producer holds notifications back for up to "
                            + settings.linger().toMillis() + " ms",
                    "Set producer.linger.ms to 0 to " + MOST_LINGER.toMillis() + "."));
        }
        if (findings.isEmpty()) {
            findings.add(StoreFinding.ok("commits", "interval, timeouts and linger suit the store"));
        }
        return findings.stream()
                .map(finding -> Finding.of(Finding.SETTINGS, finding))
                .toList();
    }

    private static void addWaits(
            CommitSettings settings, Duration p95, Optional<Duration> brokersMost, List<StoreFinding> findings) {
        if (!settings.exactlyOnce()) {
            return;
        }
        if (settings.commitInterval().compareTo(p95) < 0) {
            findings.add(StoreFinding.warning(
                    "commit interval",
                    "a commit waits for its uploads, " + p95.toMillis()
                            + " ms at p95, which is longer than commit.interval.ms="
                            + settings.commitInterval().toMillis() + ": threads mostly wait",
                    "Raise commit.interval.ms to " + roundedUp(p95.multipliedBy(2)) + " or more."));
        }
        // The brokers' time limit of a commit, less a tenth, as BlobShuffle computes it.
        Duration left =
                settings.transactionTimeout().multipliedBy(9).dividedBy(10).minus(settings.commitInterval());
        Duration needed = longer(p95.multipliedBy(ATTEMPTS), LEAST_WAIT);
        if (left.compareTo(needed) >= 0) {
            return;
        }
        long wanted = roundedUp(
                needed.plus(settings.commitInterval()).multipliedBy(10).dividedBy(9));
        boolean isAllowed = brokersMost.isEmpty() || brokersMost.get().toMillis() >= wanted;
        String what = "a commit may wait " + Math.max(0, left.toMillis())
                + " ms for its uploads before the transaction times out, and should " + needed.toMillis();
        String remedy = "Set producer.transaction.timeout.ms to " + wanted + " or more"
                + (isAllowed
                        ? "."
                        : ", and the brokers' transaction.max.timeout.ms, which is "
                                + brokersMost.get().toMillis() + ", first.");
        findings.add(
                left.compareTo(p95) < 0
                        ? StoreFinding.error("transaction timeout", what, remedy)
                        : StoreFinding.warning("transaction timeout", what, remedy));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /**
     * Rounds up to milliseconds: to tenths of a second below ten seconds, else to whole seconds.
     */
    private static long roundedUp(Duration time) {
        long step = time.toSeconds() < 10 ? 100 : 1000;
        return (time.toMillis() + step - 1) / step * step;
    }
}
