package dev.blobshuffle.cli.gc;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.retention.BlobLifetime;
import dev.blobshuffle.core.internal.retention.BlobListing;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.Sweep;
import dev.blobshuffle.core.internal.retention.SweepReport;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.kafka.internal.claim.SweepClaim;
import dev.blobshuffle.kafka.internal.log.KafkaNotificationLogs;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One run of {@code gc}: its rounds, its waits, and the reasons to stop before it deletes. Owned by
 * one thread.
 */
final class GcRun {
    /**
     * A sweep deletes blobs that are older than the grace period, so this is old enough for those
     * who give less.
     */
    private static final long YOUNG_MINUTES = 15;

    private final Sweep sweep;
    private final SweepClaim claim;
    private final KafkaNotificationLogs logs;
    private final StopSignal stopSignal;
    private final Waits waits;

    /**
     * What the command line says.
     *
     * @param deletes whether to delete, and not only to count
     * @param takesOver whether other clusters that used the store are gone
     * @param hasNoWriters whether nobody writes
     * @param lifetime how long blobs are kept
     * @param grace between the listing and the look into the logs
     * @param objection between that and the deletes
     * @param confirmed how many blobs may go although there is a reason to stop
     * @param progress takes lines for people
     */
    record Waits(
            boolean deletes,
            boolean takesOver,
            boolean hasNoWriters,
            BlobLifetime lifetime,
            Duration grace,
            Duration objection,
            Optional<Integer> confirmed,
            Consumer<String> progress) {}

    GcRun(Sweep sweep, SweepClaim claim, KafkaNotificationLogs logs, StopSignal stopSignal, Waits waits) {
        this.sweep = sweep;
        this.claim = claim;
        this.logs = logs;
        this.stopSignal = stopSignal;
        this.waits = waits;
    }

    /** Deletes, or counts, what no notification leads to. */
    SweepReport byLogs() throws InterruptedException {
        StoreClock clock = begin();
        SweepReport all = SweepReport.NOTHING;
        Optional<BlobId> after = Optional.empty();
        do {
            Map<Partition, NotificationLogs.Term> terms = logs.terms(topic -> true);
            BlobListing listing = sweep.list(BlobId.NO_OWNER, after, waits.lifetime(), clock);
            after = listing.resumeAfter();
            waits.progress()
                    .accept("Listed " + listing.size() + " blobs"
                            + (after.isPresent() ? "; the next round looks at the others" : "") + ". Waiting "
                            + waits.grace().toSeconds() + " s for notifications on their way.");
            stopSignal.rest(waits.grace());
            SweepReport report = sweep.byLogs(listing, logs, terms);
            all = all.plus(report);
            if (waits.deletes()) {
                reasonToStop(report, listing, clock).ifPresent(reason -> requireConfirmed(reason, report));
                delete(listing);
            }
        } while (after.isPresent());
        if (waits.deletes() && waits.hasNoWriters() && all.leavesNothing()) {
            claim.withdraw(); // Nothing is left to be kept from the sweeps of others: the store is free.
        }
        return all;
    }

    /**
     * Deletes, or counts, what is older than an age.
     *
     * @param age the time to live
     */
    SweepReport byAge(Duration age) throws InterruptedException {
        StoreClock clock = begin();
        SweepReport all = SweepReport.NOTHING;
        Optional<BlobId> after = Optional.empty();
        do {
            BlobListing listing = sweep.list(BlobId.NO_OWNER, after, waits.lifetime(), clock);
            after = listing.resumeAfter();
            waits.progress()
                    .accept("Listed " + listing.size() + " blobs that are older than " + age.toMillis() + " ms.");
            SweepReport report = sweep.byAge(listing);
            all = all.plus(report);
            if (waits.deletes()) {
                future(listing, clock).ifPresent(reason -> requireConfirmed(reason, report));
                delete(listing);
            }
        } while (after.isPresent());
        return all;
    }

    private StoreClock begin() throws InterruptedException {
        if (waits.takesOver()) {
            claim.takeOver();
        }
        if (waits.deletes()) {
            claim.raise();
        } else {
            claim.look();
        }
        StoreClock clock = claim.clock();
        Optional<String> difference = clock.differenceFromOwn();
        if (difference.isPresent()) {
            throw new InvalidSettings("Cannot sweep: " + difference.get() + ". Clocks may differ by "
                    + StoreClock.MARGIN.toMinutes() + " minutes, so nobody can tell how old blobs are. Nothing was"
                    + " deleted. Correct the clock (NTP), and run it again.");
        }
        return clock;
    }

    private void delete(BlobListing listing) throws InterruptedException {
        if (listing.condemned() > 0) {
            claim.raise();
            waits.progress()
                    .accept(listing.condemned() + " blobs are to be deleted. Waiting "
                            + waits.objection().toSeconds() + " s for live instances to object.");
            stopSignal.rest(waits.objection());
            sweep.delete(listing, Optional.empty(), claim);
        }
    }

    /** Why clocks cannot be trusted. */
    private static Optional<String> future(BlobListing listing, StoreClock clock) {
        return listing.condemned() == 0
                ? Optional.empty()
                : listing.newestGeneration()
                        .flatMap(clock::differenceFrom)
                        .map(difference -> difference + ". Correct the clock (NTP). Nothing was deleted.");
    }

    /** Why clocks cannot be trusted, or why these logs may not be the store's, or not all. */
    private static Optional<String> reasonToStop(SweepReport report, BlobListing listing, StoreClock clock) {
        Optional<String> future = future(listing, clock);
        return future.isPresent()
                ? future
                : reasonToDoubt(report, listing, clock)
                        .map(reason ->
                                reason + ", so this may be the wrong cluster, or only a part of its logs. Nothing"
                                        + " was deleted. Check --bootstrap and --store.");
    }

    private static Optional<String> reasonToDoubt(SweepReport report, BlobListing listing, StoreClock clock) {
        long minute = TimeUnit.MILLISECONDS.toMinutes(clock.now().toEpochMilli());
        if (listing.condemned() == 0) {
            return Optional.empty();
        }
        if (report.links() == 0) {
            return Optional.of("no notification in this cluster leads to this store");
        }
        if (report.hasTooManyOrphans()) {
            return Optional.of("no notification ever led to " + report.orphans() + " of " + report.listed() + " blobs");
        }
        if (listing.youngestCondemned().orElse(0L) > minute - YOUNG_MINUTES) {
            return Optional.of("some of the blobs are less than " + YOUNG_MINUTES + " minutes old");
        }
        return Optional.empty();
    }

    private void requireConfirmed(String reason, SweepReport report) {
        if (waits.confirmed().orElse(-1) < report.unneeded()) {
            throw new InvalidSettings("Cannot delete " + report.unneeded() + " blobs: " + reason
                    + " docs/operations.md, \"When a sweep stops\", says how to go on.");
        }
    }
}
