package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.process.Directories;
import dev.blobshuffle.bench.report.Environment;
import dev.blobshuffle.bench.soak.SoakPlan;
import dev.blobshuffle.bench.soak.SoakReport;
import dev.blobshuffle.bench.soak.SoakRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench soak}: whether tables, indexes or the store of messaging
 * grow while retention removes as much as arrives.
 */
@Command(
        name = "soak",
        exitCodeList = {
            "0:nothing grew, and all records came once and in order per key",
            "1:otherwise, or something failed"
        },
        description = {
            "Messaging under a steady load and short retention: does the database or the store grow?",
            "Starts a server of its own."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class SoakCommand implements Callable<Integer> {
    private static final double MILLIS_PER_MINUTE = 60_000;

    @Option(names = "--minutes", defaultValue = "60", description = "How long.")
    private double minutes;

    @Option(names = "--sample-seconds", defaultValue = "60", description = "Between two samples.")
    private int sampleSeconds;

    @Option(names = "--retention-seconds", defaultValue = "60", description = "Of the topics.")
    private int retentionSeconds;

    @Option(names = "--small-rate", defaultValue = "300", description = "Records of 100 bytes per second and instance.")
    private int smallRate;

    @Option(names = "--large-rate", defaultValue = "10", description = "Records of 16 KiB per second and instance.")
    private int largeRate;

    @Mixin
    private ResultOutput output;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        SoakPlan plan = plan();
        Map<String, Object> environment = Environment.asJson();
        output.say("Takes " + plan.duration().toMinutes() + " minutes.");
        Path directory = Files.createTempDirectory("blobshuffle-bench-soak-");
        try {
            SoakReport report = new SoakRun(plan, directory, output::say).run();
            output.say("");
            output.say(report.text());
            output.write(environment, report.asJson());
            return report.isVerified() && report.grown().isEmpty() ? 0 : 1;
        } catch (IOException | SQLException | IllegalStateException e) {
            return output.failed(e);
        } finally {
            Directories.delete(directory);
        }
    }

    private SoakPlan plan() {
        try {
            return new SoakPlan(
                    Duration.ofMillis((long) (minutes * MILLIS_PER_MINUTE)),
                    Duration.ofSeconds(sampleSeconds),
                    Duration.ofSeconds(retentionSeconds),
                    smallRate,
                    largeRate);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }
}
