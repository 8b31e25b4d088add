package dev.blobshuffle.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the demo refuses before it starts anything. */
class DemoCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int demo(String... arguments) {
        return new CommandLine(new DemoCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    @Test
    void oneInstancePerZoneIsRefusedBecauseNoneCouldCombine() {
        assertThat(demo("--instances-per-zone", "1")).isEqualTo(2);
        assertThat(err.toString()).contains("--instances-per-zone is 1. Give 2 or more");
        assertThat(demo("--instances-per-zone", "2", "--keep-running")).isEqualTo(2);
        assertThat(demo("--instances-per-zone", "9")).as("27 instances").isEqualTo(2);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aMissingInputIsNamed() {
        assertThat(demo("--input", directory.resolve("none").toString())).isEqualTo(2);
        assertThat(err.toString()).startsWith("Cannot read input: there is nothing at " + directory.resolve("none"));
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void anInputWithoutWordsIsRefused() throws IOException {
        Path file = Files.writeString(directory.resolve("empty.txt"), "\n 12 -- \n");

        assertThat(demo("--input", file.toString())).isEqualTo(2);

        assertThat(err.toString()).contains("there is no word in it");
    }

    @Test
    void anEmptyDirectoryIsRefused() {
        assertThat(demo("--input", directory.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("there is no word in it");
    }

    @Test
    void aStoreThatCannotBeWrittenIsRefused() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "not a directory");

        assertThat(demo("--store", file.resolve("blobs").toString())).isEqualTo(1);

        assertThat(err.toString()).startsWith("Cannot ").contains(file.toString());
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aStoreInMemoryIsRefusedForProcessesDoNotShareIt() {
        assertThat(demo("--store", "memory://demo")).isEqualTo(2);
        assertThat(err.toString()).contains("a memory of its own");
    }

    @Test
    void numbersOutOfRangeAreRefused() {
        assertThat(demo("--zones", "0")).isEqualTo(2);
        assertThat(demo("--instances", "25")).isEqualTo(2);
        assertThat(demo("--guarantee", "sometimes")).isEqualTo(2);
        assertThat(err.toString()).contains("--zones is 0", "--instances is 25", "sometimes");
    }

    @Test
    void aReportThatCannotBeWrittenIsRefusedBeforeTheRun() {
        assertThat(demo("--report", directory.resolve("none/report.html").toString()))
                .isEqualTo(2);
        assertThat(err.toString()).contains("Cannot write");
    }

    @Test
    void theOwnTextIsLargeAndCleanOfOthersTerms() {
        Text text = Text.own();

        assertThat(text.bytes()).isGreaterThan(1 << 20);
        assertThat(String.join("\n", text.lines())).doesNotContainIgnoringCase("gutenberg");
    }
}
