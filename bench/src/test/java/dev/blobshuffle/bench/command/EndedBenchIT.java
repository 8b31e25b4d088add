package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A benchmark whose user has had enough of it. */
class EndedBenchIT {
    private static final int ENDED_BY_SIGTERM = 143;

    @TempDir
    private Path directory;

    @Test
    @Timeout(900)
    void signalLeavesNoProcessesAndNoFilesBehind() throws Exception {
        Path files = Files.createDirectory(directory.resolve("files"));
        Path log = directory.resolve("log");
        Process bench = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.blobshuffle.bench.Main",
                        "bench",
                        "run",
                        "shuffle",
                        "--with=records=100000000",
                        "--variants=blobs-file",
                        "--memory=" + files,
                        "--directory=" + files))
                .redirectError(log.toFile())
                .start();
        try (BufferedReader lines = bench.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            while (line != null && !line.startsWith("Writing")) {
                line = lines.readLine();
            }
            assertThat(line).as("the broker runs, the load generator begins").isNotNull();
            List<ProcessHandle> children = bench.descendants().toList();
            assertThat(children).isNotEmpty();

            bench.toHandle().destroy();

            assertThat(bench.waitFor(300, TimeUnit.SECONDS)).isTrue();
            assertThat(bench.exitValue()).isEqualTo(ENDED_BY_SIGTERM);
            assertThat(children).noneMatch(ProcessHandle::isAlive);
            assertThat(Files.readString(log)).doesNotContain("Cannot");
        } finally {
            bench.destroyForcibly();
        }
        try (Stream<Path> left = Files.list(files)) {
            assertThat(left).isEmpty();
        }
    }
}
