package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.report.SourceTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Refuses to write a result into {@code docs/results} or a plot into {@code docs/plots} that could
 * not be repeated, because the code that makes it is in no commit. Stateless.
 */
public final class KeptResults {
    private static final Set<String> WRITTEN =
            Set.of("--json", "--csv", "--report", "--plots", "--out", "--theodolite", "--profile-out");

    /** Options whose file or directory is read, or holds nothing when the command ends. */
    private static final Set<String> NOT_KEPT = Set.of(
            "--bundle",
            "--cache",
            "--cpu-from",
            "--directory",
            "--memory",
            "--objects-jar",
            "--prices",
            "--profile",
            "--python-project",
            "--workload");

    private static final List<Path> KEPT = List.of(Path.of("docs", "results"), Path.of("docs", "plots"));

    private static final int NAMED = 3;

    private KeptResults() {}

    /**
     * Runs a command by another strategy, after it has checked the files that the command writes.
     */
    public static IExecutionStrategy checked(IExecutionStrategy strategy) {
        return parsed -> {
            check(parsed);
            return strategy.execute(parsed);
        };
    }

    /** Whether the rule covers an option of a path. */
    static boolean isKnown(String option) {
        return WRITTEN.contains(option) || NOT_KEPT.contains(option);
    }

    private static void check(ParseResult parsed) {
        for (ParseResult one = parsed; one != null; one = one.subcommand()) {
            CommandLine command = one.commandSpec().commandLine();
            for (OptionSpec option : one.matchedOptions()) {
                if (WRITTEN.contains(option.longestName()) && option.getValue() instanceof Path file) {
                    refusal(file).ifPresent(reason -> {
                        throw new CommandLine.ParameterException(command, reason);
                    });
                }
            }
        }
    }

    /** Why a file cannot be written; empty if it can. */
    static Optional<String> refusal(Path file) {
        Path absolute = file.toAbsolutePath().normalize();
        if (!isKept(absolute)) {
            return Optional.empty();
        }
        SourceTree tree = new SourceTree(existing(absolute));
        if (tree.commit().isEmpty()) {
            return Optional.of("Cannot write " + file
                    + ": it is in no git checkout, so the result would name no commit. Write it elsewhere.");
        }
        List<String> changes = tree.changes();
        return changes.isEmpty()
                ? Optional.empty()
                : Optional.of("Cannot write " + file + ": the checkout has changes that are in no commit, "
                        + named(changes) + ". Commit them, or write the result elsewhere.");
    }

    private static String named(List<String> changes) {
        String some = String.join(", ", changes.subList(0, Math.min(NAMED, changes.size())));
        return changes.size() > NAMED ? some + " and " + (changes.size() - NAMED) + " more" : some;
    }

    private static boolean isKept(Path absolute) {
        for (Path end = absolute; end != null; end = end.getParent()) {
            if (KEPT.stream().anyMatch(end::endsWith)) {
                return true;
            }
        }
        return false;
    }

    /** The innermost directory of a path that exists. */
    private static Path existing(Path absolute) {
        Path directory = absolute;
        while (!Files.isDirectory(directory) && directory.getParent() != null) {
            directory = directory.getParent();
        }
        return directory;
    }
}
