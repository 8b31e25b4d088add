package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class AdaptiveCommandTest {
    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        return new CommandLine(new AdaptiveCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    @Test
    void virtualTimeComparesWithFixedSettings() throws Exception {
        Path json = directory.resolve("adaptive.json");
        int status =
                run("--virtual", "--seconds", "30", "--instances", "3", "--delays", "100", "--json", json.toString());
        assertThat(status).describedAs(err.toString()).isZero();
        assertThat(out.toString())
                .contains("| adaptive | ", "| 16 MiB, 100 ms | ", "times the price of the best fixed setting");
        assertThat(Files.readString(json))
                .contains(
                        "\"environment\"",
                        "\"price_ratio_to_best_fixed\": 0.",
                        "\"interval_p95_seconds\"",
                        "\"time\": \"virtual\"");
    }

    @Test
    void numbersThatCannotBeRunAreRefused() {
        assertThat(run("--virtual", "--instances", "4")).isEqualTo(2);
        assertThat(err.toString()).contains("--instances a multiple of 3");
        assertThat(run("--seconds", "5")).isEqualTo(2);
        assertThat(run("--sizes", "17")).isEqualTo(2);
    }
}
