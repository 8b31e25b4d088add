package dev.blobshuffle.cli.bench;

import picocli.CommandLine.Command;

/** The command {@code blobshuffle bench}, which only has subcommands. */
@Command(
        name = "bench",
        description = "Measures whole applications on real brokers, native against blobs.",
        mixinStandardHelpOptions = true,
        subcommands = {ShuffleCommand.class},
        synopsisSubcommandLabel = "COMMAND")
public final class BenchCommand {
    /** For picocli. */
    public BenchCommand() {}
}
