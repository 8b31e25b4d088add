package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class LogCommandIT {
    @TempDir
    Path directory;

    @Test
    void everyDesignHoldsWhatItAcknowledgedAndTheNumbersAreWritten() throws Exception {
        Path json = directory.resolve("log.json");
        String output = run(
                "--publishers",
                "2",
                "--snapshots",
                "OLD",
                "--rounds",
                "1",
                "--warm-up",
                "0.1",
                "--seconds",
                "0.3",
                "--wal",
                "256",
                "--read-seconds",
                "0.5",
                "--json",
                json.toString());
        assertThat(output)
                .contains("Every log held what it had acknowledged, in order.", "staged", "lock per topic")
                .contains("row per partition", "WAL per commit of 256 bytes", "acknowledged to reader");
        assertThat(Files.readString(json)).contains("\"staged_times_as_fast\"", "\"dead_rows\"", "\"goals\"");
    }

    @Test
    void numbersThatMakeNoSenseAreRefused() {
        StringWriter err = new StringWriter();
        int status =
                new CommandLine(new LogCommand()).setErr(new PrintWriter(err)).execute("--publishers", "0");
        assertThat(status).isEqualTo(2);
        assertThat(err.toString()).contains("Cannot measure a log with 0 publishers. Ask for 1 to 1000.");
    }

    private static String run(String... arguments) {
        StringWriter out = new StringWriter();
        int status =
                new CommandLine(new LogCommand()).setOut(new PrintWriter(out)).execute(arguments);
        assertThat(status).as(out.toString()).isZero();
        return out.toString();
    }
}
