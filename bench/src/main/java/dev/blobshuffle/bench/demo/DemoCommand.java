package dev.blobshuffle.bench.demo;

import dev.blobshuffle.bench.report.Environment;
import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle demo}: starts brokers and instances, runs one topology over a text natively
 * and through blobs, and prints the cost of each.
 */
@Command(
        name = "demo",
        exitCodeList = {"0:both outputs are equal", "1:they differ, or something failed"},
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        description = {
            "Runs a real topology over a real text, natively and through blobs, and compares.",
            "Word count, word count per minute (final windows) and a join, each of which shuffles; brokers and application",
            "instances are processes of their own. Takes about two minutes. Batches are never inlined (inline.max.bytes 0)."
        })
public final class DemoCommand implements Callable<Integer> {
    /** With this much text in the time of a run, the load is above break-even. */
    private static final long OWN_TEXT_BYTES = 2 << 20;

    @Spec
    private CommandSpec spec;

    @Option(names = "--input", paramLabel = "FILE_OR_DIR", description = "Text to read (default: two books).")
    private @Nullable Path input;

    @Option(names = "--zones", paramLabel = "N", defaultValue = "3", description = "Zones, each with a broker, 1 to 5.")
    private int zones;

    @Option(
            names = "--instances",
            paramLabel = "N",
            defaultValue = "3",
            description = "Application instances, dealt out over the zones, 1 to 24.")
    private int instances;

    @Option(
            names = "--instances-per-zone",
            paramLabel = "N",
            description = {
                "Application instances of each zone, instead of --instances; 2 or more.",
                "Runs a third time, with combine.enabled=auto, and compares the prices."
            })
    private @Nullable Integer instancesPerZone;

    @Option(
            names = "--guarantee",
            paramLabel = "GUARANTEE",
            defaultValue = "exactly_once_v2",
            description = "exactly_once_v2 or at_least_once.")
    private Guarantee guarantee;

    @Option(
            names = "--store",
            paramLabel = "DIR|URI",
            description = "Where the demo makes a store of its own (default: a temporary directory).")
    private @Nullable String store;

    @Option(names = "--keep-blobs", description = "No sweep in the end: blobs stay in --store, to be looked at.")
    private boolean keepsBlobs;

    @Option(
            names = "--keep-running",
            description = {
                "Leaves brokers, application and store up after the comparison, and prints commands to look at them.",
                "Ctrl-C ends everything."
            })
    private boolean keepsRunning;

    @Option(
            names = "--metrics-listen",
            paramLabel = "HOST:PORT",
            description = "Shows the first instance's metrics to Prometheus there, the others' at the following ports.")
    private @Nullable String metricsListen;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the comparison as JSON.")
    private @Nullable Path json;

    @Option(
            names = "--report",
            paramLabel = "FILE.html",
            description = "Writes the comparison as an HTML page with plots.")
    private @Nullable Path report;

    /** Made by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public DemoCommand() {}

    /** The values of {@code --guarantee}, as Kafka Streams names them. */
    enum Guarantee {
        exactly_once_v2,
        at_least_once
    }

    @Override
    public Integer call() {
        try (Workspace workspace = Workspace.open()) {
            try {
                return compare(workspace);
            } catch (DemoFailedException | BlobShuffleException e) {
                if (!workspace.isEnding()) {
                    spec.commandLine().getErr().println(e.getMessage());
                    spec.commandLine().getErr().flush();
                }
                return 1;
            }
        }
    }

    private int compare(Workspace workspace) {
        PrintWriter out = spec.commandLine().getOut();
        DemoOptions options;
        Text text;
        String storeUri;
        try {
            options = options();
            checkWritable(json);
            checkWritable(report);
            text = input == null ? Text.own().repeated(OWN_TEXT_BYTES) : Text.read(input);
            storeUri = checkedStore(workspace);
        } catch (DemoFailedException | InvalidSettingsException e) {
            spec.commandLine().getErr().println(e.getMessage());
            spec.commandLine().getErr().flush();
            return ExitStatus.WRONG_USAGE;
        }
        return compare(options, text, storeUri, workspace, out);
    }

