package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStores;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreFinding.Level;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle doctor}: whether a store, the brokers and an application's settings will do, found out by doing what an instance does. Exit status: 0 no errors, 1 errors, 2 wrong
 * usage.
 */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        description = {
            "Checks a store, brokers and settings, and says what to do about what it finds.",
            "Puts, reads, lists and deletes small blobs of its own; changes nothing else, but --create makes a store.",
            "Exit status: 0 without errors, 1 with errors."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class DoctorCommand implements Callable<Integer> {
    private static final String STORE = "blobshuffle.store";
    private static final String BROKERS = "bootstrap.servers";
    private static final int MAX_MEBIBYTES = 64;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--store",
            paramLabel = "URI",
            description = "The store, as in blobshuffle.store (default: from --config).")
    private @Nullable String store;

    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT,…",
            description = "The brokers (default: bootstrap.servers from --config; none: not checked).")
    private @Nullable String bootstrap;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Properties of the application: its settings are held against the store's latency.")
    private @Nullable Path config;

    @Option(
            names = "--command-config",
            paramLabel = "FILE",
            description = "Properties of the Kafka clients, for example security.")
    private @Nullable Path commandConfig;

    @Option(
            names = "--samples",
            defaultValue = "20",
            description = "Puts and gets to measure, for at most half a minute.")
    private int samples;

    @Option(names = "--mib", defaultValue = "4", description = "Size of the blobs to measure with, MiB.")
    private int mebibytes;

    @Option(names = "--timeout-seconds", defaultValue = "30", description = "How long any one answer may take.")
    private int timeoutSeconds;

    @Option(
            names = "--create",
            description = {
                "Make the store if there is none. Check first that its directory is mounted, or that the bucket is the right",
                "one: readers cannot follow notifications that lead to another store."
            })
    private boolean creates;

    @Option(names = "--json", description = "Prints JSON.")
    private boolean json;

    /** Made by the command line. */
    public DoctorCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        if (samples < 1 || mebibytes < 1 || mebibytes > MAX_MEBIBYTES || timeoutSeconds < 1) {
            throw invalid("Cannot measure: --samples and --timeout-seconds must be 1 or more, --mib 1 to "
                    + MAX_MEBIBYTES + ".");
        }
        Map<String, String> configuration = configuration(config, "--config");
        String uri = store != null ? store : configuration.get(STORE);
        if (uri == null) {
            throw invalid("Cannot check a store: none is named. Give --store, or --config with " + STORE + ".");
        }
        Diagnosis diagnosis;
        try (SystemTime time = new SystemTime();
                Patience patience = new Patience(Duration.ofSeconds(timeoutSeconds), time)) {
            diagnosis = diagnose(uri, configuration, time, patience);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(json ? Json.write(diagnosis.asJson()) : diagnosis.text());
        out.flush();
        return diagnosis.count(Level.ERROR) == 0 ? 0 : 1;
    }

    private CommandLine.ParameterException invalid(String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }

    private Diagnosis diagnose(String uri, Map<String, String> configuration, SystemTime time, Patience patience)
            throws InterruptedException {
        List<Finding> findings = new ArrayList<>();
        Optional<String> location = Optional.empty();
        Optional<Latencies> puts = Optional.empty();
        Optional<Latencies> gets = Optional.empty();
        StoreContext context = StoreContext.unmetered(time);
        StoreContext given = creates ? context : context.existing();
        try (BlobStore opened = patience.call(() -> BlobStores.openUnchecked(uri, given))) {
            location = Optional.of(opened.location());
            StoreCheckup checkup = new StoreCheckup(opened, time, patience);
            checkup.run(samples, mebibytes << 20);
            findings.addAll(checkup.findings());
            puts = checkup.puts();
            gets = checkup.gets();
        } catch (BlobShuffleException e) {
            findings.add(Finding.failed(Finding.STORE, "open", e));
        }
        Optional<Duration> mostTimeout = checkBrokers(configuration, time, findings);
        if (config != null) {
            try {
                findings.addAll(CommitAdvice.of(CommitSettings.of(configuration), puts, mostTimeout));
                findings.add(RetentionAdvice.of(configuration));
                findings.add(EncryptionAdvice.of(configuration));
            } catch (InvalidSettings e) {
                findings.add(Finding.failed(Finding.SETTINGS, "form", e));
            }
        }
        return new Diagnosis(location, findings, puts, gets);
    }

    /** The brokers' limit of transaction timeouts, if they were asked and said. */
    private Optional<Duration> checkBrokers(Map<String, String> configuration, SystemTime time, List<Finding> findings)
            throws InterruptedException {
        String brokers = bootstrap != null ? bootstrap : configuration.get(BROKERS);
        if (brokers == null) {
            return Optional.empty();
        }
        Map<String, Object> client = new HashMap<>(configuration(commandConfig, "--command-config"));
        client.put(BROKERS, brokers);
        client.putIfAbsent("default.api.timeout.ms", timeoutSeconds * 1000);
        client.putIfAbsent("request.timeout.ms", Math.min(10, timeoutSeconds) * 1000);
        BrokerCheckup checkup = new BrokerCheckup(client, Duration.ofSeconds(timeoutSeconds), time);
        checkup.run();
        findings.addAll(checkup.findings());
        return checkup.mostTransactionTimeout();
    }

    private Map<String, String> configuration(@Nullable Path file, String option) {
        Map<String, String> configuration = new HashMap<>();
        if (file != null) {
            Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                properties.load(reader);
            } catch (IOException | IllegalArgumentException e) {
                throw invalid("Cannot read " + option + ": " + e + ". Give a properties file.");
            }
            properties.stringPropertyNames().forEach(name -> configuration.put(name, properties.getProperty(name)));
        }
        return configuration;
    }
}
