package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.cli.option.StoreOption;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.log.internal.sweep.LogSweep;
import dev.blobshuffle.log.internal.sweep.LogSweepOptions;
import dev.blobshuffle.log.internal.sweep.LogSweepReport;
import dev.blobshuffle.log.internal.sweep.LogSweepRight;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code blobshuffle messaging gc}: deletes the blobs of a store that a log does not need. Exit
 * status: 0 done, 2 when the log or the store does not answer, or another system uses the
 * store. With status 2 it deletes nothing.
 */
@Command(
        name = "gc",
        mixinStandardHelpOptions = true,
        description = {
            "Removes the batches that no topic's retention keeps, and deletes the blobs to which no batch refers.",
            "A blob that loses its last batch gets a tombstone first; it is deleted when the grace period is over, by this",
            "command, a later run, or an application. Before it deletes, it waits so that live instances of other logs and",
            "clusters can object (--objection).",
            "Without --execute it only says what it would do.",
            "Applications delete their own blobs; use this for the rest, or if no application runs."
        })
public final class MessagingGcCommand implements Callable<Integer> {
    private static final Duration LEAST_OBJECTION = LogSweepOptions.USUAL.objection();

    @Mixin
    private LogOptions options;

    @Mixin
    private StoreOption storeOption;

    @Option(names = "--execute", description = "Delete instead of only reporting.")
    private boolean executes;

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            defaultValue = "15m",
            converter = Quantity.Time.class,
            description = "Time between a tombstone and the deletion of its blob, for readers that still need it"
                    + " (default: ${DEFAULT-VALUE}).")
    private Duration grace;

    @Option(
            names = "--floor",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = {
                "Put no tombstone on blobs that are younger by the store's clock (default: 6h, as in",
                "blobshuffle.retention.floor.ms). With a lower value, a mistake may cost data before you can stop it."
            })
    private @Nullable Duration givenFloor;

    @Option(
            names = "--objection",
            paramLabel = "TIME",
            defaultValue = "5m",
            converter = Quantity.Time.class,
            description =
                    "How long to wait before deleting. Each live instance checks once a minute which log sweeps, and objects"
                            + " to another log than its own (default: ${DEFAULT-VALUE}, at least 3m).")
    private Duration objection;

    @Option(
            names = "--writers-stopped",
            description = "Confirms that no instance of any log or cluster uses the store, so that --objection may be"
                    + " shorter.")
    private boolean writersStopped;

    @Option(
            names = "--hold",
            description =
                    "Stop all sweeps of this store from deleting, and do nothing else. Without --execute it only reports whether"
                            + " sweeps may delete now.")
    private boolean isHeld;

    @Option(
            names = "--only-log",
            description = {
                "End a contest of this log after its copies are gone for good. Requires --execute.",
                "A live instance of a copy objects to this too."
            })
    private boolean isOnlyLog;

    @Option(
            names = "--rate",
            defaultValue = "1000",
            paramLabel = "N",
            description = "Maximum number of blobs to read, mark and delete per second (default: ${DEFAULT-VALUE}).")
    private int rate;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public MessagingGcCommand() {}

    @Override
    public Integer call() {
        return options.withLog("sweep", this::sweep);
    }

    private int sweep(OpenLog log, PrintWriter out) throws InterruptedException {
        checkOptions();
        if (!log.log().retention().isAllowed()) {
            throw new InvalidSettingsException(
                    "Cannot sweep " + log.log() + ": the role may not administer the log. Log in as"
                            + " one that may, or grant it: blobshuffle messaging setup --client-role ROLE.");
        }
        LogSweepOptions asked =
                new LogSweepOptions(grace, objection, LogSweepOptions.USUAL.uploadLife(), floor(), rate);
        try (BlobStore store = BlobStores.openUnchecked(
                storeOption.uri(options.config()),
                StoreContext.unmetered(log.time()).existing())) {
            LogSweepRight right =
                    new LogSweepRight(store, log.log(), objection, new StopSignal(log.time()), log.time());
            if (isHeld) {
                return hold(right, store, out);
            }
            if (isOnlyLog) {
                right.takeOver();
            }
            long trimmed = executes ? 0 : new TrimEstimate(log).batches();
            LogSweepReport report = executes
                    ? LogSweep.once(log.log(), store, asked, log.time())
                    : LogSweep.dryRun(log.log(), store, asked, log.time());
            long batches = executes ? report.trimmed() : trimmed;
            out.print(options.isJson() ? json(store, batches, report) : text(batches, report));
            if (executes) {
                // A pass with nothing to delete does not check for other users of the store.
                right.requireUncontested();
            }
            return 0;
        }
    }

    private Duration floor() {
        return givenFloor == null ? LogSweepOptions.USUAL.floor() : givenFloor;
    }

    private void checkOptions() {
        if (isOnlyLog && !executes) {
            throw new InvalidSettingsException(
                    "Cannot sweep: --only-log changes the store's register and requires --execute. Give both.");
        }
        if (objection.isNegative() || objection.compareTo(LEAST_OBJECTION) < 0 && !writersStopped) {
            throw new InvalidSettingsException("Cannot sweep: --objection is " + Shown.time(objection)
                    + ", and live instances check once a minute. Give " + Shown.time(LEAST_OBJECTION) + " or more.");
        }
        if (grace.isNegative() || floor().isNegative() || rate < 1) {
            throw new InvalidSettingsException("Cannot sweep: --grace is " + Shown.time(grace) + ", --floor "
                    + Shown.time(floor()) + " and --rate " + rate + ". Give 0s or more, and 1 or more.");
        }
    }

    private int hold(LogSweepRight right, BlobStore store, PrintWriter out) throws InterruptedException {
        if (executes) {
            right.hold();
        }
        Optional<String> contest = right.contest();
        if (options.isJson()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("store", store.location());
            json.put("held", contest.isPresent());
            contest.ifPresent(reason -> json.put("reason", reason));
            json.put("executed", executes);
            out.print(Json.write(Map.of("gc", json)));
        } else {
            out.println(contest.map(reason -> "No sweep may delete in " + store.location() + ": " + reason
                            + ". To allow it again: --only-log --execute.")
                    .orElse("Sweeps may delete in " + store.location() + ". To stop them: --hold --execute."));
        }
        return 0;
    }

    private String text(long batches, LogSweepReport report) {
        StringBuilder text = new StringBuilder();
        if (floor().compareTo(LogSweepOptions.USUAL.floor()) < 0) {
            text.append("Blobs of ").append(Shown.time(floor()));
            text.append(" and older may get a tombstone (--floor; the default is ")
                    .append(Shown.time(LogSweepOptions.USUAL.floor()));
            text.append("). A mistake may delete young blobs before you can stop it.\n");
        }
        text.append(Shown.count(batches, "batch")).append(executes ? " removed from" : " to remove from");
        text.append(" the log, which the topics' retention does not keep.\n");
        text.append(Shown.count(report.buried(), "blob")).append(executes ? " got a" : " would get a");
        text.append(" tombstone, because the last batch is gone; ");
        text.append(Shown.count(report.orphans(), "orphan")).append(", to which no batch ever referred.\n");
        if (report.postponed() > 0) {
            text.append(Shown.count(report.postponed(), "blob"));
            text.append(" may still get a batch, or are young (--floor). A later run marks those that do not.\n");
        }
        text.append(Shown.count(report.deleted(), "blob"));
        text.append(executes ? " deleted" : " to delete now");
        text.append(", whose grace is over.\n");
        if (!executes) {
            text.append("Nothing was changed; run it with --execute.\n");
        }
        return text.toString();
    }

    private String json(BlobStore store, long batches, LogSweepReport report) {
        Map<String, Object> gc = new LinkedHashMap<>();
        gc.put("store", store.location());
        gc.put("executed", executes);
        gc.put("trimmed_batches", batches);
        gc.put("buried_blobs", report.buried());
        gc.put("orphaned_blobs", report.orphans());
        gc.put("postponed_blobs", report.postponed());
        gc.put("listed_generations", report.listed());
        gc.put("deleted_blobs", report.deleted());
        return Json.write(Map.of("gc", gc));
    }
}
