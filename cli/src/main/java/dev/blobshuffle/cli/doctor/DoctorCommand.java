package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.cli.brokers.BrokerOptions;
import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.cli.option.StoreOption;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreAbsentException;
import dev.blobshuffle.core.internal.claim.ClaimText;
import dev.blobshuffle.core.internal.store.directory.DirectoryRemoval;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreFinding.Level;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.messaging.internal.MessagingSettings;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle doctor}: runs live checks against a store, the brokers and an application's
 * settings. It performs the operations of an instance.
 */
@Command(
        name = "doctor",
        exitCodeList = {"0:no errors", "1:errors"},
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        description = {
            "Checks a store, brokers, a commit log and settings. Reports problems and their remedies.",
            "Puts, reads, lists and deletes small blobs of its own; changes nothing else, but --create --execute creates a store",
            "or adds directories to it, and --remove-directory --execute removes one.",
            "With --log and without a store it checks the log alone."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class DoctorCommand implements Callable<Integer> {
    private static final int MEBIBYTE = 1 << 20;
    private static final int MOST_BYTES = 64 * MEBIBYTE;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LEAST_TIMEOUT = Duration.ofSeconds(1);

    @Spec
    private CommandSpec spec;

    @Mixin
    private BrokerOptions brokers;

    @Mixin
    private StoreOption storeOption;

    @Option(
            names = "--log",
            paramLabel = "URI",
            description = "The commit log of messaging, as in blobshuffle.log (default: from --config or --profile).")
    private @Nullable String log;

    @Option(
            names = "--samples",
            defaultValue = "20",
            description = "Puts and gets to measure, for at most half a minute.")
    private int samples;

    @Option(
            names = "--blob-size",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "Size of the blobs to measure with (4MiB).")
    private @Nullable Double givenSize;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "Time limit of each request (30s).")
    private @Nullable Duration givenTimeout;

    @Option(
            names = "--create",
            description =
                    "Create the store if there is none. Check first that its directory is mounted, or that the bucket is the right"
                            + " one: readers cannot follow notifications that lead to another store. With all directories of a file store and"
                            + " new ones, it adds the new ones. Without --execute it only reports this.")
    private boolean creates;

    @Option(
            names = "--remove-directory",
            paramLabel = "ID",
            description =
                    "Remove a directory from a file store for good, by its id in the store's markers. --store names all the"
                            + " others. Move its marker aside and copy its blobs to another directory first. Without --execute it only reports this.")
    private @Nullable String removed;

    @Option(
            names = "--execute",
            description = "Create or change the store instead of only reporting. Requires --create or"
                    + " --remove-directory.")
    private boolean executes;

    @Option(
            names = "--class-path",
            paramLabel = "PATH",
            description =
                    "The application's class path, as java -cp has it, a directory of its jars, or a jar that holds them (Spring"
                            + " Boot, WAR, shaded): compares the versions of BlobShuffle, Kafka, the codecs, frameworks and stores' clients.")
    private @Nullable String classPath;

    @Option(names = "--json", description = "Prints JSON.")
    private boolean json;

    /** Created by the command line. */
    public DoctorCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        Asked asked;
        try {
            asked = asked();
        } catch (InvalidSettingsException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        Diagnosis diagnosis;
        try (SystemTime time = new SystemTime();
                BoundedWait patience = new BoundedWait(asked.timeout(), time)) {
            diagnosis = diagnose(asked, time, patience);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(json ? Json.write(diagnosis.asJson()) : diagnosis.text());
        out.flush();
        return diagnosis.count(Level.ERROR) == 0 ? 0 : 1;
    }

    /**
     * The subjects to check.
     *
     * @param store empty if only a log is specified
     * @param log empty if none is specified
     * @param client settings of Kafka clients; empty if no brokers are specified
     */
    private record Asked(
            Optional<String> store,
            Optional<String> log,
            int blobBytes,
            Duration timeout,
            Optional<Map<String, Object>> client) {}

    private Asked asked() {
        double size = givenSize == null ? 4.0 * MEBIBYTE : givenSize;
        Duration timeout = givenTimeout == null ? TIMEOUT : givenTimeout;
        if (samples < 1 || size < 1 || size > MOST_BYTES || timeout.compareTo(LEAST_TIMEOUT) < 0) {
            throw new InvalidSettingsException("Cannot measure: --samples must be 1 or more, --timeout 1s or more,"
                    + " --blob-size 1B to " + MOST_BYTES / MEBIBYTE + "MiB.");
        }
        if (executes && !creates && removed == null) {
            throw new InvalidSettingsException("Cannot execute: the doctor changes nothing without --create or"
                    + " --remove-directory. Give one of them, or neither.");
        }
        if (creates && removed != null) {
            throw new InvalidSettingsException(
                    "Cannot create and remove at once. Give one of --create and --remove-directory.");
        }
        Optional<Map<String, Object>> client = brokers.named().map(any -> brokers.client(timeout));
        Optional<String> namedLog = brokers.config().log(log);
        Optional<String> namedStore = namedLog.isPresent()
                ? storeOption.named(brokers.config())
                : Optional.of(storeOption.uri(brokers.config()));
        return new Asked(namedStore, namedLog, (int) Math.round(size), timeout, client);
    }

    private Diagnosis diagnose(Asked asked, SystemTime time, BoundedWait patience) throws InterruptedException {
        List<Finding> findings = new ArrayList<>();
        Measured measured = Measured.NOTHING;
        if (asked.store().isPresent()) {
            measured = checkStore(asked.store().get(), asked.blobBytes(), time, patience, findings);
        }
        Optional<Duration> mostTimeout = checkBrokers(asked, time, findings);
        if (asked.log().isPresent()) {
            findings.addAll(LogFindings.of(asked.log().get(), time, patience));
        }
        if (classPath != null) {
            findings.addAll(ClassPathAdvice.of(classPath));
        }
        if (brokers.config().isForApplication()) {
            try {
                addAdvice(measured, mostTimeout, asked.log().isPresent(), findings);
            } catch (InvalidSettingsException e) {
                findings.add(Finding.failed(Finding.SETTINGS, "form", e));
            }
        }
        return new Diagnosis(measured.location(), findings, measured.puts(), measured.gets());
    }

    /** The store's location and latencies; empty if it could not be opened. */
    private record Measured(Optional<String> location, Optional<ProbeTimes> puts, Optional<ProbeTimes> gets) {
        static final Measured NOTHING = new Measured(Optional.empty(), Optional.empty(), Optional.empty());
    }

    private Measured checkStore(
            String uri, int blobBytes, SystemTime time, BoundedWait patience, List<Finding> findings)
            throws InterruptedException {
        if (removed != null) {
            Finding removal = removal(uri, removed);
            findings.add(removal);
            if (removal.level() == Level.ERROR) {
                return Measured.NOTHING;
            }
        }
        StoreContext context = StoreContext.unmetered(time);
        StoreContext given = creates && executes ? context.extending() : context.existing();
        try (BlobStore opened = patience.call(() -> BlobStores.openUnchecked(uri, given))) {
            StoreCheckup checkup = new StoreCheckup(opened, time, patience);
            checkup.run(samples, blobBytes);
            findings.addAll(checkup.findings());
            return new Measured(Optional.of(opened.location()), checkup.puts(), checkup.gets());
        } catch (StoreAbsentException e) {
            findings.add(creates ? dryRun(uri) : Finding.failed(Finding.STORE, "open", e));
        } catch (BlobShuffleException e) {
            findings.add(Finding.failed(Finding.STORE, "open", e));
        }
        return Measured.NOTHING;
    }

    private Finding removal(String uri, String directory) {
        try {
            DirectoryRemoval removal = new DirectoryRemoval(
                    uri,
                    directory,
                    ClaimText.REGISTER,
                    ClaimText.NONE
                            .contested("the directory with the claims was removed from the store")
                            .text());
            if (!executes) {
                return Finding.error(
                        Finding.STORE,
                        "remove",
                        removal.description() + ". Nothing was changed",
                        "Check that its blobs are copied or lost, and run it with --execute.");
            }
            removal.execute();
            return Finding.ok(Finding.STORE, "remove", removal.description());
        } catch (BlobShuffleException e) {
            return Finding.failed(Finding.STORE, "remove", e);
        }
    }

    private void addAdvice(Measured measured, Optional<Duration> mostTimeout, boolean hasLog, List<Finding> findings) {
        Map<String, String> configuration = brokers.config().values();
        if (hasLog) {
            MessagingSettings.parse(configuration);
        } else {
            findings.addAll(CommitAdvice.of(CommitSettings.of(configuration), measured.puts(), mostTimeout));
            findings.add(RetentionAdvice.of(configuration));
        }
        findings.add(EncryptionAdvice.of(configuration));
        if (!hasLog) {
            findings.addAll(ClientAdvice.of(configuration));
        }
    }

    /**
     * An error finding. Otherwise the exit status would suggest that the store had been created.
     */
    private static Finding dryRun(String store) {
        return Finding.error(
                Finding.STORE,
                "create",
                "there is no store at " + store + ", and --create would create one. Nothing was changed",
                "Check that the place is the right one, and run it with --execute.");
    }

    /** The brokers' limit of transaction timeouts; empty if it is not checked or not reported. */
    private Optional<Duration> checkBrokers(Asked asked, SystemTime time, List<Finding> findings)
            throws InterruptedException {
        if (asked.client().isEmpty()) {
            return Optional.empty();
        }
        BrokerCheckup checkup =
                new BrokerCheckup(asked.client().get(), brokers.config().values(), asked.timeout(), time);
        checkup.run();
        findings.addAll(checkup.findings());
        return checkup.mostTransactionTimeout();
    }
}
