package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.process.PythonDirectories;
import dev.blobshuffle.bench.report.HtmlReport;
import dev.blobshuffle.cli.chart.Chart;
import dev.blobshuffle.cli.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of commands that measure programs in Python. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class PythonOptions {
    @Option(names = "--directory", description = "For shuffled files (default: the system's temporary one).")
    private @Nullable Path directory;

    @Option(names = "--cache", description = "For packages and data, which are kept (default: ~/.cache/blobshuffle).")
    private @Nullable Path cache;

    @Option(names = "--python", defaultValue = "python3", description = "The interpreter, 3.10 or newer.")
    private String interpreter;

    @Option(names = "--python-project", defaultValue = "python", description = "Directory of the Python package.")
    private Path project;

    @Option(names = "--json", paramLabel = "FILE", description = "File for all numbers as JSON.")
    private @Nullable Path json;

    @Option(names = "--plots", paramLabel = "DIR", description = "Directory for plots as SVG and PNG.")
    private @Nullable Path plots;

    /** Creates the directories that do not exist. */
    PythonDirectories directories() throws IOException {
        return PythonDirectories.of(project, interpreter, cache, directory);
    }

    /** The root of the checkout that has the programs. */
    Path checkout() {
        return project.toAbsolutePath().normalize().resolveSibling("");
    }

    /** Writes what the user asked for. */
    void write(Map<String, Object> numbers, Map<String, Chart> charts) throws IOException {
        if (json != null) {
            Files.writeString(json, Json.write(numbers));
        }
        if (plots != null) {
            HtmlReport.writePlots(charts, plots);
        }
    }
}
