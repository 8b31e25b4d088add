package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A short run: all that comes is checked, and sizes are sampled. What grows, an hour shows. */
class SoakCommandIT {
    @Test
    void recordsComeOnceWhileSizesAreSampled(@TempDir Path directory) throws Exception {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Path json = directory.resolve("soak.json");
        int ignored = new CommandLine(new SoakCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(
                        "--minutes",
                        "0.1",
                        "--sample-seconds",
                        "1",
                        "--retention-seconds",
                        "120", // Longer than a reader may stand still: what goes unread is missed.
                        "--json",
                        json.toString());
        assertThat(json).as("%s%s", out, err).exists();
        assertThat(Files.readString(json))
                .contains("\"faults\": []", "\"batch_pkey\"", "\"publish_p95_ms\"", "\"dead_rows\"");
        assertThat(out.toString()).contains("last quarter").doesNotContain("WRONG");
    }
}
