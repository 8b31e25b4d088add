package dev.blobshuffle.examples.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.testkit.internal.servers.VersityGateway;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * The shell of a reader who types a page's commands in a checkout: a directory with its files and
 * {@code ./blobshuffle}, which is the command line that this build packaged. Owned by one thread.
 */
final class PageShell {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private final Path directory;

    PageShell(Path directory) throws IOException {
        this.directory = directory;
        copy("Makefile");
        copy("deploy/helm");
        Path launcher = Files.writeString(directory.resolve("blobshuffle"), launcher());
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    }

    /** Copies a file or a directory of the checkout. */
    private void copy(String part) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve(part), FileVisitOption.FOLLOW_LINKS)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = directory.resolve(ROOT.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
    }

    /** The launcher of the checkout would build first if a file is newer than its last build. */
    private static String launcher() {
        return """
                #!/bin/sh
                exec '%s' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED \\
                  -cp '%s':"$(cat '%s')" dev.blobshuffle.cli.Main "$@"
                """.formatted(
                        Path.of(System.getProperty("java.home"), "bin", "java"),
                        ROOT.resolve("cli/target/blobshuffle.jar"),
                        ROOT.resolve("cli/target/classpath"));
    }

    /** Runs the commands of a block; each must succeed. */
    String run(PrintedBlock block) throws IOException, InterruptedException {
        Outcome outcome = run(block.text());
        assertThat(outcome.status())
                .as("%s%n%s", block.place(), outcome.output())
                .isZero();
        return outcome.output();
    }

    /** Runs commands until one fails. */
    Outcome run(String commands) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", ".log");
        ProcessBuilder builder = new ProcessBuilder("bash", "-euo", "pipefail", "-c", commands)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment()
                .putAll(Map.of(
                        "AWS_ACCESS_KEY_ID", VersityGateway.ACCESS_KEY,
                        "AWS_SECRET_ACCESS_KEY", VersityGateway.SECRET_KEY,
                        // The commands take no profile of the developer's.
                        "XDG_CONFIG_HOME", directory.toString()));
        Process process = builder.start();
        process.getOutputStream().close();
        if (!process.waitFor(5, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new AssertionError(commands + " did not end:\n" + Files.readString(output));
        }
        return new Outcome(process.exitValue(), Files.readString(output));
    }

    /** Skips the test if a program is missing, with the command that installs it. */
    void require(String program, String remedy) throws IOException, InterruptedException {
        boolean isThere = run("command -v " + program).status() == 0;
        Assumptions.assumeTrue(isThere, "There is no " + program + ". Run " + remedy + ".");
    }

    Path file(String name) {
        return directory.resolve(name);
    }

    /** What commands printed, and the status of the last one. */
    record Outcome(int status, String output) {}
}
