package dev.blobshuffle.bench.command;

import dev.blobshuffle.cli.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The lines of a command that measures, and the file of its numbers. Owned by one thread. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class ResultOutput {
    @Option(names = "--json", paramLabel = "FILE", description = "File for all numbers as JSON.")
    private @Nullable Path json;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Prints a line at once. */
    void say(String line) {
        PrintWriter out = command.commandLine().getOut();
        out.println(line);
        out.flush();
    }

    /** Prints a failure. Returns the status of the command. */
    int failed(Exception failure) {
        command.commandLine().getErr().println(failure.getMessage());
        return 1;
    }

    /**
     * Writes the file, if the user asked for it.
     *
     * @param environment comes first, as it was before the runs
     */
    void write(Map<String, Object> environment, Map<String, Object> numbers) throws IOException {
        if (json != null) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("environment", environment);
            all.putAll(numbers);
            Files.writeString(json, Json.write(all));
        }
    }
}
