package dev.blobshuffle.bench.command;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code blobshuffle bench}, which only has subcommands. */
@Command(
        name = "bench",
        description =
                "Measures whole applications, native against blobs, and by themselves stores and the caches that members share.",
        mixinStandardHelpOptions = true,
        subcommands = {
            RunCommand.class,
            SuiteCommand.class,
            CompareCommand.class,
            StoreCommand.class,
            CloudCheckCommand.class,
            PeerCommand.class,
            PaperCommand.class,
            LogCommand.class,
            FlightCommand.class,
            SparkBenchCommand.class,
            MessagingBenchCommand.class,
            SoakCommand.class,
            TheodoliteCommand.class
        },
        synopsisSubcommandLabel = "COMMAND")
public final class BenchCommand {
    private BenchCommand() {}

    /** The command line, not yet parsed. */
    public static CommandLine commandLine() {
        return new CommandLine(new BenchCommand()).setExecutionStrategy(KeptResults.checked(new CommandLine.RunLast()));
    }
}
