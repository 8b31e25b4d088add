package dev.blobshuffle.cli.drained;

import dev.blobshuffle.cli.brokers.BrokerOptions;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.log.LogScan;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle drained}: whether an application has read every notification, so that clients
 * that do not know notifications may come back: they would take one for a record without a key and
 * drop it. Exit status: 0 drained, 1 not drained, 2 when it cannot be told.
 */
@Command(
        name = "drained",
        mixinStandardHelpOptions = true,
        exitCodeOnInvalidInput = 2,
        exitCodeOnExecutionException = 2,
        description = {
            "Tells whether the committed offsets of an application have passed the last notification.",
            "The check before native clients come back: run it when every instance has blobshuffle.write.enabled=false.",
            "Under the classic group protocol it sees a running instance that still writes.",
            "Exit status: 0 drained, 1 not drained, 2 if it cannot be told."
        })
public final class DrainedCommand implements Callable<Integer> {
    private static final int NOT_DRAINED = 1;
    private static final int UNKNOWN = 2;

    @Spec
    private CommandSpec spec;

    @Mixin
    private BrokerOptions brokers;

    @Option(
            names = "--application-id",
            required = true,
            paramLabel = "ID",
            description = "The application.id, or the group.id of a plain consumer (then with --topics).")
    private String applicationId;

    @Option(
            names = "--topics",
            paramLabel = "PATTERN",
            split = ",",
            description = "The topics, as in blobshuffle.topics.include (default: internal repartition topics).")
    private @Nullable List<String> topics;

    /** Made by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public DrainedCommand() {}

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        try {
            return check(brokers.client());
        } catch (ExecutionException e) {
            err.println("Cannot ask the brokers at " + brokers.bootstrap() + ": " + e.getCause()
                    + ". Check --bootstrap and --config.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("Cannot tell whether " + applicationId + " is drained: interrupted. Run it again.");
        } catch (InvalidSettings | KafkaException | IllegalStateException e) {
            String cause = e.getCause() == null ? "" : " (" + e.getCause().getMessage() + ")";
            err.println("Cannot tell whether " + applicationId + " is drained: " + e.getMessage() + cause);
        }
        err.flush();
        return UNKNOWN;
    }

    private int check(Map<String, Object> client) throws ExecutionException, InterruptedException {
        TopicMatcher matcher = topics == null
                ? TopicMatcher.repartitionTopics(applicationId, List.of())
                : TopicMatcher.of(topics, List.of());
        PrintWriter out = spec.commandLine().getOut();
        DrainCheck.Result result;
        try (SystemTime time = new SystemTime();
                Admin admin = Admin.create(client)) {
            result = new DrainCheck(admin, new LogScan(client, "read_uncommitted", time)).check(applicationId, matcher);
        }
        if (result.partitions() == 0) {
            throw new InvalidSettings("no topic matches. Check --application-id"
                    + (topics == null ? ", or name them with --topics." : " and --topics."));
        }
        result.left().forEach(left -> out.println(left.line()));
        if (result.isWriting()) {
            out.println("Not drained: a member of " + applicationId + " still writes notifications, and the group"
                    + " refuses native members. Set blobshuffle.write.enabled=false in every instance.");
        }
        out.println(
                result.left().isEmpty()
                        ? (result.isWriting() ? "For now " : "Drained: ") + applicationId
                                + " has passed the last notification in all " + result.partitions() + " partitions."
                        : "Not drained: notifications are left in "
                                + result.left().size() + " of " + result.partitions()
                                + " partitions. Let the application run with blobshuffle.write.enabled=false, and ask again.");
        out.flush();
        return result.isDrained() ? 0 : NOT_DRAINED;
    }
}
