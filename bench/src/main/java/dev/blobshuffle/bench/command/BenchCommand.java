package dev.blobshuffle.bench.command;

import java.util.Map;
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
            PeerCommand.class,
            PaperCommand.class,
            LogCommand.class,
            FlightCommand.class,
            MessagingBenchCommand.class,
            SoakCommand.class,
            TheodoliteCommand.class
        },
        synopsisSubcommandLabel = "COMMAND")
public final class BenchCommand {
    /** Plans of {@code run} that were commands of their own; scripts may still name them so. */
    private static final Map<String, Class<?>> FORMER_COMMANDS = Map.of(
            "quick", QuickCommand.class,
            "shuffle", ThroughputCommand.class,
            "options", OptionsCommand.class,
            "search", SearchCommand.class,
            "adaptive", AdaptiveCommand.class,
            "keyparallel", CallsCommand.class);

    private BenchCommand() {}

    /** The command line, not yet parsed. */
    public static CommandLine commandLine() {
        CommandLine bench = new CommandLine(new BenchCommand());
        FORMER_COMMANDS.forEach((name, plan) -> {
            CommandLine former = new CommandLine(plan);
            former.getCommandSpec().usageMessage().hidden(true);
            bench.addSubcommand(name, former);
        });
        return bench;
    }
}
