package dev.blobshuffle.bench.process;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.zip.CRC32;

/**
 * A virtual environment of Python with the pinned packages of a benchmark. It is created once for
 * each list of packages and kept in the cache directory. Owned by one thread.
 */
public final class PythonEnvironment {
    private static final String BENCHMARKS = "bench";
    private static final String COMPLETE = "complete";

    private final Path python;
    private final Path programs;
    private final String modules;
    private final Path log;

    private PythonEnvironment(Path python, Path programs, String modules, Path log) {
        this.python = python;
        this.programs = programs;
        this.modules = modules;
        this.log = log;
    }

    /**
     * Creates the environment, unless it exists.
     *
     * @param benchmark the directory of its programs, in {@code bench} of the Python package
     * @param packages as in a file of requirements, one a line
     * @throws IllegalStateException if Python or pip fails
     */
    public static PythonEnvironment of(PythonDirectories directories, String benchmark, String packages)
            throws IOException, InterruptedException {
        Path benchmarks = directories.project().resolve(BENCHMARKS);
        Path programs = benchmarks.resolve(benchmark);
        if (!Files.isDirectory(programs)) {
            throw new IllegalStateException("Cannot run Python's programs: " + programs.toAbsolutePath()
                    + " is not there. Run the command in a checkout, or give --python-project.");
        }
        Path cache = directories.cache();
        String name = benchmark + "-" + checksum(packages);
        Path directory = cache.resolve(name);
        Path python = directory.resolve("bin/python");
        PythonEnvironment environment = new PythonEnvironment(
                python,
                programs,
                directories.project().resolve("src").toAbsolutePath() + ":" + benchmarks.toAbsolutePath(),
                cache.resolve(benchmark + ".log"));
        if (!Files.exists(directory.resolve(COMPLETE))) {
            Directories.delete(directory);
            Files.createDirectories(cache);
            Path requirements = Files.writeString(cache.resolve(name + ".txt"), packages);
            environment.run(List.of(directories.interpreter(), "-m", "venv", directory.toString()), line -> {});
            environment.run(
                    List.of(
                            python.toString(),
                            "-m",
                            "pip",
                            "install",
                            "-q",
                            "--disable-pip-version-check",
                            "-r",
                            requirements.toString()),
                    line -> {});
            Files.createFile(directory.resolve(COMPLETE));
        }
        return environment;
    }

    private static String checksum(String packages) {
        CRC32 checksum = new CRC32();
        checksum.update(packages.getBytes(StandardCharsets.UTF_8));
        return Long.toHexString(checksum.getValue());
    }

    /**
     * Runs one of the programs, and waits for it.
     *
     * @return what it printed, one {@code name=value} a line
     * @throws IllegalStateException if it fails
     */
    public Properties run(String program, List<String> arguments) throws IOException, InterruptedException {
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
    public String text(String program, List<String> arguments) throws IOException, InterruptedException {
        StringBuilder printed = new StringBuilder();
        lines(program, arguments, line -> printed.append(line).append('\n'));
        return printed.toString();
    }

    /**
     * Runs one of the programs, and waits for it.
     *
     * @param read receives each line that it prints, at once
     * @throws IllegalStateException if it fails
     */
    public void lines(String program, List<String> arguments, Consumer<String> read)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(python.toString(), programs.resolve(program).toString()));
        command.addAll(arguments);
        run(command, read);
    }

    /** The file to which programs write their messages. */
    public Path log() {
        return log;
    }

    private void run(List<String> command, Consumer<String> read) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
        builder.environment()
                .putAll(Map.of(
                        "PYTHONPATH",
                        modules,
                        "PYTHONDONTWRITEBYTECODE",
                        "1",
                        "JAVA_HOME",
                        System.getProperty("java.home")));
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new IllegalStateException(
                    "Cannot run " + command.get(0) + ": " + e.getMessage() + ". Give another --python.", e);
        }
        try {
            process.inputReader(StandardCharsets.UTF_8).lines().forEach(read);
            int status = process.waitFor();
            if (status != 0) {
                throw new IllegalStateException("Cannot run " + String.join(" ", command) + ": it ended with status "
                        + status + ". Its messages are in " + log + ".");
            }
        } finally {
            if (process.isAlive()) {
                process.destroy(); // It ends the processes that it has started.
                process.waitFor();
            }
        }
    }
}
