package dev.blobshuffle.bench.demo.messaging;

import dev.blobshuffle.bench.demo.DemoFailedException;
import dev.blobshuffle.bench.demo.Progress;
import dev.blobshuffle.bench.demo.Workspace;
import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.core.failure.BlobShuffleException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle demo messaging}: publishers and subscribers without brokers, over a store and
 * PostgreSQL.
 */
@Command(
        name = "messaging",
        exitCodeList = {"0:each record arrived exactly once and in order", "1:one did not, or something failed"},
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        description = {
            "Publishes and subscribes without brokers, kills processes and the database, and checks every record.",
            "Each zone has a publisher and a subscriber, processes of their own. PostgreSQL has a synchronous standby.",
            "Subscribers write a table and publish receipts in transactions. Takes about a minute."
        })
public final class MessagingDemoCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--zones", paramLabel = "N", defaultValue = "3", description = "Zones, 2 to 5.")
    private int zones;

    @Option(
            names = "--rate",
            paramLabel = "RECORDS",
            defaultValue = "300",
            description = "Records per second of each publisher.")
    private int rate;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            defaultValue = "7",
            description = "Time between two faults; four times in all.")
    private int seconds;

    @Option(
            names = "--store",
            paramLabel = "DIR|URI|s3sim",
            description =
                    "Where the demo makes a store of its own (default: a temporary directory); s3sim: simulated S3.")
    private @Nullable String store;

    @Option(
            names = "--faults",
            paramLabel = "N",
            defaultValue = "0",
            description = "Faults drawn from --seed, instead of two kills and a failover.")
    private int faults;

    @Option(names = "--seed", paramLabel = "SEED", defaultValue = "1", description = "Seed of --faults.")
    private long seed;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the result as JSON.")
    private @Nullable Path json;

    /** Made by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public MessagingDemoCommand() {}

    @Override
    public Integer call() {
        try (Workspace workspace = Workspace.open()) {
            MessagingOptions options;
            try {
                options = new MessagingOptions(zones, rate, Duration.ofSeconds(seconds), faults, seed);
                checkWritable();
            } catch (DemoFailedException e) {
                spec.commandLine().getErr().println(e.getMessage());
                spec.commandLine().getErr().flush();
                return ExitStatus.WRONG_USAGE;
            }
            try {
                return run(options, workspace);
            } catch (DemoFailedException | BlobShuffleException | IllegalStateException e) {
                if (!workspace.isEnding()) {
                    spec.commandLine().getErr().println(e.getMessage());
                    spec.commandLine().getErr().flush();
                }
                return ExitStatus.of(e);
            }
        }
    }

    private int run(MessagingOptions options, Workspace workspace) {
        PrintWriter out = spec.commandLine().getOut();
        Progress progress = new Progress(out);
        String chosen = store == null ? workspace.directory("blobs").toString() : store;
        try (DemoStore opened = DemoStore.open(chosen)) {
            MessagingResult result = new MessagingRun(options, workspace, progress).run(opened);
            out.println();
            result.lines().forEach(out::println);
            out.println(
                    result.isExact()
                            ? "Every record arrived exactly once and in order."
                            : "WRONG: records were lost, doubled or out of order.");
            out.flush();
            write(result);
            return result.isExact() ? 0 : 1;
        }
    }

    private void checkWritable() {
        Path parent = json == null ? null : json.toAbsolutePath().getParent();
        if (parent != null && !Files.isWritable(parent) || json != null && Files.isDirectory(json)) {
            throw new DemoFailedException("Cannot write " + json
                    + ": it is a directory, or its directory is missing or not writable. Give another file.");
        }
    }

    private void write(MessagingResult result) {
        if (json == null) {
            return;
        }
        try {
            Files.writeString(json, Json.write(result.asJson()));
        } catch (IOException e) {
            throw new DemoFailedException("Cannot write " + json + ": " + e + ". Give another file.", e);
        }
    }
}
