package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class StoreCommandIT {
    @TempDir
    Path directory;

    @Test
    void aBlobIsOneRequestAndComesBackThroughPlainSocketsAndTls() throws Exception {
        Path json = directory.resolve("bench.json");
        String output = run(
                "--mib",
                "1",
                "--concurrency",
                "2",
                "--gib",
                "0.002",
                "--repetitions",
                "1",
                "--warm-up",
                "20",
                "--json",
                json.toString());
        assertThat(output)
                .contains("Every blob came back as it was.")
                .containsPattern("plain  PUT     1     2 .* 1\\.00\\R")
                .containsPattern("tls    GET     1     2 .* 1\\.00\\R");
        assertThat(Files.readString(json)).contains("\"cpu_ratio_to_floor\"", "\"requests_per_blob\": 1");
    }

    @Test
    void aStoreOfOnesOwnIsMeasuredWithoutFloor() {
        String output = run(
                "--store",
                "file://" + directory.resolve("blobs"),
                "--mib",
                "1",
                "--concurrency",
                "2",
                "--gib",
                "0.01",
                "--repetitions",
                "1",
                "--warm-up",
                "0");
        assertThat(output)
                .contains("given  GET     1     2", "Every blob came back as it was.")
                .doesNotContain("floor (");
    }

    @Test
    void numbersThatMakeNoSenseAreRefused() {
        StringWriter err = new StringWriter();
        int status =
                new CommandLine(new StoreCommand()).setErr(new PrintWriter(err)).execute("--mib", "0");
        assertThat(status).isEqualTo(2);
        assertThat(err.toString()).contains("sizes, concurrency and repetitions must be 1 to 1024");
    }

    private static String run(String... arguments) {
        StringWriter out = new StringWriter();
        int status =
                new CommandLine(new StoreCommand()).setOut(new PrintWriter(out)).execute(arguments);
        assertThat(status).as(out.toString()).isZero();
        return out.toString();
    }
}
