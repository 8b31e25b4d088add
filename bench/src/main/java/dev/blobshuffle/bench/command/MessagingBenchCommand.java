package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.messaging.MessagingPlan;
import dev.blobshuffle.bench.messaging.MessagingReport;
import dev.blobshuffle.bench.messaging.MessagingRunner;
import dev.blobshuffle.bench.messaging.MessagingServers;
import dev.blobshuffle.bench.messaging.MessagingSystem;
import dev.blobshuffle.bench.messaging.Workload;
import dev.blobshuffle.bench.messaging.WorkloadFile;
import dev.blobshuffle.bench.process.Directories;
import dev.blobshuffle.bench.report.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench messaging}: the same records through messaging and through
 * Kafka. The records that each group received are checked after each run.
 */
@Command(
        name = "messaging",
        exitCodeList = {"0:each group received all records, in order per key", "1:one did not, or something failed"},
        description = {
            "CPU, latency and throughput of messaging, beside Kafka with three brokers at replication 3.",
            "Starts servers of its own."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class MessagingBenchCommand implements Callable<Integer> {
    private static final double MILLIS_PER_SECOND = 1000;

    @Option(
            names = "--workload",
            paramLabel = "FILE",
            split = ",",
            required = true,
            description = "Workload files of the OpenMessaging Benchmark; some are in bench/workloads.")
    private List<Path> workloads;

    @Option(
            names = "--systems",
            split = ",",
            defaultValue = "BLOBSHUFFLE,KAFKA,KAFKA_TUNED,BLOBSHUFFLE_TRANSACTIONS",
            description = "What to compare, of ${COMPLETION-CANDIDATES}. Transactions run at the maximum rate only.")
    private List<MessagingSystem> systems;

    @Option(names = "--repeats", defaultValue = "1", description = "Rounds of all; numbers are medians.")
    private int repeats;

    @Option(names = "--warm-up", paramLabel = "SECONDS", description = "Instead of the files' times.")
    private @Nullable Double warmUp;

    @Option(names = "--seconds", description = "Measured time, instead of the files' times.")
    private @Nullable Double seconds;

    @Mixin
    private ResultOutput output;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        MessagingPlan plan = plan();
        Map<String, Object> environment = Environment.asJson();
        output.say("Takes about " + plan.estimate().toSeconds() + " s. Load averages: " + Environment.load() + ".");
        Path directory = Files.createTempDirectory("blobshuffle-bench-messaging-");
        try (MessagingServers servers = MessagingServers.start(directory)) {
            MessagingReport report = new MessagingRunner(plan, servers, directory, output::say).run();
            output.say("");
            output.say(report.text());
            output.say(
                    report.isVerified()
                            ? "Each group received all records, in order per key."
                            : "WRONG: records were lost, doubled or mixed up; a line above says which.");
            output.write(environment, report.asJson());
            return report.isVerified() ? 0 : 1;
        } catch (IOException | SQLException | IllegalStateException e) {
            return output.failed(e);
        } finally {
            Directories.delete(directory);
        }
    }

    private MessagingPlan plan() throws IOException {
        try {
            List<Workload> all = new ArrayList<>();
            for (Path file : workloads) {
                Workload read = WorkloadFile.read(file);
                all.add(read.lasting(
                        warmUp == null ? read.warmUp() : millis(warmUp),
                        seconds == null ? read.measured() : millis(seconds)));
            }
            return new MessagingPlan(all, systems, repeats);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private static Duration millis(double number) {
        return Duration.ofMillis(Math.round(number * MILLIS_PER_SECOND));
    }
}
