package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.log.LogDesign;
import dev.blobshuffle.bench.log.LogPlan;
import dev.blobshuffle.bench.log.LogReport;
import dev.blobshuffle.bench.log.LogRunner;
import dev.blobshuffle.bench.log.LogServers;
import dev.blobshuffle.bench.report.Environment;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench log}: commits per second of the commit log in PostgreSQL,
 * beside a lock per topic and a row per partition on the same servers in the same run; the
 * write-ahead log per commit; and the time from an acknowledgement until a reader has the commit.
 * The content of each log is checked after each run.
 */
@Command(
        name = "log",
        exitCodeList = {"0:every log held what it had acknowledged, in order", "1:one did not, or something failed"},
        description = {
            "Commits per second and WAL of the commit log in PostgreSQL, beside two plainer designs.",
            "Starts servers of its own."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class LogCommand implements Callable<Integer> {
    private static final double MILLIS_PER_SECOND = 1000;
    private static final double NANOS_PER_MILLI = 1e6;

    @Option(
            names = "--designs",
            split = ",",
            defaultValue = "STAGED,TOPIC_LOCK,PARTITION_ROWS",
            description = "The commit log, a lock per topic, a row per partition.")
    private List<LogDesign> designs;

    @Option(
            names = "--standbys",
            split = ",",
            defaultValue = "NONE,SYNCHRONOUS",
            description = "Without and with a synchronous standby.")
    private List<LogPlan.Standby> standbys;

    @Option(
            names = "--snapshots",
            split = ",",
            defaultValue = "NONE,OLD",
            description = "Without and with a snapshot that another session holds.")
    private List<LogPlan.Snapshot> snapshots;

    @Option(
            names = "--standby-ms",
            defaultValue = "1",
            description = "Round trip to the standby: 1 is another zone of a region, 0 this machine.")
    private double standbyMillis;

    @Option(names = "--publishers", split = ",", defaultValue = "1,16,64", description = "Publishers at a time.")
    private List<Integer> publishers;

    @Option(names = "--rounds", defaultValue = "5", description = "Runs of each cell.")
    private int rounds;

    @Option(names = "--warm-up", paramLabel = "SECONDS", defaultValue = "1", description = "Before each run.")
    private double warmUp;

    @Option(names = "--seconds", defaultValue = "3", description = "Measured time of each run.")
    private double seconds;

    @Option(names = "--entries", paramLabel = "BYTES", defaultValue = "3400", description = "Entries of a commit.")
    private int entryBytes;

    @Option(
            names = "--wal",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "256,3400,25600,65536",
            description = "Sizes of entries whose WAL is counted.")
    private List<Integer> walBytes;

    @Option(names = "--read-rate", defaultValue = "100", description = "Commits per second while a reader follows.")
    private int readRate;

    @Option(
            names = "--read-seconds",
            defaultValue = "10",
            description = "How long a reader follows in each round; 0: not at all.")
    private double readSeconds;

    @Mixin
    private ResultOutput output;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        LogPlan plan = plan();
        Map<String, Object> environment = Environment.asJson();
        try (LogServers servers = new LogServers(millis(standbyMillis))) {
            output.say("Takes about " + LogRunner.estimate(plan).toMinutes() + " minutes.");
            LogReport report = new LogRunner(plan, servers, output::say).run();
            output.say("");
            spec.commandLine().getOut().print(report.text());
            output.say(
                    report.isVerified()
                            ? "Every log held what it had acknowledged, in order."
                            : "WRONG: a log lost, doubled or mixed up commits; its line above says which.");
            Map<String, Object> numbers = new LinkedHashMap<>();
            numbers.put("parameters", parameters());
            numbers.putAll(report.asJson());
            output.write(environment, numbers);
            return report.isVerified() ? 0 : 1;
        } catch (SQLException | IllegalStateException e) {
            return output.failed(e);
        }
    }

    private LogPlan plan() {
        try {
            return new LogPlan(
                    designs,
                    standbys,
                    snapshots,
                    publishers,
                    rounds,
                    millis(warmUp * MILLIS_PER_SECOND),
                    millis(seconds * MILLIS_PER_SECOND),
                    entryBytes,
                    walBytes,
                    readRate,
                    millis(readSeconds * MILLIS_PER_SECOND));
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private static Duration millis(double number) {
        return Duration.ofNanos((long) (number * NANOS_PER_MILLI));
    }

    private Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("rounds", rounds);
        parameters.put("standby_ms", standbyMillis);
        parameters.put("warm_up_seconds", warmUp);
        parameters.put("seconds", seconds);
        parameters.put("entry_bytes", entryBytes);
        parameters.put("read_rate", readRate);
        parameters.put("read_seconds", readSeconds);
        return parameters;
    }
}
