package dev.blobshuffle.cli.plan;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.core.failure.BlobShuffleException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** The output and the failures of commands that compute plans and costs. Stateless. */
final class PlanOutput {
    private PlanOutput() {}

    /** Runs a command. Prints its failure, and returns its exit status. */
    static int run(CommandSpec spec, IntSupplier command) {
        try {
            return command.getAsInt();
        } catch (PlanFailedException | BlobShuffleException e) {
            spec.commandLine().getErr().println(e.getMessage());
            spec.commandLine().getErr().flush();
            return ExitStatus.of(e);
        }
    }

    /**
     * Prints a result as text or as JSON, and writes a file of JSON if asked to.
     *
     * @param json the option: null for text only, empty for JSON only, otherwise the file of JSON
     * @param values the result as JSON
     * @param text prints the result as text
     */
    static void print(CommandSpec spec, @Nullable String json, Map<String, Object> values, Consumer<PrintWriter> text) {
        PrintWriter out = spec.commandLine().getOut();
        if (json != null && json.isEmpty()) {
            out.print(Json.write(values));
        } else {
            text.accept(out);
        }
        out.flush();
        if (json != null && !json.isEmpty()) {
            write(Path.of(json), Json.write(values));
        }
    }

    /** Writes a file. */
    static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new PlanFailedException("Cannot write " + file + ": " + e + ". Give another file.", e);
        }
    }
}
