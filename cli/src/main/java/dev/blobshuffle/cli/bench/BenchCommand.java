package dev.blobshuffle.cli.bench;

import picocli.CommandLine.Command;

/** The command {@code blobshuffle bench}, which only has subcommands. */
@Command(
        name = "bench",
        description = "Measures whole applications, native against blobs, and stores.",
        mixinStandardHelpOptions = true,
        subcommands = {ShuffleCommand.class, StoreCommand.class},
        synopsisSubcommandLabel = "COMMAND")
public final class BenchCommand {
    /** For picocli. */
    public BenchCommand() {}
}
