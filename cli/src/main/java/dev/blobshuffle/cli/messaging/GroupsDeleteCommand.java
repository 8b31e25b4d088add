package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code blobshuffle messaging groups delete}.
 */
@Command(
        name = "delete",
        exitCodeList = {"0:done", "1:there is no such group, or it failed"},
        mixinStandardHelpOptions = true,
        description = {
            "Deletes a group and its positions.",
            "Its members must be stopped. A topic with retention=consumed then no longer waits for it.",
            "Without --execute it only says what it would do."
        })
public final class GroupsDeleteCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    @Parameters(paramLabel = "GROUP", description = "Its name.")
    private String name;

    @Option(names = "--execute", description = "Delete it instead of only reporting.")
    private boolean executes;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public GroupsDeleteCommand() {}

    @Override
    public Integer call() {
        return options.withLog("delete group " + name, this::delete);
    }

    private int delete(OpenLog log, PrintWriter out) {
        Optional<GroupTable> found = GroupTable.find(log, name);
        boolean isDeleted =
                executes && found.isPresent() && log.await(log.log().groups().delete(name), "delete group " + name);
        int members = found.map(table -> table.group().members().size()).orElse(0);
        int partitions = found.map(table -> table.rows().size()).orElse(0);
        if (options.isJson()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("group", name);
            json.put("exists", found.isPresent());
            json.put("members", members);
            json.put("partitions", partitions);
            json.put("executed", isDeleted);
            out.print(Json.write(json));
        } else {
            out.print(text(found.isPresent(), members, partitions, isDeleted));
        }
        return found.isPresent() && isDeleted == executes ? 0 : LogOptions.NOT_DONE;
    }

    private String text(boolean exists, int members, int partitions, boolean isDeleted) {
        String group = "group " + Shown.text(name);
        if (isDeleted) {
            return "Deleted " + group + " with positions in " + Shown.count(partitions, "partition") + ".\n";
        }
        if (!exists || executes) {
            return "There is no " + group + ".\n";
        }
        return "This would delete " + group + " with positions in " + Shown.count(partitions, "partition") + "."
                + (members > 0 ? " It has " + Shown.count(members, "member") + ": stop them first." : "")
                + "\nNothing was changed; run it with --execute.\n";
    }
}
