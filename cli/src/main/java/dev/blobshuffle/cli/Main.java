package dev.blobshuffle.cli;

import dev.blobshuffle.cli.cache.CacheCommand;
import dev.blobshuffle.cli.doctor.DoctorCommand;
import dev.blobshuffle.cli.drained.DrainedCommand;
import dev.blobshuffle.cli.flight.FlightCommand;
import dev.blobshuffle.cli.gc.GcCommand;
import dev.blobshuffle.cli.inspect.InspectCommand;
import dev.blobshuffle.cli.messaging.MessagingCommand;
import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.cli.plan.PlanCommand;
import dev.blobshuffle.cli.profile.ProfileCommand;
import dev.blobshuffle.cli.skip.SkipCommand;
import dev.blobshuffle.cli.status.StatusCommand;
import dev.blobshuffle.cli.tail.TailCommand;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParseResult.GroupMatch;

/**
 * The command {@code blobshuffle}: parses the command line, runs one subcommand and exits with its
 * status.
 */
@Command(
        name = "blobshuffle",
        description = "Shuffles records through blobs in object storage; only compact notifications go through Kafka.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {
            DoctorCommand.class,
            PlanCommand.class,
            StatusCommand.class,
            TailCommand.class,
            InspectCommand.class,
            DrainedCommand.class,
            GcCommand.class,
            SkipCommand.class,
            CacheCommand.class,
            MessagingCommand.class,
            FlightCommand.class,
            ProfileCommand.class,
            CompletionCommand.class,
            HelpCommand.class
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = "A source checkout also has the commands 'demo' and 'bench'.")
public final class Main {
    /** The maximum length of a description's line. Longer lines would wrap in the help. */
    private static final int HELP_WIDTH = 130;

    /** The meaning of exit statuses, unless a command states another. */
    private static final Map<String, String> STATUSES = new TreeMap<>(Map.of(
            String.valueOf(CommandLine.ExitCode.OK), "done",
            String.valueOf(ExitStatus.FAILED), "it failed",
            String.valueOf(ExitStatus.WRONG_USAGE), "wrong options or settings"));

    private Main() {}

    /**
     * Runs one command; the JVM exits with its status: 0 success, 1 failure, 2 wrong usage.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.exit(StandardOutput.checked(() -> commandLine().execute(args)));
    }

    /**
     * The command line with all its subcommands, before parsing. Other modules add their own
     * subcommands.
     */
    public static CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(new Main());
        finish(commandLine);
        return commandLine.setExecutionStrategy(Main::run);
    }

    /** Sets what all commands have in common, for a command and its subcommands. */
    public static void finish(CommandLine command) {
        command.setUsageHelpWidth(HELP_WIDTH).setCaseInsensitiveEnumValuesAllowed(true);
        command.setParameterExceptionHandler(Main::refuse).setExitCodeExceptionMapper(ExitStatus::of);
        UsageMessageSpec usage = command.getCommandSpec().usageMessage();
        Map<String, String> statuses = new LinkedHashMap<>(STATUSES);
        statuses.putAll(usage.exitCodeList());
        usage.exitCodeListHeading("Exit status:%n").exitCodeList(statuses);
        command.getSubcommands().values().forEach(Main::finish);
    }

    /**
     * Runs a parsed command. Picocli accepts any options next to {@code --help}; this method
     * refuses wrong ones.
     */
    private static int run(CommandLine.ParseResult parsed) {
        for (CommandLine command : parsed.asCommandLineList()) {
            List<String> unmatched = command.getUnmatchedArguments();
            if (!unmatched.isEmpty()) {
                throw new CommandLine.UnmatchedArgumentException(command, unmatched);
            }
            requireOnce(command);
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    /**
     * Refuses an option of a group that is given twice. Picocli would take the second one for the
     * start of another group, and leave out all options before it.
     */
    private static void requireOnce(CommandLine command) {
        for (ArgGroupSpec group : command.getCommandSpec().argGroups()) {
            List<GroupMatch> matches = command.getParseResult().findMatches(group).stream()
                    .flatMap(container -> container.matches().stream())
                    .toList();
            for (OptionSpec option : group.options()) {
                if (matches.stream()
                                .filter(match -> !match.matchedValues(option).isEmpty())
                                .count()
                        > 1) {
                    throw new CommandLine.OverwrittenOptionException(
                            command, option, "option '" + option.longestName() + "' should be specified only once");
                }
            }
        }
    }

    /**
     * Prints the error and the help command. The whole usage would push the error off the screen.
     * Only a group of commands, which does nothing itself, prints it.
     */
    private static int refuse(CommandLine.ParameterException wrong, String[] arguments) {
        CommandLine command = wrong.getCommandLine();
        PrintWriter err = command.getErr();
        err.println(wrong.getMessage());
        boolean isSuggested = CommandLine.UnmatchedArgumentException.printSuggestions(wrong, err);
        boolean isGroup = !command.getSubcommands().isEmpty() && !(command.getCommand() instanceof Callable<?>);
        if (isGroup) {
            command.usage(err);
        } else if (!isSuggested) {
            err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        }
        err.flush();
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }
}
