package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MessagingBenchCommandIT {
    @TempDir
    Path directory;

    @Test
    void bothSidesDeliverAllRecordsAndTheNumbersAreWritten() throws Exception {
        Path json = directory.resolve("messaging.json");
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = new CommandLine(new MessagingBenchCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(
                        "--workload",
                        workload("300").toString(),
                        "--systems",
                        "BLOBSHUFFLE,KAFKA",
                        "--json",
                        json.toString());
        assertThat(status).as(out.toString() + err).isZero();
        assertThat(out.toString())
                .contains("Each group received all records, in order per key.", "kafka", "bytes per commit");
        assertThat(Files.readString(json)).contains("\"wal_bytes_per_commit\"", "\"end_to_end_ms\"", "\"goals\"");
    }

    @Test
    void aWrongWorkloadIsRefused() throws Exception {
        StringWriter err = new StringWriter();
        int status = new CommandLine(new MessagingBenchCommand())
                .setErr(new PrintWriter(err))
                .execute("--workload", workload("fast").toString());
        assertThat(status).isEqualTo(2);
        assertThat(err.toString()).contains("producerRate is 'fast'. Give a number.");
    }

    private Path workload(String rate) throws Exception {
        return Files.writeString(directory.resolve("small.yaml"), """
                name: small
                topics: 1
                partitionsPerTopic: 6
                keyDistributor: KEY_ROUND_ROBIN
                messageSize: 100
                subscriptionsPerTopic: 2
                producersPerTopic: 3
                consumerPerSubscription: 3
                producerRate: %s
                warmupDurationMinutes: 0.02
                testDurationMinutes: 0.03
                """.formatted(rate));
    }
}
