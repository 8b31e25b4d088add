package dev.blobshuffle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The one-file example of README.md, as printed. */
class OneFileIT {
    private static final String BEGIN = "```java\n//DEPS ";
    private static final int MOST_LINES = 40;

    @TempDir
    private Path directory;

    @Test
    @Timeout(600)
    void theReadmesFileRunsAsPrinted() throws Exception {
        String readme = Files.readString(Path.of("../README.md"));
        int begin = readme.indexOf(BEGIN);
        assertThat(begin).as("the example in README.md").isPositive();
        String source = readme.substring(begin + "```java\n".length(), readme.indexOf("```", begin + 3));
        assertThat(source.lines().count()).isLessThanOrEqualTo(MOST_LINES);
        Path file = Files.writeString(directory.resolve("First.java"), source);

        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        file.toString())
                .redirectError(directory.resolve("err").toFile())
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as("%s%n%s", output, Files.readString(directory.resolve("err")))
                .isZero();
        assertThat(output.lines().filter(line -> line.contains(": ")))
                .containsExactlyInAnyOrder("to: 1", "be: 1", "or: 1", "not: 1", "to: 2", "be: 2");
        assertThat(output).containsPattern("Through [1-9][0-9]* blobs");
    }
}
