package dev.blobshuffle.bench.command;

import picocli.CommandLine.Command;

/** The command {@code blobshuffle bench}, which only has subcommands. */
@Command(
        name = "bench",
        description =
                "Measures whole applications, native against blobs, stores, caches that members share, target latencies, and slow functions.",
        mixinStandardHelpOptions = true,
        subcommands = {
            QuickCommand.class,
            SuiteCommand.class,
            ShuffleCommand.class,
            RunCommand.class,
            OptionsCommand.class,
            SearchCommand.class,
            CompareCommand.class,
            ParametersCommand.class,
            TheodoliteCommand.class,
            StoreCommand.class,
            PeerCommand.class,
            AdaptiveCommand.class,
            KeyParallelCommand.class
        },
        synopsisSubcommandLabel = "COMMAND")
public final class BenchCommand {
    /** For picocli. */
    public BenchCommand() {}
}
