package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Two rows of the report against a service of its own, too short to say anything of speed. */
class CallsCommandIT {
    @TempDir
    private Path directory;

    @Test
    void everyRowIsCheckedAndWritten() throws Exception {
        StringWriter out = new StringWriter();
        Path json = directory.resolve("rows.json");
        int exit = new CommandLine(new CallsCommand())
                .setOut(new PrintWriter(out))
                .execute(
                        "--rows",
                        "table-2-20ms",
                        "--seconds",
                        "2",
                        "--warm-up-seconds",
                        "1",
                        "--commit-interval-ms",
                        "500",
                        "--json",
                        json.toString(),
                        "--plots",
                        directory.resolve("plots").toString());

        assertThat(out.toString()).contains("Every record that was committed has its result, once and in order.");
        assertThat(exit).isZero();
        assertThat(Files.readString(json))
                .contains(
                        "\"environment\"",
                        "\"name\": \"table-2-20ms\"",
                        "\"variant\": \"plain\"",
                        "\"variant\": \"key\"")
                .contains("\"offered\"", "\"achieved\"", "\"maximum\"", "\"lost\": 0", "\"inversions\": 0")
                .contains("\"records_per_call\"", "\"application_cpu_us_per_record\"", "\"queue\"");
        assertThat(directory.resolve("plots/calls-throughput-20ms.svg"))
                .content()
                .contains("paper, Kafka Streams", "paper, Thulawa");
        assertThat(directory.resolve("plots/calls-queue.svg")).content().contains("plain, 20 ms", "key, 20 ms");
        assertThat(directory.resolve("plots/calls-batch-cpu.svg")).doesNotExist();
    }
}
