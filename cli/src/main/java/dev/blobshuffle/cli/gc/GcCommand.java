package dev.blobshuffle.cli.gc;

import dev.blobshuffle.cli.brokers.BrokerOptions;
import dev.blobshuffle.cli.brokers.ClientFailure;
import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.cli.option.StoreOption;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.OwnerRegister;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.BlobLifetime;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.Sweep;
import dev.blobshuffle.core.internal.retention.SweepPace;
import dev.blobshuffle.core.internal.retention.SweepReport;
import dev.blobshuffle.core.internal.retention.SweepScope;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
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
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle gc}: deletes the blobs of a store that no notification references any more.
 */
@Command(
        name = "gc",
        exitCodeList = {"0:done", "1:it failed, and deleted nothing that it does not list"},
        mixinStandardHelpOptions = true,
        description = {
            "Deletes the blobs of a store to which no notification in Kafka refers any more.",
            "Goes through the owners of this cluster, each with its own blobs. Lists the blobs, waits for as long as the owner's",
            "members promise, and reads the topics that the blobs name. Before it deletes, it waits once more, so that live",
            "instances can object.",
            "Without --execute it only reports what it would delete, and what holds the oldest blob that stays.",
            "Applications delete their own blobs (blobshuffle.sweep.interval.ms); use this for the rest, or if they do not."
        })
public final class GcCommand implements Callable<Integer> {
    private static final long LOG_BYTES_PER_SECOND = 1L << 30;
    private static final Duration OBJECTION = Duration.ofMinutes(5);
    private static final Duration LEAST_OBJECTION = OwnerTiming.USUAL.check().multipliedBy(3);

    private static final List<String> OF_BROKERS = List.of(
            "--hold",
            "--deleted-topic",
            "--confirm",
            "--grace",
            "--objection",
            "--writers-stopped",
            "--retention",
            "--json");

    private static final List<String> NOT_OF_FLINK = Stream.concat(
                    OF_BROKERS.stream(), Stream.of("--leases", "--only-cluster", "--most"))
            .toList();

    private static final List<String> NOT_OF_LEASES =
            Stream.concat(OF_BROKERS.stream(), Stream.of("--forget", "--floor")).toList();

    @Spec
    private CommandSpec spec;

    @Mixin
    private BrokerOptions brokers;

    @Mixin
    private StoreOption storeOption;

    @Option(names = "--execute", description = "Delete instead of only reporting.")
    private boolean executes;

