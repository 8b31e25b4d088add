package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * {@code blobshuffle messaging groups describe}.
 */
@Command(
        name = "describe",
        exitCodeList = {"0:done", "1:there is no such group, or the log does not answer"},
        mixinStandardHelpOptions = true,
        description = {
            "Shows a group's members and, per partition, its reader, the committed position and the lag.",
            "A position is the sequence of a batch in its topic, and the index of a record in it. Lag counts batches."
        })
public final class GroupsDescribeCommand implements Callable<Integer> {
    private static final long INDEXES = 1L << 24;

    @Mixin
    private LogOptions options;

    @Parameters(paramLabel = "GROUP", description = "Its name.")
    private String name;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public GroupsDescribeCommand() {}

    @Override
    public Integer call() {
        return options.withLog("describe group " + name, this::describe);
    }

    private int describe(OpenLog log, PrintWriter out) {
        Optional<GroupTable> found = GroupTable.find(log, name);
        if (found.isEmpty()) {
            out.print(
                    options.isJson()
                            ? Json.write(Map.of("group", name, "exists", false))
                            : "There is no group " + Shown.text(name) + ".\n");
            return LogOptions.NOT_DONE;
        }
        out.print(options.isJson() ? json(found.get()) : text(found.get()));
        return 0;
    }

    private String text(GroupTable table) {
        StringBuilder text = new StringBuilder();
        text.append("Group ").append(Shown.text(name)).append(", generation ");
        text.append(table.group().generation()).append(", ");
        text.append(Shown.count(table.group().members().size(), "member")).append("\n");
        table.group()
                .members()
                .forEach(member -> text.append("  ")
                        .append(member.id())
                        .append(" in zone ")
                        .append(Shown.text(member.zone().name()))
                        .append('\n'));
        if (!table.absent().isEmpty()) {
            text.append("  Members read topics that were deleted, by number: ")
                    .append(table.absent())
                    .append(". Their polls fail. Open their subscribers again.\n");
        }
        if (!table.rows().isEmpty()) {
            List<List<String>> rows = new ArrayList<>();
            rows.add(List.of("TOPIC", "PARTITION", "POSITION", "LAG", "MEMBER"));
            table.rows().forEach(row -> rows.add(row(row)));
            text.append('\n').append(Shown.table(rows));
        }
        return text.toString();
    }

    private static List<String> row(GroupTable.Row row) {
        OptionalLong position = row.partition().position();
        return List.of(
                Shown.text(row.topic().name()),
                String.valueOf(row.partition().partition().partition()),
                position.isEmpty() ? "-" : position.getAsLong() / INDEXES + ":" + position.getAsLong() % INDEXES,
                row.lag().isEmpty() ? "-" : row.lag().getAsLong() + (row.isTrimmed() ? " (deleted)" : ""),
                row.partition().owner().map(UUID::toString).orElse("-"));
    }

    private String json(GroupTable table) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("group", name);
        json.put("exists", true);
        json.put("generation", table.group().generation());
        json.put(
                "members",
                table.group().members().stream()
                        .map(member -> Map.<String, Object>of(
                                "member",
                                member.id().toString(),
                                "zone",
                                member.zone().name()))
                        .toList());
        json.put("deleted_topics", List.copyOf(table.absent()));
        json.put("partitions", table.rows().stream().map(this::json).toList());
        return Json.write(json);
    }

    private Map<String, @Nullable Object> json(GroupTable.Row row) {
        OptionalLong position = row.partition().position();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("topic", row.topic().name());
        json.put("partition", row.partition().partition().partition());
        json.put("position", position.isEmpty() ? null : position.getAsLong());
        json.put("sequence", position.isEmpty() ? null : position.getAsLong() / INDEXES);
        json.put("index", position.isEmpty() ? null : position.getAsLong() % INDEXES);
        json.put("lag", row.lag().isEmpty() ? null : row.lag().getAsLong());
        json.put("deleted", row.isTrimmed());
        json.put("member", row.partition().owner().map(UUID::toString).orElse(null));
        return json;
    }
}
