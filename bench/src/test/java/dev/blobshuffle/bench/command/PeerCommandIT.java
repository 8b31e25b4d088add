package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/**
 * Short runs against the real servers as processes: every byte that comes is checked by the
 * benchmark itself.
 */
class PeerCommandIT {
    @ParameterizedTest
    @CsvSource({"MEMORY,PLAIN", "DISK,TLS"})
    void cacheAndFloorAreMeasured(String tier, String transport, @TempDir Path directory) throws Exception {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Path json = directory.resolve("peer.json");
        int status = new CommandLine(new PeerCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(
                        "--tiers",
                        tier,
                        "--transports",
                        transport,
                        "--gib",
                        "0.03",
                        "--warm-up-gib",
                        "0.01",
                        "--memory",
                        directory.toString(),
                        "--json",
                        json.toString());
        assertThat(status).as("%s%s", out, err).isZero();
        assertThat(out.toString().lines().filter(line -> line.contains("CPU s/GiB")))
                .as("the floor and the cache")
                .hasSize(2);
        assertThat(out.toString().lines().filter(line -> line.contains(tier.toUpperCase(Locale.ROOT) + " ")))
                .as("the table: server and reader of both")
                .hasSize(2)
                .allMatch(line -> line.contains(" + "));
        assertThat(Files.readString(json))
                .contains("\"environment\"", "\"server_cpu_seconds_per_gib\"", "\"floor\"", "\"cache\"")
                .containsIgnoringCase(tier)
                .containsIgnoringCase(transport);
    }
}