    @Option(
            names = "--retention",
            defaultValue = "needed",
            paramLabel = "needed|TIME",
            converter = Quantity.Retention.class,
            description =
                    "Which blobs stay, as in blobshuffle.retention: those that a notification refers to (default), or those that are"
                            + " younger than this time, even if readers still need older ones.")
    private String retention;

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description =
                    "Minimum time from the listing to the read of the logs (default: what the owner's members promise in the"
                            + " store's register, and 15 minutes). It can be shorter only with --writers-stopped.")
    private @Nullable Duration givenGrace;

    @Option(
            names = "--floor",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = {
                "Keep all blobs that are younger by the store's clock (default: 6h, as in",
                "blobshuffle.retention.floor.ms). With a lower value, a mistake may cost data before you can stop it."
            })
    private @Nullable Duration givenFloor;

    @Option(
            names = "--writers-stopped",
            description = "Confirms that no writer runs or will resume, so that waits may be shorter than promised.")
    private boolean writersStopped;

    @Option(
            names = "--deleted-topic",
            paramLabel = "TOPIC",
            description =
                    "A topic that was deleted for good, so that its blobs need not be kept. Refused for a topic that exists,"
                            + " or that the principal may not describe.")
    private List<String> deletedTopics = new ArrayList<>();

    @Option(
            names = "--objection",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description =
                    "How long to wait before deleting. Each live instance checks once a minute which cluster sweeps, and objects"
                            + " to another cluster than its own (default: 5m, at least 3m).")
    private @Nullable Duration givenObjection;

    @Option(
            names = "--confirm",
            paramLabel = "N",
            description = {
                "Delete although the sweep found a reason to stop, if it would delete no more than N blobs.",
                "N is the number that the run without --execute printed."
            })
    private @Nullable Integer confirmed;

    @Option(
            names = "--hold",
            description =
                    "Stop all sweeps of this store from deleting, and do nothing else. Without --execute it only reports whether"
                            + " sweeps may delete now.")
    private boolean isHeld;

    @Option(
            names = "--only-cluster",
            description = {
                "End a contest of this cluster after its copies are gone for good. Requires --execute.",
                "A live instance of a copy objects to this too."
            })
    private boolean isOnlyCluster;

    @Option(
            names = "--forget",
            paramLabel = "OWNER",
            description =
                    "Sweep an owner that no instance claims, and remove it from the register if no blob is left. Its blobs cannot"
                            + " be deleted otherwise. OWNER has 6 hexadecimal digits, as gc prints it.")
    private @Nullable String forgotten;

    @Option(
            names = "--leases",
            description = {
                "Delete only the blobs of applications with a lease, such as Spark's, whose lease has ended.",
                "It needs no brokers. With --execute it waits for a quarter of the longest lease that it finds to have ended."
            })
    private boolean isByLeases;

    @Option(
            names = "--flink",
            description =
                    "Only name the blobs of Flink jobs, which are below flink/ in the store. With --forget OWNER --execute it deletes"
                            + " all blobs of that job. The job has ended, and its checkpoints are not needed. It needs no brokers.")
    private boolean isOfFlink;

    @Option(
            names = "--rate",
            defaultValue = "2000",
            paramLabel = "N",
            description = "Maximum number of blobs to read and delete per second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(
            names = "--most",
            defaultValue = "10000000",
            paramLabel = "N",
            description =
                    "Maximum number of blobs per round, oldest first; further rounds, each with a grace period, sweep the rest"
                            + " (default: ${DEFAULT-VALUE}, which usually takes a few MiB of memory and at most 300).")
    private int most;

    @Option(names = "--json", description = "Print JSON; progress goes to standard error.")
    private boolean json;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public GcCommand() {}

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        int status = ExitStatus.FAILED;
        try (SystemTime time = new SystemTime()) {
            checkOptions();
            // Report wrong usage before unreachable brokers.
            String uri = storeOption.uri(brokers.config());
            if (isOfFlink) {
                return sweepJobs(uri, time);
            }
            return isByLeases ? sweepLeases(uri, time) : sweep(uri, brokers.client(), time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("Cannot sweep: interrupted. Run it again.");
        } catch (CompletionException e) {
            err.println(e.getCause() == null ? e.toString() : e.getCause().getMessage());
            status = ExitStatus.of(e.getCause() == null ? e : e.getCause());
        } catch (KafkaException e) {
            err.println(ClientFailure.text(e));
            status = ExitStatus.of(e);
        } catch (BlobShuffleException | IllegalStateException e) {
            err.println(e.getMessage());
            status = ExitStatus.of(e);
        }
        err.flush();
        return status;
    }

    private void checkOptions() {
        if (forgotten != null && !forgotten.matches("[0-9a-f]{6}")) {
            throw new InvalidSettingsException("Cannot forget '" + forgotten
                    + "': an owner has 6 hexadecimal digits, as gc prints it. No blob is kept for a group, so groups"
                    + " need not be forgotten: blobs are kept while notifications to them are in Kafka's logs.");
        }
        if (isOfFlink) {
            checkOptionsWithoutBrokers("--flink", "--forget, --floor, --rate and --execute", NOT_OF_FLINK);
        } else if (isByLeases) {
            checkOptionsWithoutBrokers("--leases", "--only-cluster, --rate, --most and --execute", NOT_OF_LEASES);
        }
        if (isOnlyCluster && !executes) {
            throw new InvalidSettingsException(
                    "Cannot sweep: --only-cluster changes the store's register and requires --execute. Give both.");
        }
        if (floor().isNegative()) {
            throw new InvalidSettingsException("Cannot sweep: --floor is " + seconds(floor()) + ". Give 0s or more.");
        }
        boolean isShort = objection().compareTo(LEAST_OBJECTION) < 0 && !writersStopped;
        if (objection().isNegative() || isShort) {
            throw new InvalidSettingsException("Cannot sweep: --objection is " + seconds(objection())
                    + ", and live instances check once a minute. Give " + seconds(LEAST_OBJECTION) + " or more.");
        }
        if (grace().orElse(Duration.ZERO).isNegative() || rate < 1 || most < 1) {
            throw new InvalidSettingsException("Cannot sweep: --grace is "
                    + grace().map(GcCommand::seconds).orElse("not given") + ", --rate " + rate + ", --most " + most
                    + ". Give 0 or more, 1 or more, and 1 or more.");
        }
        boolean isTooShort = grace().filter(given -> given.compareTo(RetentionSettings.COMMAND_GRACE) < 0)
                .isPresent();
        if (isTooShort && !writersStopped) {
            throw new InvalidSettingsException("Cannot sweep: --grace is "
                    + grace().map(GcCommand::seconds).orElse("")
                    + ", and a blob may be stored for longer before its notification is sent. Give "
                    + seconds(RetentionSettings.COMMAND_GRACE)
                    + " or more, or leave it out. For a store without writers see --writers-stopped.");
        }
    }

    /** Refuses options that a sweep without brokers would ignore. */
    private void checkOptionsWithoutBrokers(String mode, String ownOptions, List<String> ignored) {
        List<String> given = ignored.stream().filter(this::isGiven).toList();
        if (!given.isEmpty()) {
            throw new InvalidSettingsException("Cannot sweep: " + mode + " goes with " + ownOptions
                    + " only, because it asks no brokers and the blobs belong to no topic. Leave out "
                    + String.join(", ", given) + ".");
        }
    }

    private boolean isGiven(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    private Optional<Duration> grace() {
        return Optional.ofNullable(givenGrace);
    }

    private Duration floor() {
        return givenFloor == null ? RetentionSettings.FLOOR.defaultValue() : givenFloor;
    }

    private Duration objection() {
        return givenObjection == null ? OBJECTION : givenObjection;
    }

    private static String seconds(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
    }

    private int sweepLeases(String uri, SystemTime time) throws InterruptedException {
        try (BlobStore store =
                BlobStores.openUnchecked(uri, StoreContext.unmetered(time).existing())) {
            SweepPace pace = new SweepPace(rate, LOG_BYTES_PER_SECOND, most, most);
            LeasePass pass = new LeasePass(store, pace, new StopSignal(time), time);
            PrintWriter out = spec.commandLine().getOut();
            if (isOnlyCluster) {
                pass.settle();
            }
            if (executes) {
                pass.run(out);
            } else {
                pass.look(out);
            }
            return 0;
        }
    }

    private int sweepJobs(String uri, SystemTime time) throws InterruptedException {
        try (BlobStore store = BlobStores.openUnchecked(
                JobPass.place(uri), StoreContext.unmetered(time).existing())) {
            SweepPace pace = new SweepPace(rate, LOG_BYTES_PER_SECOND, most, most);
            JobPass pass = new JobPass(store, pace, time, spec.commandLine().getOut());
            if (forgotten == null) {
                pass.look();
            } else {
                pass.forget(Integer.parseInt(forgotten, 16), floor(), executes);
            }
            return 0;
        }
    }

    private int sweep(String uri, Map<String, Object> client, SystemTime time) throws InterruptedException {
        Optional<Duration> timeToLive = KafkaSettings.parse(Map.of(RetentionSettings.RETENTION.name(), retention))
                .value(RetentionSettings.RETENTION);
        PrintWriter out = spec.commandLine().getOut();
        StoreContext context = StoreContext.unmetered(time).existing();
        try (BlobStore store = BlobStores.openUnchecked(uri, context);
                KafkaNotificationLogs logs = new KafkaNotificationLogs(client, time)) {
            OwnerRegister register = new OwnerRegister(store, time);
            if (isHeld) {
                hold(register, store.location(), out);
                return 0;
            }
            requireDeleted(logs);
            StopSignal stopSignal = new StopSignal(time);
            OwnerRoll roll = new OwnerRoll(store, register, client, timing(), time);
            if (isOnlyCluster) {
                roll.settle();
            }
            List<OwnerPass> passes =
                    roll.passes(Optional.ofNullable(forgotten).map(word -> Integer.parseInt(word, 16)), executes);
            SweepPace pace = new SweepPace(rate, LOG_BYTES_PER_SECOND, most, most);
            Sweep sweep = new Sweep(store, SweepScope.everything(Set.copyOf(deletedTopics)), pace, stopSignal);
            GcRun run = new GcRun(store, sweep, logs, stopSignal, waits(timeToLive));
            reportFloor();
            SweepReport found = run.sweep(passes, roll.clock());
            Set<String> hidden = logs.hidden(found.unknownTopics());
            List<Holder> holders =
                    found.oldest().isPresent() ? Holder.of(found.oldest().get(), logs.admin()) : List.of();
            GcReport report = new GcReport(found, holders, hidden, floor(), executes, roll.lines(passes));
            out.print(json ? report.json(store.location(), retention) : report.text());
            out.flush();
            return 0;
        }
    }

    /** The time between steps: as long as promises require, or less if writers are stopped. */
    private OwnerTiming timing() {
        Duration least =
                grace().filter(given -> given.compareTo(objection()) > 0).orElse(objection());
        // A dry run needs no time for objections.
        Duration raise = executes ? objection() : Duration.ZERO;
        return writersStopped
                ? new OwnerTiming(raise.dividedBy(3), raise, Duration.ZERO, Optional.of(grace().orElse(Duration.ZERO)))
                : new OwnerTiming(least.dividedBy(3), least, RetentionSettings.LEAST_GRACE);
    }

    private void hold(OwnerRegister register, String location, PrintWriter out) throws InterruptedException {
        Map<String, String> contests = register.read().contests();
        if (!contests.isEmpty() && register.read().held("", Set.of()).contests().equals(contests)) {
            out.println("Sweeps already delete nothing from " + location + ": "
                    + contests.values().iterator().next() + ".");
        } else if (executes) {
            register.hold("held by an operator", Set.of());
            out.println("Sweeps delete nothing from " + location + " any more.");
        } else {
            out.println("Sweeps would delete nothing from " + location
                    + " any more. Nothing was changed; run it with --execute.");
        }
        out.flush();
    }

    private void reportFloor() {
        Duration usual = RetentionSettings.FLOOR.defaultValue();
        if (floor().compareTo(usual) < 0) {
            progress("Blobs of " + seconds(floor()) + " and older may be deleted (--floor; the default is "
                    + seconds(usual) + "). A mistake may delete young blobs before you can stop it.");
        }
    }

    private GcRun.Waits waits(Optional<Duration> timeToLive) {
        return new GcRun.Waits(
                executes,
                BlobLifetime.of(timeToLive, floor()),
                forgotten != null || writersStopped,
                Optional.ofNullable(confirmed),
                this::progress);
    }

    /**
     * Requires that topics are really deleted. The listing also omits topics that the principal
     * cannot see.
     */
    private void requireDeleted(KafkaNotificationLogs logs) throws InterruptedException {
        Set<String> hidden = logs.hidden(Set.copyOf(deletedTopics));
        if (!hidden.isEmpty()) {
            throw new InvalidSettingsException("Cannot sweep: topics " + hidden
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
