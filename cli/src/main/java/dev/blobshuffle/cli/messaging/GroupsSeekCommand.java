package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.log.internal.group.LogPartition;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code blobshuffle messaging groups seek}: moves a group's position in a topic. */
@Command(
        name = "seek",
        mixinStandardHelpOptions = true,
        description = {
            "Moves a group in a topic, forward or back. Its members must be stopped. A group that does not exist is created.",
            "A topic with retention=consumed then keeps the existing records that the group has not read.",
            "Without --execute it only says what it would do."
        })
public final class GroupsSeekCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    @Parameters(paramLabel = "GROUP", description = "The group.")
    private String name;

    @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "The topic.")
    private String topic;

    @Option(names = "--partition", paramLabel = "N", split = ",", description = "The partitions (default: all).")
    private List<Integer> partitions = new ArrayList<>();

    @Option(
            names = "--to",
            required = true,
            paramLabel = "start|end|AGO|TIME",
            converter = SeekTarget.Converter.class,
            description =
                    "The first record that exists, after the last one, or the first that was committed at a time or later:"
                            + " a time ago such as 15m or 2d, or a point in time such as 2026-01-31T12:00:00Z.")
    private SeekTarget to;

    @Option(names = "--execute", description = "Move it instead of only reporting.")
    private boolean executes;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public GroupsSeekCommand() {}

    @Override
    public Integer call() {
        return options.withLog("move group " + name, this::seek);
    }

    private int seek(OpenLog log, PrintWriter out) {
        LogTopic found = log.topic(topic);
        List<Integer> asked = partitions.isEmpty()
                ? IntStream.range(0, found.partitions()).boxed().toList()
                : partitions.stream().distinct().sorted().toList();
        for (int partition : asked) {
            if (partition < 0 || partition >= found.partitions()) {
                throw new InvalidSettingsException("Cannot move group " + name + ": topic " + topic
                        + " has no partition " + partition + ". Give 0 to " + (found.partitions() - 1) + ".");
            }
        }
        TopicState state = Optional.ofNullable(log.states(List.of(found)).get(found.number()))
                .orElseThrow(() -> new TopicAbsentException(
                        "Cannot move group " + name + ": topic " + topic + " was deleted meanwhile. Create it."));
        long target = Math.max(state.start(), sequence(log, found, state));
        if (executes) {
            Map<LogPartition, Long> positions = new TreeMap<>();
            long position = new LogPosition(target, 0).value();
            asked.forEach(partition -> positions.put(new LogPartition(found.number(), partition), position));
            Object done = log.await(
                    log.log().groups().seek(name, positions).thenApply(moved -> Boolean.TRUE), "move group " + name);
        }
        print(out, asked.size(), target, state);
        return 0;
    }

    private long sequence(OpenLog log, LogTopic found, TopicState state) {
        if (to instanceof SeekTarget.Start) {
            return state.start();
        }
        if (to instanceof SeekTarget.At at) {
            return sequenceAt(log, found, at.time());
        }
        if (to instanceof SeekTarget.Ago ago) {
            Instant now = log.await(log.log().retention().clock(), "ask the log for its clock");
            return sequenceAt(log, found, now.minus(ago.time()));
        }
        return state.next();
    }

    private long sequenceAt(OpenLog log, LogTopic found, Instant time) {
        return log.await(
                        log.log().topics().sequencesAt(Map.of(found.number(), time)),
                        "find the position of a time in " + topic)
                .getOrDefault(found.number(), 0L);
    }

    private void print(PrintWriter out, int count, long target, TopicState state) {
        if (options.isJson()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("group", name);
            json.put("topic", topic);
            json.put("partitions", count);
            json.put("sequence", target);
            json.put("lag", state.next() - target);
            json.put("executed", executes);
            out.print(Json.write(json));
            return;
        }
        String where = "batch " + target + " in " + Shown.count(count, "partition") + " of " + Shown.text(topic) + ", "
                + Shown.count(state.next() - target, "batch") + " before the end.";
        out.println(
                executes
                        ? "Group " + Shown.text(name) + " is now at " + where
                        : "Group " + Shown.text(name) + " would be at " + where + System.lineSeparator()
                                + "Nothing was changed; run it with --execute.");
    }
}
