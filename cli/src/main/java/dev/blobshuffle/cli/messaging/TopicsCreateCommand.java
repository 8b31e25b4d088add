package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code blobshuffle messaging topics create}.
 */
@Command(
        name = "create",
        exitCodeList = {"0:created", "1:there is such a topic, or it failed"},
        mixinStandardHelpOptions = true,
        description = {"Creates a topic. A topic of that name stays as it is."})
public final class TopicsCreateCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    @Parameters(paramLabel = "TOPIC", description = "Its name.")
    private String name;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of partitions, which can grow but not shrink (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(
            names = "--retention",
            paramLabel = "forever|consumed|TIME",
            defaultValue = "forever",
            converter = RetentionOption.class,
            description =
                    "How long it keeps records: for ever, until every group that has read the topic has passed them, or for a time"
                            + " such as 24h or 7d (default: ${DEFAULT-VALUE}).")
    private RetentionRule retention;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public TopicsCreateCommand() {}

    @Override
    public Integer call() {
        return options.withLog("create topic " + name, this::create);
    }

    private int create(OpenLog log, PrintWriter out) {
        boolean isNew = log.await(log.log().topics().create(name, partitions, retention), "create topic " + name)
                .isPresent();
        LogTopic topic = log.topic(name);
        if (options.isJson()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("topic", topic.name());
            json.put("created", isNew);
            json.put("partitions", topic.partitions());
            json.put("retention", Shown.retention(topic.retention()));
            out.print(Json.write(json));
        } else {
            String shape = Shown.count(topic.partitions(), "partition") + ", retention "
                    + Shown.retention(topic.retention()) + ".";
            out.println(
                    isNew
                            ? "Topic " + Shown.text(name) + " is created: " + shape
                            : "Topic " + Shown.text(name) + " exists already: " + shape + " Nothing was changed.");
        }
        return isNew ? 0 : LogOptions.NOT_DONE;
    }
}
