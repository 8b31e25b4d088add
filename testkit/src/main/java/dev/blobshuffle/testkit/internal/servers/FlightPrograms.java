package dev.blobshuffle.testkit.internal.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The stock Flight clients that {@code .ci/install-servers} installs: pyarrow, with the project's
 * Python package beside it, and a program in Go. A test is skipped if a program that it needs is
 * not installed. Tests run in the directory of their module, one below the project's. Stateless.
 */
public final class FlightPrograms {
    private static final Path GO_SOURCES = Path.of("..", "flight-daemon", "src", "test", "go");
    private static final Path PACKAGE = Path.of("..", "python", "src");
    private static final int PATIENCE_MINUTES = 10;

    private FlightPrograms() {}

    /** A command of Python with these arguments. */
    public static ProcessBuilder python(List<String> arguments) {
        return command(InstalledServer.named("pyarrow", "bin/python").require(), arguments);
    }

    /** A command of the Go client with these arguments. */
    public static ProcessBuilder go(List<String> arguments) {
        return command(new InstalledServer("go-client", checksum(), "go-client").require(), arguments);
    }

    /**
     * Runs a command and returns what it prints.
     *
     * @throws AssertionError if it fails
     */
    public static String run(ProcessBuilder command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("flight-program", ".log");
        Process process = command.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            boolean isEnded = process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES);
            String text = Files.readString(output);
            if (!isEnded || process.exitValue() != 0) {
                throw new AssertionError(command.command() + (isEnded ? " failed: " : " did not end: ") + text);
            }
            return text;
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }

    private static ProcessBuilder command(Path executable, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(executable.toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment()
                .put("PYTHONPATH", PACKAGE.toAbsolutePath().normalize().toString());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        return builder;
    }

    /**
     * The checksum of the sources. The installation computes the same one of the sources that it
     * builds.
     */
    private static String checksum() {
        try {
            MessageDigest sum = MessageDigest.getInstance("SHA-256");
            try (Stream<Path> files = Files.list(GO_SOURCES)) {
                for (Path file : files.sorted().toList()) {
                    sum.update(Files.readAllBytes(file));
                }
            }
            return HexFormat.of().formatHex(sum.digest(), 0, 6);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the Go client: " + e + ". Run tests in a module.", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Cannot name the Go client: " + e + ". Use another JDK.", e);
        }
    }
}
