package dev.blobshuffle.cli.drained;

import dev.blobshuffle.cli.brokers.ApplicationOptions;
import dev.blobshuffle.cli.brokers.BrokerOptions;
import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.log.LogScan;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle drained}: checks that an application has read every notification. Then clients
 * without BlobShuffle may return. They would take a notification for a record without a key and
 * drop it.
 */
@Command(
        name = "drained",
        exitCodeList = {"0:drained", "1:not drained, or it cannot be determined"},
        mixinStandardHelpOptions = true,
        description = {
            "Checks whether the committed offsets of an application have passed the last notification.",
            "Run it before you return to native clients, when every instance has blobshuffle.write.enabled=false.",
            "Under the classic group protocol it sees a running instance that still writes."
        })
public final class DrainedCommand implements Callable<Integer> {
    private static final int NOT_DRAINED = 1;

    @Spec
    private CommandSpec spec;

    @Mixin
    private BrokerOptions brokers;

    @Mixin
    private ApplicationOptions application;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public DrainedCommand() {}

    @Override
    public Integer call() {
        return brokers.ask(
                spec.commandLine().getErr(),
                () -> "Cannot determine whether " + application.id() + " is drained",
                time -> {
                    application.complete(brokers.config());
                    return check(brokers.client(), time);
                });
    }

    private int check(Map<String, Object> client, SystemTime time) throws ExecutionException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        DrainCheck.Result result;
        try (Admin admin = Admin.create(client)) {
            result = new DrainCheck(admin, new LogScan(client, "read_uncommitted", time))
                    .check(application.id(), application.topics());
        }
        if (result.partitions() == 0) {
            throw new InvalidSettingsException("no topic matches. Check --application-id"
                    + (application.namesTopics() ? " and --topics." : ", or name them with --topics."));
        }
        if (json) {
            out.print(Json.write(asJson(result)));
        } else {
            print(result, out);
        }
        out.flush();
        return result.isDrained() ? 0 : NOT_DRAINED;
    }

    private Map<String, Object> asJson(DrainCheck.Result result) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("application", application.id());
        json.put("drained", result.isDrained());
        json.put("writing", result.isWriting());
        json.put("partitions", result.partitions());
        json.put("left", result.left().stream().map(DrainCheck.Left::asJson).toList());
        return json;
    }

    private void print(DrainCheck.Result result, PrintWriter out) {
        result.left().forEach(left -> out.println(left.line()));
        if (result.isWriting()) {
            out.println("Not drained: a member of " + application.id() + " still writes notifications, and the group"
                    + " refuses native members. Set blobshuffle.write.enabled=false in every instance.");
        }
        out.println(
                result.left().isEmpty()
                        ? (result.isWriting() ? "For now " : "Drained: ") + application.id()
                                + " has passed the last notification in all " + result.partitions() + " partitions."
                        : "Not drained: notifications are left in "
                                + result.left().size() + " of " + result.partitions()
                                + " partitions. Let the application run with blobshuffle.write.enabled=false, and ask again.");
    }
}
