package dev.blobshuffle.cli;

import java.io.PrintWriter;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle completion}: prints a script with which bash or zsh complete commands and
 * options.
 */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = {
            "Prints a script that completes commands and options in bash and zsh.",
            "To use it in this shell: source <(blobshuffle completion)"
        })
final class CompletionCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // the command line fills the field
    CompletionCommand() {}

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        out.print(AutoComplete.bash(spec.root().name(), spec.root().commandLine()));
        out.print('\n');
        out.flush();
    }
}
