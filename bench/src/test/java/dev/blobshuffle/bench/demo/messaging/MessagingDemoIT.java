package dev.blobshuffle.bench.demo.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.bench.demo.DemoCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The demo with few records: processes, kills, a failover and the check. */
class MessagingDemoIT {
    private static final String FAULTS = System.getProperty("messaging.faults", "3");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    @Test
    @Timeout(600)
    void everyRecordArrivesOnceInOrderAlthoughProcessesAndTheDatabaseAreKilled() throws Exception {
        Path json = directory.resolve("result.json");
        String store = directory.resolve("blobs").toString();
        int status = run("--zones", "2", "--rate", "40", "--seconds", "1", "--store", store, "--json", json.toString());
        assertThat(status).as("%s%s", out, err).isZero();
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        assertThat(result.get("published").asLong()).isPositive();
        assertThat(result.get("consumed")).isEqualTo(result.get("receipts"));
        assertThat(result.get("consumed").asLong())
                .isGreaterThanOrEqualTo(result.get("published").asLong());
        for (String wrong : new String[] {"lost", "doubled", "out_of_order"}) {
            assertThat(result.get(wrong).asLong()).as(wrong).isZero();
        }
        assertThat(result.get("kills").asInt()).isEqualTo(2);
        assertThat(result.get("failovers").asInt()).isEqualTo(1);
        assertThat(result.get("store_puts").asLong()).isPositive();
        assertThat(result.get("commits").asLong()).isPositive();
        assertThat(result.at("/latency_ms/p99").asDouble())
                .isGreaterThanOrEqualTo(result.at("/latency_ms/p50").asDouble());
    }

    /**
     * A publisher is fenced, a subscriber replaced, and the sessions at the primary end. {@code
     * -Dmessaging.faults=N} draws more, and {@code make chaos-messaging} too.
     */
    @Test
    @Tag("nightly")
    @Timeout(1800)
    void everyRecordArrivesOnceInOrderUnderDrawnFaults() throws Exception {
        Path json = directory.resolve("drawn.json");
        int status = run(
                "--zones",
                "2",
                "--rate",
                "40",
                "--seconds",
                "1",
                "--store",
                "s3sim",
                "--seed",
                "21",
                "--json",
                json.toString(),
                "--faults",
                FAULTS);
        assertThat(status).as("%s%s", out, err).isZero();
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        assertThat(result.get("published").asLong()).isPositive();
        assertThat(result.get("consumed")).isEqualTo(result.get("receipts"));
    }

    @Test
    void choicesThatCannotWorkAreRefusedBeforeAnythingStarts() {
        assertThat(run("--zones", "1")).isEqualTo(2);
        assertThat(err.toString()).contains("--zones is 1. Give 2 to 5.");
        assertThat(run("--faults", "-1")).isEqualTo(2);
        assertThat(err.toString()).contains("--faults is -1. Give 0 to 10000.");
        assertThat(run("--store", "memory:")).isEqualTo(2);
        assertThat(run("--json", directory.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("Cannot write " + directory);
    }

    private int run(String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "messaging";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return new CommandLine(new DemoCommand())
                .addSubcommand(new MessagingDemoCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all);
    }
}
