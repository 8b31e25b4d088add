package dev.blobshuffle.cli.messaging;

import picocli.CommandLine.Command;

/** {@code blobshuffle messaging}: the commands for topics without brokers. */
@Command(
        name = "messaging",
        mixinStandardHelpOptions = true,
        description = {
            "Manages topics without brokers: their commit log in PostgreSQL, their records in a store.",
            "Begin with setup, then create a topic. 'blobshuffle doctor --log URI' checks the database."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            SetupCommand.class,
            TopicsCommand.class,
            GroupsCommand.class,
            LagCommand.class,
            TailCommand.class,
            ProduceCommand.class,
            ConsumeCommand.class,
            MessagingGcCommand.class
        })
public final class MessagingCommand {
    /** Created by the command line. */
    public MessagingCommand() {}
}
