package dev.blobshuffle.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import dev.blobshuffle.testkit.internal.servers.VersityGateway;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The whole demo over a small text: brokers and instances as processes, both runs, the comparison.
 */
class DemoIT {
    private static final int LINES = 600;

    @TempDir
    private Path directory;

    @Test
    @Timeout(1800)
    void bothRunsGiveTheSameAndTheBlobsAreSwept() throws IOException {
        Path store = Files.createDirectory(directory.resolve("store"));
        JsonNode result = bothRunsGiveTheSame("exactly_once_v2", "3", store.toString());
        assertThat(result.at("/blobshuffle/blobs").asLong()).isPositive();
        assertThat(result.at("/blobshuffle/blobs_left_after_sweep").asLong()).isZero();
        assertThat(LiveFiles.blobs(store)).isEmpty();
        // Three zones with an instance each: every one writes for itself, and for two that have to
        // fetch it.
        assertThat(result.at("/blobshuffle/zones")).hasSize(3);
        assertThat(result.at("/blobshuffle/cache_hits").asLong()).isPositive();
        assertPairs(result.at("/blobshuffle/zone_pairs"));
    }

    /**
     * Every zone wrote to the store and read from it, and nothing went from zone to zone otherwise.
     */
    private static void assertPairs(JsonNode pairs) {
        assertThat(pairs).hasSize(3 * (3 + 2));
        for (JsonNode pair : pairs) {
            List<String> ends =
                    List.of(pair.get("from").asText(), pair.get("to").asText());
            if (ends.contains("store")) {
                assertThat(pair.get("bytes").asLong()).as("%s", ends).isPositive();
            } else {
                // One instance in each zone: it has nobody to ask.
                assertThat(pair.get("bytes").asLong()).as("%s", ends).isZero();
            }
        }
    }

    /**
     * The instances are processes of their own, which find the credentials in their environment:
     * cli/pom.xml. At night: applications over S3 have tests of their own, and so do the demo's
     * runs.
     */
    @Test
    @Tag("nightly")
    @Timeout(1800)
    void bothRunsGiveTheSameAndTheBytesAreInS3() throws IOException {
        try (VersityGateway server = VersityGateway.start(directory)) {
            server.makeBucket("blobs");
            String store = "s3://blobs/demo?region=us-east-1&path-style=true&endpoint=" + server.endpoint();
            JsonNode result = bothRunsGiveTheSame("at_least_once", "1", store, "--keep-blobs");
            assertBlobs(result.get("blobshuffle"), directory.resolve("buckets"));
            assertThat(result.at("/blobshuffle/blobs_left_after_sweep").asLong())
                    .isEqualTo(result.at("/blobshuffle/blobs").asLong());
        }
    }

    private JsonNode bothRunsGiveTheSame(String guarantee, String zones, String store, String... more)
            throws IOException {
        Path input =
                Files.write(directory.resolve("input.txt"), Text.own().lines().subList(0, LINES));
        Path json = directory.resolve("demo.json");
        Path report = directory.resolve("demo.html");
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();

        List<String> arguments = new ArrayList<>(List.of(
                "--input",
                input.toString(),
                "--zones",
                zones,
                "--instances",
                zones,
                "--guarantee",
                guarantee,
                "--store",
                store,
                "--json",
                json.toString(),
                "--report",
                report.toString()));
        arguments.addAll(List.of(more));

        int status = new CommandLine(new DemoCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments.toArray(String[]::new));

        assertThat(status).as("%s%n%s", out, err).isZero();
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        assertThat(result.at("/environment/processors").asInt()).isPositive();
        assertThat(result.get("outputs_equal").asBoolean()).isTrue();
        assertThat(result.at("/model/instance_bytes_per_second").asDouble()).isPositive();
        assertRun(result.get("native"), result.get("blobshuffle"));
        assertThat(out.toString())
                .contains(
                        "outputs equal",
                        "yes",
                        "inline.max.bytes is 0",
                        "All results are equal. Through blobs",
                        "The demo shuffled");
        assertThat(Files.readString(report))
                .contains("<svg", "BlobShuffle demo", "All results are equal.")
                .doesNotContain("NaN");
        assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
                .isEmpty();
        return result;
    }

    private static void assertBlobs(JsonNode blobRun, Path store) throws IOException {
        List<Path> blobs = LiveFiles.blobs(store);
        assertThat(blobRun.get("blobs").asLong()).isEqualTo(blobs.size()).isPositive();
        assertThat(blobRun.get("blob_bytes").asLong())
                .isEqualTo(blobs.stream().mapToLong(DemoIT::size).sum());
    }

    private static void assertRun(JsonNode nativeRun, JsonNode blobRun) {
        long records = nativeRun.get("records").asLong();
        assertThat(records).isGreaterThan(LINES);
        assertThat(blobRun.get("records").asLong()).isEqualTo(records);
        assertThat(nativeRun.get("blobs").asLong()).isZero();
        assertThat(blobRun.get("store_puts").asLong())
                .isGreaterThanOrEqualTo(blobRun.get("blobs").asLong())
                .isPositive();
        assertThat(blobRun.get("cross_zone_payload_bytes").asLong()).isZero();
        assertThat(blobRun.get("notifications").asLong()).isPositive();
        assertThat(blobRun.get("inlined_records").asLong()).isZero();
        assertThat(blobRun.get("inlined_bytes").asLong()).isZero();
        assertThat(blobRun.get("shuffle_broker_bytes").asLong())
                .isPositive()
                .isLessThan(nativeRun.get("shuffle_broker_bytes").asLong());
        for (JsonNode run : List.of(nativeRun, blobRun)) {
            assertThat(run.at("/latency_ms/p50").asDouble()).isPositive();
            assertThat(run.at("/latency_ms/p99").asDouble())
                    .isGreaterThanOrEqualTo(run.at("/latency_ms/p50").asDouble());
            assertThat(run.at("/cpu_seconds/application").asDouble()).isPositive();
            assertThat(run.at("/cpu_seconds/brokers").asDouble()).isPositive();
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
