package dev.blobshuffle.cli;

import java.io.IOException;
import org.junit.jupiter.api.Assumptions;

/** A program of the machine. Tests that need it are skipped if it is not installed. */
final class InstalledTool {
    private InstalledTool() {}

    /**
     * Starts a program with its standard error merged into its output.
     *
     * @param remedy the command that installs it
     */
    static Process start(ProcessBuilder builder, String remedy) {
        try {
            return builder.redirectErrorStream(true).start();
        } catch (IOException e) {
            return Assumptions.abort(
                    "Cannot run " + builder.command().get(0) + ": it is not installed. Run " + remedy + ".");
        }
    }
}
