package dev.blobshuffle.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A short run of all variants against {@code blobshuffle cache} as a process: every byte that comes is checked by the benchmark itself. */
class PeerCommandIT {
    @Test
    void everyWayOfServingIsMeasured(@TempDir Path directory) throws Exception {
        StringWriter out = new StringWriter();
        Path json = directory.resolve("peer.json");
        int status = new CommandLine(new PeerCommand())
                .setOut(new PrintWriter(out))
                .execute(
                        "--gib",
                        "0.1",
                        "--warm-up-gib",
                        "0.02",
                        "--memory",
                        directory.toString(),
                        "--json",
                        json.toString());
        assertThat(status).isZero();
        assertThat(out.toString().lines()).hasSize(8).allMatch(line -> line.contains("CPU s/GiB"));
        assertThat(Files.readString(json))
                .contains("\"server_cpu_seconds_per_gib\"", "\"tls\"", "\"disk\"", "\"floor\"");
    }
}
