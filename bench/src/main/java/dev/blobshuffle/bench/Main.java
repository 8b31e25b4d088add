package dev.blobshuffle.bench;

import dev.blobshuffle.bench.command.BenchCommand;
import dev.blobshuffle.bench.command.KeptResults;
import dev.blobshuffle.bench.demo.DemoCommand;
import dev.blobshuffle.bench.demo.messaging.MessagingDemoCommand;
import dev.blobshuffle.cli.StandardOutput;
import picocli.CommandLine;

/**
 * The commands {@code blobshuffle demo} and {@code blobshuffle bench}. They start brokers, a store
 * and applications, so their class path has all of Kafka; the other commands run without it.
 */
public final class Main {
    private Main() {}

    /**
     * Runs one command; the JVM exits with its status: 0 success, 1 failure, 2 wrong usage.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.exit(StandardOutput.checked(() -> commandLine().execute(args)));
    }

    /** The tools' command line with {@code demo} and {@code bench} added, not yet parsed. */
    static CommandLine commandLine() {
        CommandLine commandLine = dev.blobshuffle.cli.Main.commandLine();
        commandLine.getCommandSpec().usageMessage().footer(new String[0]);
        commandLine
                .addSubcommand(new CommandLine(new DemoCommand()).addSubcommand(new MessagingDemoCommand()))
                .addSubcommand(BenchCommand.commandLine());
        // Subcommands that are added later do not inherit the settings that all commands share.
        dev.blobshuffle.cli.Main.finish(commandLine);
        return commandLine.setExecutionStrategy(KeptResults.checked(commandLine.getExecutionStrategy()));
    }
}
