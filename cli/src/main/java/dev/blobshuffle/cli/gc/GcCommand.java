package dev.blobshuffle.cli.gc;

import dev.blobshuffle.cli.brokers.BrokerOptions;
import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.cli.option.Replaced;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.claim.ClaimWatch;
import dev.blobshuffle.core.internal.retention.BlobLifetime;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.Sweep;
import dev.blobshuffle.core.internal.retention.SweepPace;
import dev.blobshuffle.core.internal.retention.SweepReport;
import dev.blobshuffle.core.internal.retention.SweepScope;
import dev.blobshuffle.core.internal.store.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.claim.ClaimIdentity;
import dev.blobshuffle.kafka.internal.claim.SweepClaim;
import dev.blobshuffle.kafka.internal.log.KafkaNotificationLogs;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle gc}: deletes the blobs of a store to which no notification leads any more.
 * Exit status: 0 done, 2 when it cannot be told what is needed: then nothing is deleted.
 */
@Command(
        name = "gc",
        mixinStandardHelpOptions = true,
        exitCodeOnInvalidInput = 2,
        exitCodeOnExecutionException = 2,
        description = {
            "Deletes the blobs of a store to which no notification in Kafka leads any more.",
            "Lists the store, waits for the grace period, and reads the topics that the blobs name. Before it deletes, it",
            "waits once more, so that live instances can object (--objection).",
            "Without --execute it only says what it would delete, and what holds the oldest blob that stays.",
            "Applications delete their own blobs (blobshuffle.sweep.interval.ms); this is for the rest, and where they do not."
        })
public final class GcCommand implements Callable<Integer> {
    private static final int UNKNOWN = 2;
    private static final long LOG_BYTES_PER_SECOND = 1L << 30;
    private static final Duration OBJECTION = Duration.ofMinutes(5);
    private static final Duration LEAST_OBJECTION = ClaimWatch.INTERVAL.multipliedBy(3);

    @Spec
    private CommandSpec spec;

    @Mixin
    private BrokerOptions brokers;

    @Option(
            names = "--store",
            paramLabel = "URI",
            description = {
                "The store, as in blobshuffle.store (default: from --config or --profile). No other cluster may use it."
            })
    private @Nullable String storeUri;

    @Option(names = "--execute", description = "Delete, and not only report.")
    private boolean executes;

    @Option(names = "--delete", hidden = true, description = "Deprecated: use --execute.")
    private boolean deletes;

    @Option(names = "--dry-run", hidden = true, description = "Deprecated: leave it out, it is the default.")
    private boolean tells;

