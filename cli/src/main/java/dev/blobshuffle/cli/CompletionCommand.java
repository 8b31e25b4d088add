package dev.blobshuffle.cli;

import java.io.PrintWriter;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle completion}: prints a script for bash, zsh or fish that completes commands and
 * options.
 */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = {
            "Prints a script that completes commands and options in bash, zsh or fish.",
            "To use it in this shell: source <(blobshuffle completion), in fish: blobshuffle completion fish | source"
        })
final class CompletionCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "SHELL",
            defaultValue = "bash",
            description = "bash, zsh or fish (default: ${DEFAULT-VALUE}; bash and zsh have the same script).")
    private Shell shell;

    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    CompletionCommand() {}

    /** The supported shells. */
    enum Shell {
        bash,
        zsh,
        fish
    }

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        CommandLine root = spec.root().commandLine();
        out.print(
                shell == Shell.fish
                        ? FishCompletion.script(root)
                        : AutoComplete.bash(spec.root().name(), root));
        out.print('\n');
        out.flush();
    }
}
