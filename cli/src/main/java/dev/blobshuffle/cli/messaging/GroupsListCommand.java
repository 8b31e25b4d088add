package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.cli.json.Json;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code blobshuffle messaging groups list}.
 */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = "Lists the names of the consumer groups. How far they are: blobshuffle messaging lag.")
public final class GroupsListCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public GroupsListCommand() {}

    @Override
    public Integer call() {
        return options.withLog("list groups", this::list);
    }

    private int list(OpenLog log, PrintWriter out) {
        List<String> groups = log.await(log.log().groups().list(), "list groups").stream()
                .sorted()
                .toList();
        if (options.isJson()) {
            out.print(Json.write(Map.of("groups", groups)));
        } else if (groups.isEmpty()) {
            out.println("There are no groups.");
        } else {
            groups.forEach(group -> out.println(Shown.text(group)));
        }
        return 0;
    }
}
