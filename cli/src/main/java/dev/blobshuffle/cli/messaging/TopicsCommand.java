package dev.blobshuffle.cli.messaging;

import picocli.CommandLine.Command;

/** {@code blobshuffle messaging topics}: the commands for topics. */
@Command(
        name = "topics",
        mixinStandardHelpOptions = true,
        description = "Lists, creates, changes and deletes topics.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            TopicsListCommand.class,
            TopicsCreateCommand.class,
            TopicsChangeCommand.class,
            TopicsDeleteCommand.class
        })
public final class TopicsCommand {
    /** Created by the command line. */
    public TopicsCommand() {}
}
