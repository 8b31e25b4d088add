package dev.blobshuffle.cli.flight;

import picocli.CommandLine.Command;

/** {@code blobshuffle flight}: what its subcommands do. */
@Command(
        name = "flight",
        mixinStandardHelpOptions = true,
        description = "Serves the Arrow blobs of batch shuffles to Arrow Flight clients.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {FlightServeCommand.class, FlightStatsCommand.class})
public final class FlightCommand {
    /** Made by the command line. */
    public FlightCommand() {}
}
