package dev.blobshuffle.bench.flight;

import dev.blobshuffle.bench.run.Directories;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.zip.CRC32;

/**
 * A virtual environment of Python with the pinned packages that the benchmark compares. It is
 * created once for each list of packages and kept in the cache directory. Owned by one thread.
 */
final class PythonEnvironment {
    private static final String PROGRAMS = "bench/flight";
    private static final String REQUIREMENTS = "requirements.txt";
    private static final String COMPLETE = "complete";

    private final Path python;
    private final Path programs;
    private final Path sources;
    private final Path log;

    private PythonEnvironment(Path python, Path programs, Path sources, Path log) {
        this.python = python;
        this.programs = programs;
        this.sources = sources;
        this.log = log;
    }

    /**
     * Creates the environment, unless it exists.
     *
     * @param project the directory {@code python} of a checkout
     * @param interpreter Python, 3.10 or newer
     * @param cache where environments are kept
     * @throws IllegalStateException if Python or pip fails
     */
    static PythonEnvironment in(Path project, String interpreter, Path cache) throws IOException, InterruptedException {
        Path programs = project.resolve(PROGRAMS);
        Path requirements = programs.resolve(REQUIREMENTS);
        if (!Files.exists(requirements)) {
            throw new IllegalStateException("Cannot run Python's programs: " + programs.toAbsolutePath()
                    + " is not there. Run the command in a checkout, or give --python-project.");
        }
        Path directory = cache.resolve("flight-" + checksum(requirements));
        Path python = directory.resolve("bin/python");
        Path log = cache.resolve("flight.log");
        PythonEnvironment environment =
                new PythonEnvironment(python, programs, project.resolve("src").toAbsolutePath(), log);
        if (!Files.exists(directory.resolve(COMPLETE))) {
            Directories.delete(directory);
            Files.createDirectories(cache);
            String ignored = environment.run(List.of(interpreter, "-m", "venv", directory.toString()));
            ignored = environment.run(List.of(
                    python.toString(),
                    "-m",
                    "pip",
                    "install",
                    "-q",
                    "--disable-pip-version-check",
                    "-r",
                    requirements.toString()));
            Files.createFile(directory.resolve(COMPLETE));
        }
        return environment;
    }

    private static String checksum(Path file) throws IOException {
        CRC32 checksum = new CRC32();
        checksum.update(Files.readAllBytes(file));
        return Long.toHexString(checksum.getValue());
    }

    /**
     * Runs one of the programs, and waits for it.
     *
     * @return what it printed, one {@code name=value} a line
     * @throws IllegalStateException if it fails
     */
    Properties run(String program, List<String> arguments) throws IOException, InterruptedException {
        Properties printed = new Properties();
        printed.load(new StringReader(text(program, arguments)));
        return printed;
    }

    /**
     * Runs one of the programs, and waits for it.
     *
     * @return what it printed
     * @throws IllegalStateException if it fails
     */
    String text(String program, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(python.toString(), programs.resolve(program).toString()));
        command.addAll(arguments);
        return run(command);
    }

    /** The file to which programs write their messages. */
    Path log() {
        return log;
    }

    private String run(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
        builder.environment().putAll(Map.of("PYTHONPATH", sources.toString(), "PYTHONDONTWRITEBYTECODE", "1"));
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new IllegalStateException(
                    "Cannot run " + command.get(0) + ": " + e.getMessage() + ". Give another --python.", e);
        }
        try {
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0) {
                throw new IllegalStateException("Cannot run " + String.join(" ", command) + ": it ended with status "
                        + status + ". Its messages are in " + log + ".");
            }
            return printed;
        } finally {
            if (process.isAlive()) {
                process.destroy(); // It ends the processes that it has started.
                process.waitFor();
            }
        }
    }
}
