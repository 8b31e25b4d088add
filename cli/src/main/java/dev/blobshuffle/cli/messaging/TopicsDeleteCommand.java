package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.TopicState;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code blobshuffle messaging topics delete}.
 */
@Command(
        name = "delete",
        exitCodeList = {"0:done", "1:there is no such topic, or it failed"},
        mixinStandardHelpOptions = true,
        description = {
            "Deletes a topic with all its records. Publishes to it fail from then on; the next sweeps delete its blobs.",
            "Without --execute it only says what it would do."
        })
public final class TopicsDeleteCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    @Parameters(paramLabel = "TOPIC", description = "Its name.")
    private String name;

    @Option(names = "--execute", description = "Delete it instead of only reporting.")
    private boolean executes;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public TopicsDeleteCommand() {}

    @Override
    public Integer call() {
        return options.withLog("delete topic " + name, this::delete);
    }

    private int delete(OpenLog log, PrintWriter out) {
        Optional<LogTopic> topic = log.await(log.log().topics().find(name), "find topic " + name);
        Optional<TopicState> state = topic.flatMap(
                found -> Optional.ofNullable(log.states(List.of(found)).get(found.number())));
        long batches = state.map(ends -> ends.next() - ends.start()).orElse(0L);
        boolean isDeleted =
                executes && topic.isPresent() && log.await(log.log().topics().delete(name), "delete topic " + name);
        if (options.isJson()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("topic", name);
            json.put("exists", topic.isPresent());
            json.put("batches", batches);
            json.put("executed", isDeleted);
            out.print(Json.write(json));
        } else {
            out.print(text(topic.isPresent(), batches, isDeleted));
        }
        return topic.isPresent() && isDeleted == executes ? 0 : LogOptions.NOT_DONE;
    }

    private String text(boolean exists, long batches, boolean isDeleted) {
        String topic = "topic " + Shown.text(name);
        if (isDeleted) {
            return "Deleted " + topic + " with " + Shown.count(batches, "batch") + ".\n";
        }
        return exists && !executes
                ? "This would delete " + topic + " with " + Shown.count(batches, "batch")
                        + ".\nNothing was changed; run it with --execute.\n"
                : "There is no " + topic + ".\n";
    }
}
