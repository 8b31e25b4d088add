package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.log.internal.group.GroupDescription;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code blobshuffle messaging lag}: prints how far groups are behind. */
@Command(
        name = "lag",
        exitCodeList = {"0:done", "1:there is no such group, or the log does not answer"},
        mixinStandardHelpOptions = true,
        description = {
            "Shows how far groups are behind in each topic.",
            "The lag is the batches after the slowest partition's position, and how long ago the first of them was committed."
        })
public final class LagCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    @Option(names = "--group", paramLabel = "GROUP", split = ",", description = "The groups (default: all).")
    private List<String> groups = new ArrayList<>();

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public LagCommand() {}

    /**
     * A group in a topic.
     *
     * @param read partitions that a member reads
     * @param lag batches that the slowest partition has not read; empty if no partition has a
     *     position
     * @param age of the first of these batches; empty if there is none, or it is deleted
     * @param isTrimmed whether retention has deleted some of them
     * @param isStaged whether committed batches after them have no sequence yet
     */
    private record Line(
            String group,
            int members,
            LogTopic topic,
            int read,
            OptionalLong lag,
            Optional<Duration> age,
            boolean isTrimmed,
            boolean isStaged) {}

    @Override
    public Integer call() {
        return options.withLog("show the lag of groups", this::lag);
    }

    private int lag(OpenLog log, PrintWriter out) {
        List<String> names = groups.isEmpty()
                ? log.await(log.log().groups().list(), "list groups").stream()
                        .sorted()
                        .toList()
                : groups;
        List<LogTopic> topics = log.topics();
        Map<Integer, TopicState> states = log.states(topics);
        Instant now = log.await(log.log().retention().clock(), "ask the log for its clock");
        List<Line> lines = new ArrayList<>();
        List<String> absent = new ArrayList<>();
        for (String name : names) {
            Optional<GroupDescription> group = log.await(log.log().groups().describe(name), "describe group " + name);
            if (group.isEmpty()) {
                absent.add(name);
            } else {
                lines.addAll(lines(log, GroupTable.of(group.get(), topics, states), now));
            }
        }
        out.print(options.isJson() ? json(lines, absent) : text(lines, absent));
        // A group that was deleted after the listing is not an error.
        return groups.isEmpty() || absent.isEmpty() ? 0 : LogOptions.NOT_DONE;
    }

    private List<Line> lines(OpenLog log, GroupTable table, Instant now) {
        Map<String, List<GroupTable.Row>> byTopic = new TreeMap<>();
        table.rows()
                .forEach(row -> byTopic.computeIfAbsent(row.topic().name(), name -> new ArrayList<>())
                        .add(row));
        List<Line> lines = new ArrayList<>();
        byTopic.forEach((name, rows) -> lines.add(line(log, table.group(), rows, now)));
        return lines;
    }

    private Line line(OpenLog log, GroupDescription group, List<GroupTable.Row> rows, Instant now) {
        LogTopic topic = rows.get(0).topic();
        TopicState state = rows.get(0).state();
        OptionalLong first = first(rows, state);
        Optional<Duration> age = Optional.empty();
        if (first.isPresent() && first.getAsLong() < state.next() && first.getAsLong() >= state.start()) {
            age = committed(log, topic, first.getAsLong()).map(at -> Duration.between(at, now));
        }
        OptionalLong lag =
                first.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Math.max(0, state.next() - first.getAsLong()));
        int read = (int)
                rows.stream().filter(row -> row.partition().owner().isPresent()).count();
        boolean isTrimmed = rows.stream().anyMatch(GroupTable.Row::isTrimmed);
        return new Line(group.group(), group.members().size(), topic, read, lag, age, isTrimmed, state.isStaged());
    }

    /**
     * The first unread batch. A partition without a position counts from the topic's start, unless
     * none has a position.
     */
    private static OptionalLong first(List<GroupTable.Row> rows, TopicState state) {
        if (rows.stream().allMatch(row -> row.sequence().isEmpty())) {
            return OptionalLong.empty();
        }
        return rows.stream()
                .mapToLong(row -> row.sequence().orElse(state.start()))
                .min();
    }

    private static Optional<Instant> committed(OpenLog log, LogTopic topic, long sequence) {
        ReadRequest request = new ReadRequest(topic.number(), sequence, 1, 1, Optional.empty());
        List<SequencedBatch> batches = log.await(log.log().read(request), "read topic " + topic.name());
        return batches.stream().findFirst().map(batch -> Instant.ofEpochMilli(batch.committedMillis()));
    }

    private static String text(List<Line> lines, List<String> absent) {
        StringBuilder text = new StringBuilder();
        absent.forEach(name ->
                text.append("There is no group ").append(Shown.text(name)).append(".\n"));
        if (lines.isEmpty()) {
            return text.append(absent.isEmpty() ? "No group has a position.\n" : "")
                    .toString();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("GROUP", "TOPIC", "MEMBERS", "READ", "LAG", "BEHIND", "STAGED"));
        lines.forEach(line -> rows.add(List.of(
                Shown.text(line.group()),
                Shown.text(line.topic().name()),
                String.valueOf(line.members()),
                line.read() + "/" + line.topic().partitions(),
                line.lag().isEmpty() ? "-" : String.valueOf(line.lag().getAsLong()),
                line.isTrimmed()
                        ? "deleted"
                        : line.age().map(LagCommand::seconds).orElse("-"),
                line.isStaged() ? "yes" : "-")));
        return text.append(Shown.table(rows)).toString();
    }

    private static String seconds(Duration age) {
        return Math.max(0, age.toSeconds()) + "s";
    }

    private static String json(List<Line> lines, List<String> absent) {
        List<Map<String, @Nullable Object>> shown = new ArrayList<>();
        for (Line line : lines) {
            Map<String, @Nullable Object> json = new LinkedHashMap<>();
            json.put("group", line.group());
            json.put("topic", line.topic().name());
            json.put("members", line.members());
            json.put("partitions", line.topic().partitions());
            json.put("partitions_read", line.read());
            json.put("lag", line.lag().isEmpty() ? null : line.lag().getAsLong());
            json.put("behind_ms", line.age().map(Duration::toMillis).orElse(null));
            json.put("deleted", line.isTrimmed());
            json.put("staged", line.isStaged());
            shown.add(json);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("lag", shown);
        if (!absent.isEmpty()) {
            json.put("absent_groups", absent);
        }
        return Json.write(json);
    }
}
