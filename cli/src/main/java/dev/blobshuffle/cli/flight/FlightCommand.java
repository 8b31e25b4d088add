package dev.blobshuffle.cli.flight;

import picocli.CommandLine.Command;

/** {@code blobshuffle flight}: the group of flight commands. */
@Command(
        name = "flight",
        mixinStandardHelpOptions = true,
        description = "Serves the Arrow blobs of batch shuffles to Arrow Flight clients.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {FlightServeCommand.class, FlightStatsCommand.class})
public final class FlightCommand {
    /** Created by the command line. */
    public FlightCommand() {}
}