    @Option(
            names = "--retention",
            defaultValue = "needed",
            paramLabel = "needed|TIME",
            converter = Quantity.Retention.class,
            description = {
                "What stays, as in blobshuffle.retention: what a notification leads to (default), or what is younger than that,",
                "whoever may still come for the rest."
            })
    private String retention;

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = {
                "How long a stored blob may be without its notification (default: 1h, which is also the least). Give more",
                "only if a writer's blobshuffle.delivery.timeout.ms is longer than 45 minutes: the timeout and 15 minutes."
            })
    private @Nullable Duration givenGrace;

    @Option(
            names = "--grace-seconds",
            hidden = true,
            converter = Quantity.BareSeconds.class,
            description = "Deprecated: use --grace, with a unit.")
    private @Nullable Duration formerGrace;

    @Option(
            names = "--floor",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = {
                "Keep blobs that are younger, by the store's clock, whatever else says that they may go (default: 6h, as in",
                "blobshuffle.retention.floor.ms). With less, a mistake costs data before anybody can stop it."
            })
    private @Nullable Duration givenFloor;

    @Option(
            names = "--writers-stopped",
            description = "No writer runs, nor will one that runs now continue: the grace period may be shorter.")
    private boolean writersStopped;

    @Option(
            names = "--deleted-topic",
            paramLabel = "TOPIC",
            description = {
                "A topic that was deleted for good: blobs need not be kept for it. Refused for a topic that exists,",
                "or that the principal may not describe."
            })
    private List<String> deletedTopics = new ArrayList<>();

    @Option(
            names = "--objection",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = {
                "How long to wait before deleting. Each live instance looks once a minute who sweeps, and objects if it is",
                "not its own cluster (default: 5m, at least 3m)."
            })
    private @Nullable Duration givenObjection;

    @Option(
            names = "--objection-seconds",
            hidden = true,
            converter = Quantity.BareSeconds.class,
            description = "Deprecated: use --objection, with a unit.")
    private @Nullable Duration formerObjection;

    @Option(
            names = "--confirm",
            paramLabel = "N",
            description = {
                "Delete although the sweep found a reason to stop, if no more than N blobs would go.",
                "N is the number that the run without --execute printed."
            })
    private @Nullable Integer confirmed;

    @Option(
            names = "--hold",
            description = {
                "Keep all sweeps of this store from deleting, and do nothing else. Without --execute it only says whether",
                "sweeps may delete now."
            })
    private boolean isHeld;

    @Option(
            names = "--only-cluster",
            description = {
                "Take the store over: other clusters that used it are gone for good. With --execute.",
                "A live instance of another cluster objects to that too."
            })
    private boolean isOnlyCluster;

    @Option(
            names = "--forget",
            paramLabel = "GROUP",
            description = {
                "Refused, with what to do instead: blobs are kept for notifications in logs and not for groups, so that a group",
                "that will never come back holds nothing."
            })
    private @Nullable String forgotten;

    @Option(
            names = "--rate",
            defaultValue = "2000",
            paramLabel = "N",
            description = "Most blobs to look into and delete per second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(
            names = "--most",
            defaultValue = "10000000",
            paramLabel = "N",
            description = {
                "Most blobs of one round, the oldest first; the rest follow in further rounds, each with a grace period (default: ${DEFAULT-VALUE},",
                "for which a few MiB of memory are usual and 300 enough)."
            })
    private int most;

    @Option(names = "--json", description = "Print JSON; progress goes to standard error.")
    private boolean json;

    /** Made by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public GcCommand() {}

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        try (SystemTime time = new SystemTime()) {
            checkOptions();
            return sweep(brokers.client(), time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("Cannot sweep: interrupted. Run it again.");
        } catch (CompletionException e) {
            err.println(e.getCause() == null ? e.toString() : e.getCause().getMessage());
        } catch (BlobShuffleException | KafkaException | IllegalStateException e) {
            err.println(e.getMessage());
        }
        err.flush();
        return UNKNOWN;
    }

    private void checkOptions() {
        if (forgotten != null) {
            throw new InvalidSettings(
                    "Cannot forget group " + forgotten
                            + ": no blob is kept for a group. Blobs are kept while notifications to them are in Kafka's logs, and Kafka's retention or a purge takes these away,"
                            + " whatever groups have read. To let go of them now, delete the records (kafka-delete-records) or the topic, and run gc again.");
        }
        if (executes() && tells) {
            throw new InvalidSettings("Cannot sweep: --execute and --dry-run contradict each other. Give one of them.");
        }
        if (isOnlyCluster && !executes()) {
            throw new InvalidSettings(
                    "Cannot sweep: --only-cluster changes what the store says, and --execute is not given. Give both.");
        }
        if (floor().isNegative()) {
            throw new InvalidSettings("Cannot sweep: --floor is " + seconds(floor()) + ". Give 0s or more.");
        }
        boolean isShort = objection().compareTo(LEAST_OBJECTION) < 0 && !writersStopped;
        if (objection().isNegative() || isShort) {
            throw new InvalidSettings("Cannot sweep: --objection is " + seconds(objection())
                    + ", and live instances look once a minute. Give " + seconds(LEAST_OBJECTION) + " or more.");
        }
        if (grace().isNegative() || rate < 1 || most < 1) {
            throw new InvalidSettings("Cannot sweep: --grace is " + seconds(grace()) + ", --rate " + rate + ", --most "
                    + most + ". Give 0 or more, 1 or more, and 1 or more.");
        }
        if (!writersStopped && grace().compareTo(RetentionSettings.COMMAND_GRACE) < 0) {
            throw new InvalidSettings("Cannot sweep: --grace is " + seconds(grace())
                    + ", and a blob may be stored for longer before its notification is sent. Give "
                    + seconds(RetentionSettings.COMMAND_GRACE)
                    + " or more. For a store without writers see --writers-stopped.");
        }
    }

    private boolean executes() {
        return executes || deletes;
    }

    private Duration grace() {
        return Replaced.of("--grace", givenGrace, formerGrace).orElse(RetentionSettings.COMMAND_GRACE);
    }

    private Duration floor() {
        return givenFloor == null ? RetentionSettings.FLOOR.defaultValue() : givenFloor;
    }

    private Duration objection() {
        return Replaced.of("--objection", givenObjection, formerObjection).orElse(OBJECTION);
    }

    private static String seconds(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
    }

    private int sweep(Map<String, Object> client, SystemTime time) throws InterruptedException {
        Optional<Duration> timeToLive = KafkaSettings.parse(Map.of(RetentionSettings.RETENTION.name(), retention))
                .value(RetentionSettings.RETENTION);
        PrintWriter out = spec.commandLine().getOut();
        StoreContext context = StoreContext.unmetered(time).existing();
        try (BlobStore store = BlobStores.openUnchecked(brokers.config().store(storeUri), context);
                KafkaNotificationLogs logs = new KafkaNotificationLogs(client, time)) {
            ClaimIdentity identity = new ClaimIdentity(ClaimIdentity.SHARED_TOPIC, "gc", client);
            SweepClaim claim = new SweepClaim(store, identity, SweepClaim.Scope.CLUSTER, time);
            if (isHeld) {
                hold(claim, store.location(), out);
                return 0;
            }
            requireDeleted(logs);
            StopSignal stopSignal = new StopSignal(time);
            SweepScope scope = SweepScope.everything(Set.copyOf(deletedTopics));
            Sweep sweep = new Sweep(store, scope, new SweepPace(rate, LOG_BYTES_PER_SECOND, most, most), stopSignal);
            GcRun run = new GcRun(sweep, claim, logs, stopSignal, waits(new BlobLifetime(timeToLive, floor())));
            tellFloor();
            SweepReport found = timeToLive.isPresent() ? run.byAge(timeToLive.get()) : run.byLogs();
            Set<String> hidden = logs.hidden(found.unknownTopics());
            List<Holder> holders =
                    found.oldest().isPresent() ? Holder.of(found.oldest().get(), logs.admin()) : List.of();
            GcReport report = new GcReport(found, holders, hidden, floor(), executes());
            out.print(json ? report.json(store.location(), retention) : report.text());
            out.flush();
            return 0;
        }
    }

    private void hold(SweepClaim claim, String location, PrintWriter out) throws InterruptedException {
        Optional<String> contest = claim.contest();
        if (contest.isPresent()) {
            out.println("Nobody deletes from " + location + " already: " + contest.get() + ".");
        } else if (executes()) {
            claim.hold();
            out.println("Nobody deletes from " + location + " any more.");
        } else {
            out.println("Nobody would delete from " + location
                    + " any more. Nothing was changed, and sweeps go on; run it with --execute.");
        }
        out.flush();
    }

    private void tellFloor() {
        Duration usual = RetentionSettings.FLOOR.defaultValue();
        if (floor().compareTo(usual) < 0) {
            progress("Blobs from an age of " + seconds(floor()) + " on may be deleted (--floor; " + seconds(usual)
                    + " is usual). A mistake costs young blobs too, before anybody can stop it.");
        }
    }

    private GcRun.Waits waits(BlobLifetime lifetime) {
        return new GcRun.Waits(
                executes(),
                isOnlyCluster,
                writersStopped,
                lifetime,
                grace(),
                objection(),
                Optional.ofNullable(confirmed),
                this::progress);
    }

    /** A topic that the principal cannot see is not in the listing either. */
    private void requireDeleted(KafkaNotificationLogs logs) throws InterruptedException {
        Set<String> hidden = logs.hidden(Set.copyOf(deletedTopics));
        if (!hidden.isEmpty()) {
            throw new InvalidSettings("Cannot sweep: topics " + hidden
                    + " were not deleted, or this principal may not describe them. Check their names, and sweep as a"
                    + " principal that may describe and read all topics of the store.");
        }
    }

    private void progress(String line) {
        PrintWriter to = json ? spec.commandLine().getErr() : spec.commandLine().getOut();
        to.println(line);
        to.flush();
    }
}
