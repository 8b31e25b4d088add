package dev.blobshuffle.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole benchmark, very small. */
class ThroughputCommandIT {
    @TempDir
    private Path directory;

    @Test
    void wrongArgumentsAreRefusedBeforeAnythingStarts() {
        assertThat(refusal("--variants=faster"))
                .contains("Cannot compare faster")
                .contains("blobs-memory");
        assertThat(refusal("--record-bytes=8")).contains("Cannot shuffle records of 8 bytes");
        assertThat(refusal("--memory=/nowhere")).contains("--memory");
        assertThat(refusal("--instances=0")).contains("0 instances");
    }

    private static String refusal(String argument) {
        StringWriter err = new StringWriter();
        int status =
                BenchCommand.commandLine().setErr(new PrintWriter(err, true)).execute("run", "throughput", argument);
        assertThat(status).isEqualTo(2);
        return err.toString();
    }

    @Test
    void comparesVerifiedRunsAndLeavesNothingBehind() throws Exception {
        Path files = Files.createDirectory(directory.resolve("files"));
        Path json = directory.resolve("result.json");
        StringWriter out = new StringWriter();

        int status = BenchCommand.commandLine()
                .setOut(new PrintWriter(out, true))
                .execute(
                        "run",
                        "throughput",
                        "--variants=native,blobs-file",
                        "--replication=1",
                        "--instances=1",
                        "--repetitions=1",
                        "--gib=0.03",
                        "--warm-up-gib=0.005",
                        "--memory=" + files,
                        "--directory=" + files,
                        "--json=" + json);

        assertThat(out.toString()).contains("Every run had exactly the output that its input asks for.");
        assertThat(status).isZero();
        assertThat(Files.readString(json)).contains("\"blobs-file\"").contains("\"verified\": true");
        try (Stream<Path> left = Files.list(files)) {
            assertThat(left).isEmpty();
        }
    }
}
