package dev.blobshuffle.cli.gc;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.retention.BlobLifetime;
import dev.blobshuffle.core.internal.retention.BlobListing;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.Sweep;
import dev.blobshuffle.core.internal.retention.SweepReport;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.kafka.internal.log.KafkaNotificationLogs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
     * The age below which a blob to be deleted is a reason to stop. A sweep deletes only blobs
     * older than the grace period, so this matters only for shorter grace periods.
     */
    private static final long YOUNG_MINUTES = 15;

    /** The most attempts to begin while an instance may be in doubt. */
    private static final int MOST_BEGUN = 3;

    private static final Duration LOOK = Duration.ofMillis(100);

    private final BlobStore store;
    private final Sweep sweep;
    private final KafkaNotificationLogs logs;
    private final StopSignal stopSignal;
    private final Waits waits;

    /**
     * The options of the command line.
     *
     * @param deletes whether to delete, and not only to count
     * @param lifetime retention of blobs
     * @param isAlone whether no instance of the owners runs, so that their promises do not matter
     * @param confirmed number of blobs that may be deleted despite a reason to stop
     * @param progress receives lines for the user
     */
    record Waits(
            boolean deletes,
            BlobLifetime lifetime,
            boolean isAlone,
            Optional<Integer> confirmed,
            Consumer<String> progress) {}

    GcRun(BlobStore store, Sweep sweep, KafkaNotificationLogs logs, StopSignal stopSignal, Waits waits) {
        this.store = store;
        this.sweep = sweep;
        this.logs = logs;
        this.stopSignal = stopSignal;
        this.waits = waits;
    }

    /**
     * Deletes, or counts, the blobs that the owners do not need. All owners take each step
     * together.
     */
    SweepReport sweep(List<OwnerPass> passes, StoreClock clock) throws InterruptedException {
        requireAgreement(clock);
        passes.forEach(this::requirePromised);
        List<OwnerPass> round = passes;
        while (!round.isEmpty()) {
            round(round, clock);
            round = round.stream().filter(pass -> pass.after().isPresent()).toList();
        }
        SweepReport all = SweepReport.NOTHING;
        for (OwnerPass pass : passes) {
            if (waits.isAlone()) {
                pass.end(store);
            }
            all = all.plus(pass.found());
        }
        return all;
    }

    private void round(List<OwnerPass> round, StoreClock clock) throws InterruptedException {
        Map<Partition, NotificationLogs.Term> terms = isByAge() ? Map.of() : logs.terms(topic -> true);
        for (OwnerPass pass : round) {
            step(pass, SweepRight.Stage.LIST);
            pass.listed(sweep.list(pass.owner(), pass.after(), waits.lifetime(), clock), terms);
            pass.right().ifPresent(SweepRight::listed);
            waits.progress()
                    .accept("Listed " + pass.listing().size() + " blobs of owner " + BlobId.hex(pass.owner())
                            + (isByAge() ? " that are older than " + age() + " ms" : "")
                            + (pass.after().isPresent() ? "; the next round looks at the others" : "")
                            + (isByAge() && !waits.deletes()
                                    ? "."
                                    : ". Waiting " + pass.pause().toSeconds() + " s for notifications on their way."));
        }
        if (!isByAge() || waits.deletes()) {
            rest(round);
        }
        for (OwnerPass pass : round) {
            step(pass, SweepRight.Stage.DECIDE);
            decide(pass, clock);
            pass.right().ifPresent(SweepRight::decided);
        }
        if (waits.deletes()) {
            delete(round);
        }
    }

    private void decide(OwnerPass pass, StoreClock clock) throws InterruptedException {
        BlobListing listing = pass.listing();
        SweepReport report = isByAge() ? sweep.byHorizon(listing) : sweep.byLogs(listing, logs, pass.terms());
        pass.found(report);
        if (waits.deletes()) {
            Optional<String> reason = isByAge() ? future(listing, clock) : reasonToStop(report, listing, clock);
            reason.ifPresent(why -> requireConfirmed(why, report));
        }
    }

    private void delete(List<OwnerPass> round) throws InterruptedException {
        List<OwnerPass> due = new ArrayList<>();
        for (OwnerPass pass : round) {
            if (pass.listing().condemned() > 0) {
                due.add(pass);
                waits.progress()
                        .accept(pass.listing().condemned() + " blobs of owner " + BlobId.hex(pass.owner())
                                + " are to be deleted. Waiting " + pass.pause().toSeconds()
                                + " s for live instances to object.");
            } else {
                pass.right().ifPresent(SweepRight::over);
            }
        }
        rest(due);
        for (OwnerPass pass : due) {
            step(pass, SweepRight.Stage.DELETE);
            sweep.delete(pass.listing(), pass.right().orElseThrow(), logs);
            pass.right().ifPresent(SweepRight::over);
        }
    }

    private void rest(List<OwnerPass> round) throws InterruptedException {
        Duration longest = round.stream()
                .map(OwnerPass::pause)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        stopSignal.rest(longest);
    }

    /** Claims the store, and waits until the step is due. */
    private void step(OwnerPass pass, SweepRight.Stage stage) throws InterruptedException {
        if (pass.right().isEmpty()) {
            return;
        }
        SweepRight right = pass.right().get();
        SweepRight.Leave leave = right.next();
        int begun = 1;
        boolean isFirst = stage == SweepRight.Stage.LIST;
        while (leave.stage() == SweepRight.Stage.WAIT
                || isFirst && leave.stage() == SweepRight.Stage.START_OVER && begun++ < MOST_BEGUN) {
            // A doubt ends unless it is renewed, so the second or third attempt succeeds.
            stopSignal.rest(leave.stage() == SweepRight.Stage.WAIT ? LOOK : right.over());
            leave = right.next();
        }
        if (leave.stage() != stage || leave.owner() != pass.owner()) {
            throw new InvalidSettingsException("Cannot sweep owner " + BlobId.hex(pass.owner()) + ": "
                    + leave.reason()
                            .orElse("an instance joined it, or doubts, or promises more than when it was listed")
                    + ". Nothing more is deleted, and applications go on. Run it again later; docs/operations.md, \"Who"
                    + " may delete what, and when\", describes how to continue.");
        }
    }

    private boolean isByAge() {
        return waits.lifetime().timeToLive().isPresent();
    }

    private long age() {
        return waits.lifetime().timeToLive().map(Duration::toMillis).orElse(0L);
    }

    /**
     * Refuses a time to live below the members' promises, because an operator must stop them first.
     */
    private void requirePromised(OwnerPass pass) {
        Optional<Duration> promised = pass.line().promise().retention();
        boolean isPromised = promised.filter(least -> age() >= least.toMillis()).isPresent();
        if (isByAge() && !isPromised && !waits.isAlone()) {
            throw new InvalidSettingsException("Cannot sweep owner " + BlobId.hex(pass.owner())
                    + " by age: its members keep blobs"
                    + promised.map(least -> " for " + least.toMillis() + " ms").orElse(" for as long as logs name them")
                    + ", as the store's register says. Give more, or stop the members and add --writers-stopped.");
        }
    }

    private static void requireAgreement(StoreClock clock) {
        Optional<String> difference = clock.differenceFromOwn();
        if (difference.isPresent()) {
            throw new InvalidSettingsException("Cannot sweep: " + difference.get() + ". Clocks may differ by "
                    + StoreClock.MARGIN.toMinutes() + " minutes, so the age of blobs is unknown. Nothing was"
                    + " deleted. Correct the clock (NTP), and run it again.");
        }
    }

    /** The reason to distrust the clocks; empty if there is none. */
    private static Optional<String> future(BlobListing listing, StoreClock clock) {
        return listing.condemned() == 0
                ? Optional.empty()
                : listing.newestGeneration()
                        .flatMap(clock::differenceFrom)
                        .map(difference -> difference + ". Correct the clock (NTP). Nothing was deleted.");
    }

    /**
     * The reason to stop: untrusted clocks, or logs that may be incomplete or belong to another
     * store.
     */
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
            throw new InvalidSettingsException("Cannot delete " + report.unneeded() + " blobs: " + reason
                    + " docs/operations.md, \"When a sweep stops\", describes how to continue.");
        }
    }
}
