package dev.blobshuffle.cli.messaging;

import picocli.CommandLine.Command;

/** {@code blobshuffle messaging groups}: the commands for groups. */
@Command(
        name = "groups",
        mixinStandardHelpOptions = true,
        description = "Lists, describes, moves and deletes consumer groups.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            GroupsListCommand.class,
            GroupsDescribeCommand.class,
            GroupsSeekCommand.class,
            GroupsDeleteCommand.class
        })
public final class GroupsCommand {
    /** Created by the command line. */
    public GroupsCommand() {}
}
