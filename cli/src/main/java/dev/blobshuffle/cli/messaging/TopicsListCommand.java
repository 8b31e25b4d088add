package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.TopicState;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code blobshuffle messaging topics list}.
 */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = {
            "Lists the topics: partitions, retention, and the batches that the log keeps.",
            "Waiting: whether committed batches still wait for their place in the topic."
        })
public final class TopicsListCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public TopicsListCommand() {}

    @Override
    public Integer call() {
        return options.withLog("list topics", this::list);
    }

    private int list(OpenLog log, PrintWriter out) {
        List<LogTopic> topics = log.topics();
        Map<Integer, TopicState> states = log.states(topics);
        List<Map<String, Object>> objects = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("TOPIC", "PARTITIONS", "RETENTION", "BATCHES", "NEXT", "WAITING"));
        for (LogTopic topic : topics) {
            TopicState state = states.get(topic.number());
            if (state != null) { // A topic that was deleted meanwhile has no state.
                objects.add(json(topic, state));
                rows.add(row(topic, state));
            }
        }
        if (options.isJson()) {
            out.print(Json.write(Map.of("topics", objects)));
        } else {
            out.print(objects.isEmpty() ? "There are no topics.\n" : Shown.table(rows));
        }
        return 0;
    }

    private static List<String> row(LogTopic topic, TopicState state) {
        return List.of(
                Shown.text(topic.name()),
                String.valueOf(topic.partitions()),
                Shown.retention(topic.retention()),
                String.valueOf(state.next() - state.start()),
                String.valueOf(state.next()),
                state.isStaged() ? "yes" : "no");
    }

    private static Map<String, Object> json(LogTopic topic, TopicState state) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("topic", topic.name());
        json.put("partitions", topic.partitions());
        json.put("retention", Shown.retention(topic.retention()));
        json.put("first_sequence", state.start());
        json.put("next_sequence", state.next());
        json.put("batches", state.next() - state.start());
        json.put("waiting", state.isStaged());
        return json;
    }
}