    private DemoOptions options() {
        if (instancesPerZone != null && (instancesPerZone < 2 || keepsRunning)) {
            throw new DemoFailedException("Cannot run the demo: --instances-per-zone is " + instancesPerZone
                    + ". Give 2 or more, and no --keep-running: it keeps a single run.");
        }
        int count = instancesPerZone == null ? instances : zones * instancesPerZone;
        return new DemoOptions(
                zones,
                count,
                guarantee.name(),
                keepsBlobs || keepsRunning ? DemoOptions.Blobs.KEPT : DemoOptions.Blobs.DELETED,
                instancesPerZone == null ? DemoOptions.Combining.LEFT_OUT : DemoOptions.Combining.COMPARED,
                Optional.ofNullable(metricsListen)
                        .map(Endpoint::parse)
                        .or(() -> keepsRunning ? Optional.of(KeptDemo.freePorts(count)) : Optional.empty()));
    }

    private int compare(DemoOptions options, Text text, String storeUri, Workspace workspace, PrintWriter out) {
        if (!keepsBlobs) {
            workspace.whenInterrupted(() -> FinalSweep.deleteAll(storeUri));
        }
        Progress progress = new Progress(out);
        VariantResult nativeRun = new DemoRun(DemoVariant.NATIVE, options, text, storeUri, workspace, progress).run();
        DemoRun blobs = new DemoRun(DemoVariant.BLOBS, options, text, storeUri, workspace, progress);
        if (keepsRunning) {
            blobs.runAndStay(
                    blobRun -> report(DemoResult.of(options, text, nativeRun, blobRun)),
                    brokers -> KeptDemo.printCommands(options, brokers, storeUri, out));
        }
        VariantResult blobRun = blobs.run();
        DemoResult result = DemoResult.of(options, text, nativeRun, blobRun);
        if (options.combining() == DemoOptions.Combining.COMPARED) {
            String other = checkedStore(workspace);
            if (!keepsBlobs) {
                workspace.whenInterrupted(() -> FinalSweep.deleteAll(other));
            }
            result = result.and(new DemoRun(DemoVariant.COMBINED, options, text, other, workspace, progress).run());
        }
        progress.begin("comparing");
        return report(result) ? 0 : 1;
    }

    /** Prints and writes the comparison; whether the outputs are equal. */
    private boolean report(DemoResult result) {
        DemoTable.print(result, spec.commandLine().getOut());
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("environment", Environment.asJson());
        all.putAll(result.toJson());
        write(json, Json.write(all));
        write(report, DemoReport.html(result));
        return result.outputsEqual();
    }

    /** The store's URI. Checks the store first: writes, reads and deletes a blob. */
    private String checkedStore(Workspace workspace) {
        String chosen = store == null ? workspace.directory("blobs").toString() : store;
        String uri = chosen.contains("://")
                ? chosen
                : "file://" + Path.of(chosen).toAbsolutePath().normalize();
        if (uri.startsWith("memory:")) {
            throw new DemoFailedException("Cannot use store " + uri
                    + ": each instance would have a memory of its own. Give a directory or the URI of a shared store.");
        }
        try (SystemTime time = new SystemTime()) {
            String own = ownStore(uri, time.randomLong());
            BlobStores.open(own, time).close();
            return own;
        }
    }

    /**
     * A new store below the given one. The demo's brokers are new each time, so they own no
     * existing store.
     */
    private static String ownStore(String uri, long number) {
        int parameters = uri.indexOf('?');
        String place = parameters < 0 ? uri : uri.substring(0, parameters);
        String rest = parameters < 0 ? "" : uri.substring(parameters);
        String name = "demo-" + Long.toHexString(number);
        return (place.endsWith("/") ? place : place + "/") + name + rest;
    }

    private static void checkWritable(@Nullable Path file) {
        Path directory = file == null ? null : file.toAbsolutePath().getParent();
        if (directory != null && !Files.isWritable(directory) || file != null && Files.isDirectory(file)) {
            throw new DemoFailedException("Cannot write " + file
                    + ": it is a directory, or its directory is missing or not writable. Give another file.");
        }
    }

    private static void write(@Nullable Path file, String text) {
        if (file == null) {
            return;
        }
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new DemoFailedException("Cannot write " + file + ": " + e + ". Give another file.", e);
        }
    }
}
