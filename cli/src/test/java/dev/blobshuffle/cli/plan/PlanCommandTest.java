package dev.blobshuffle.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.LabelledMetrics;
import dev.blobshuffle.core.internal.metrics.MetricsEndpoint;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class PlanCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int plan(String... arguments) {
        return new CommandLine(new PlanCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    private JsonNode json() throws IOException {
        return new ObjectMapper().readTree(out.toString());
    }

    @Test
    void jsonHasTheDocumentedKeys() throws IOException {
        int status = plan(
                "--throughput",
                "1GiB/s",
                "--record-size",
                "1KiB",
                "--instances",
                "24",
                "--zones",
                "3",
                "--partitions",
                "216",
                "--json");

        assertThat(err.toString()).isEmpty();
        assertThat(status).isZero();
        assertThat(json().at("/native/usd_per_hour").asDouble()).isEqualTo(192);
        double store = json().at("/blobshuffle/storage_usd_per_hour").asDouble();
        double compute = json().at("/blobshuffle/compute_usd_per_hour").asDouble();
        double kafka = json().at("/blobshuffle/kafka_usd_per_hour").asDouble();
        assertThat(json().at("/blobshuffle/usd_per_hour").asDouble())
                .isCloseTo(store + compute + kafka, withinPercentage(0.1))
                .isLessThan(192.0 / 40);
        assertThat(json().at("/latency_seconds/p50").asDouble()).isPositive();
        assertThat(json().at("/latency_seconds/p95").asDouble()).isLessThanOrEqualTo(2);
        assertThat(json().at("/latency_seconds/p99").asDouble()).isPositive();
        assertThat(json().at("/recommended/settings").has("blobshuffle.batch.max.bytes"))
                .isTrue();
        assertThat(json().at("/pays_off").asBoolean()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "aws, blobshuffle-s3", "aws-s3-express, blobshuffle-s3", "r2, blobshuffle-s3",
        "gcp, blobshuffle-gcs", "azure, blobshuffle-azure", "self-hosted, "
    })
    void settingsComeWithTheArtifactsThatTheyNeed(String provider, @Nullable String store) throws IOException {
        String peer = "dev.blobshuffle:blobshuffle-peer";
        List<String> artifacts = store == null ? List.of(peer) : List.of("dev.blobshuffle:" + store, peer);
        int ignored = plan("--throughput", "1GiB/s", "--provider", provider, "--json");
        assertThat(json().at("/recommended/settings").has("blobshuffle.cache.zone.enabled"))
                .isTrue();
        assertThat(json().at("/recommended/artifacts"))
                .extracting(JsonNode::asText)
                .containsExactlyElementsOf(artifacts);

        out.getBuffer().setLength(0);
        ignored = plan("--throughput", "1GiB/s", "--provider", provider);
        assertThat(out.toString()).contains("# needs " + peer + "\nblobshuffle.cache.zone.enabled=true");
        assertThat(out.toString().contains("# the store needs ")).isEqualTo(store != null);

        out.getBuffer().setLength(0);
        ignored = plan("--throughput", "1GiB/s", "--provider", provider, "--cache", "none");
        assertThat(out.toString()).doesNotContain("cache.zone.enabled", "blobshuffle-peer");
    }

    @Test
    void theTableSaysWhatToDo() {
        assertThat(plan("--throughput", "100MiB/s", "--target-p95", "1500ms")).isZero();
        assertThat(out.toString())
                .contains("BlobShuffle pays off", "native, replication 3", "p95", "<- recommended")
                .contains("blobshuffle.batch.max.bytes=")
                .doesNotContain("NaN");
    }

    @ParameterizedTest
    @CsvSource({"self-managed, 192, 144", "msk, 48, 36", "msk-express, 84, 63", "confluent-cloud, 360, 135"})
    void theKafkaServiceDecidesWhatATopicCosts(String service, double topic, double changelogs) throws IOException {
        assertThat(plan("--throughput", "1GiB/s", "--kafka", service, "--changelogs", "768MiB/s", "--json"))
                .isZero();
        assertThat(json().at("/native/usd_per_hour").asDouble()).isCloseTo(topic, withinPercentage(0.01));
        assertThat(json().at("/changelogs_usd_per_hour").asDouble()).isCloseTo(changelogs, withinPercentage(0.01));
        assertThat(json().at("/assumptions/kafka_prices").asText()).isEqualTo(service);
    }

    @Test
    void blobsThatDoNotPayWithAServiceAreNamedSo() {
        assertThat(plan("--throughput", "1MiB/s", "--kafka", "diskless", "--target-p95", "5s"))
                .isZero();
        assertThat(out.toString())
                .contains(
                        "BlobShuffle does not pay off with diskless brokers",
                        "if you shuffle through blobs nevertheless")
                .contains("Not looked up for diskless brokers: notification.seconds");
    }

    @Test
    void aPlanThatMissesItsGoalFails() {
        assertThat(plan("--throughput", "100MiB/s", "--target-p95", "20ms")).isEqualTo(1);
        assertThat(out.toString()).contains("NO SETTINGS REACH THE GOAL");
    }

    @Test
    void theReportNeedsNothingElse() throws IOException {
        Path report = directory.resolve("plan.html");
        Path file = directory.resolve("plan.json");
        assertThat(plan(
                        "--throughput",
                        "10MiB/s",
                        "--provider",
                        "gcp",
                        "--report",
                        report.toString(),
                        "--json=" + file))
                .isZero();
        String html = Files.readString(report);
        assertThat(html).contains("<svg", "</html>", "recommended", "USD/h").doesNotContain("NaN", "src=", "href=");
        assertThat(new ObjectMapper().readTree(file.toFile()).has("recommended"))
                .isTrue();
        assertThat(out.toString()).contains("soft delete");
    }

    @Test
    void settingsCanBeGiven() throws IOException {
        assertThat(plan(
                        "--throughput",
                        "1GiB/s",
                        "--instances",
                        "24",
                        "--batch-size",
                        "16MiB",
                        "--delay",
                        "5s",
                        "--hedging",
                        "0",
                        "--json"))
                .isZero();
        assertThat(json().at("/recommended/settings/blobshuffle.batch.max.bytes")
                        .asText())
                .isEqualTo("16 MiB");
        assertThat(json().at("/blobshuffle/storage_usd_per_hour").asDouble()).isCloseTo(1.37, withinPercentage(3));
    }

    @Test
    void loadComesFromMetrics() throws IOException {
        Path file = Files.writeString(directory.resolve("metrics.json"), """
                {"seconds": 100, "zones": 2, "guarantee": "exactly_once_v2", "commit_interval_ms": 1000,
                 "instances": [
                  {"records-appended": 500000, "bytes-appended": 1000000000, "blob-bytes-stored": 500000000},
                  {"records-appended": 500000, "bytes-appended": 1000000000, "blob-bytes-stored": 500000000}]}
                """);
        assertThat(plan("--from-metrics", file.toString(), "--json")).isZero();
        assertThat(json().at("/workload/bytes_per_second").asLong()).isEqualTo(20_000_000);
        assertThat(json().at("/workload/record_bytes").asDouble()).isEqualTo(2000);
        assertThat(json().at("/workload/instances").asInt()).isEqualTo(2);
        assertThat(json().at("/workload/zones").asInt()).isEqualTo(2);
        assertThat(json().at("/workload/compressed_share").asDouble()).isEqualTo(0.5);
        assertThat(json().at("/workload/commit_interval_ms").asInt()).isEqualTo(1000);
    }

    private Path prometheus(String name, String application, String zone) throws IOException {
        String labels = "{application=\"" + application + "\",engine=\"1\",zone=\"" + zone + "\"}";
        return Files.writeString(
                directory.resolve(name),
                String.join(
                        "\n",
                        "# TYPE blobshuffle_bytes_appended_total counter",
                        "blobshuffle_bytes_appended_total" + labels + " 1.0E9 1700000000000",
                        "blobshuffle_records_appended_total" + labels + " 500000",
                        "blobshuffle_blob_bytes_stored_total" + labels + " 5e8",
                        "blobshuffle_uptime_seconds" + labels + " 100",
                        "blobshuffle_blobs_stored_total" + labels + " 500",
                        "blobshuffle_put_latency_p50_seconds" + labels + " 0.005",
                        "blobshuffle_put_latency_seconds_bucket{le=\"+Inf\"} 0",
                        "jvm_info{version=\"25 \\\"x, y=\\\"\"} 1",
                        ""));
    }

    @Test
    void loadComesFromWhatPrometheusGets() throws IOException {
        Path first = prometheus("first", "orders", "a");
        Path second = prometheus("second", "orders", "b");
        assertThat(plan("--from-metrics", first.toString(), second.toString(), "--json"))
                .isZero();
        assertThat(json().at("/workload/bytes_per_second").asLong()).isEqualTo(20_000_000);
        assertThat(json().at("/workload/record_bytes").asDouble()).isEqualTo(2000);
        assertThat(json().at("/workload/instances").asInt()).isEqualTo(2);
        assertThat(json().at("/workload/zones").asInt()).isEqualTo(2);
        assertThat(json().at("/workload/compressed_share").asDouble()).isEqualTo(0.5);
    }

    @Test
    void theStoreIsAsFastAsItWasMeasured() throws IOException {
        String place = prometheus("first", "orders", "a").toString();
        String[] settings = {"--from-metrics", place, "--batch-size", "1MiB", "--delay", "50ms", "--json"};
        assertThat(plan(settings)).isZero();
        assertThat(json().at("/assumptions/latency_profile").asText()).endsWith(" with measured medians");
        double measured = json().at("/latency_seconds/mean_parts/store").asDouble();
        assertThat(measured).isBetween(0.004, 0.02);
        out.getBuffer().setLength(0);
        String[] named = Arrays.copyOf(settings, settings.length + 2);
        named[settings.length] = "--latency-profile";
        named[settings.length + 1] = "s3-standard";
        assertThat(plan(named)).isZero();
        assertThat(json().at("/latency_seconds/mean_parts/store").asDouble()).isGreaterThan(4 * measured);
    }

    @Test
    void oneOfSeveralApplicationsIsChosen() throws IOException {
        String first = prometheus("first", "orders", "a").toString();
        String second = prometheus("second", "bills", "a").toString();
        assertThat(plan("--from-metrics", first, second)).isEqualTo(2);
        assertThat(err.toString()).contains("bills, orders", "--application");
        assertThat(plan("--from-metrics", first, second, "--application", "gone"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("application gone");
        assertThat(plan("--from-metrics", first, second, "--application", "bills", "--json"))
                .isZero();
        assertThat(json().at("/workload/instances").asInt()).isEqualTo(1);
    }

    @Test
    void loadComesFromARunningProcess() throws IOException {
        try (SystemTime time = new SystemTime()) {
            ShuffleMetrics metrics = new ShuffleMetrics(time);
            metrics.add(Counter.BYTES_APPENDED, 100_000_000);
            metrics.add(Counter.RECORDS_APPENDED, 100_000);
            LabelledMetrics shown = LabelledMetrics.alone(metrics);
            try (MetricsEndpoint.Publication endpoint = MetricsEndpoint.publish("127.0.0.1:0", shown)) {
                String url = "http://" + endpoint.address();
                assertThat(plan("--from-metrics", url + "/metrics", "--throughput", "20MB/s", "--json"))
                        .isZero();
                assertThat(json().at("/workload/record_bytes").asDouble()).isEqualTo(1000);
                assertThat(plan("--from-metrics", url + "/elsewhere")).isEqualTo(1);
                assertThat(err.toString()).contains("answered 404");
            }
            assertThat(plan("--from-metrics", "http://127.0.0.1:1/metrics")).isEqualTo(1);
            assertThat(err.toString()).contains("check address and network");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"seconds\": 5}                                        | 'instances'",
                "{\"seconds\": 0, \"instances\": [{}]}                   | 'seconds'",
                "{\"seconds\": 5, \"instances\": [{}]}                   | bytes-appended",
                "{not json                                               | it is not JSON",
                "not json                                                | neither JSON nor the text format of Prometheus, line 1",
                "' '                                                     | it is empty",
                "up 1                                                    | none is BlobShuffle's",
                "blobshuffle_puts_total many                             | line 1 has no number",
                "blobshuffle_puts_total 5                                | bytes-appended",
                "blobshuffle_bytes_appended_total 5                      | blobshuffle_uptime_seconds",
            })
    void metricsThatSayNothingAreRefused(String text, String reason) throws IOException {
        Path file = Files.writeString(directory.resolve("metrics.json"), text);
        assertThat(plan("--from-metrics", file.toString())).isEqualTo(1);
        assertThat(err.toString()).startsWith("Cannot ").contains(reason);
    }

    @ParameterizedTest
    @CsvSource({
        "--throughput 1GB, 2, 1GiB/s",
        "--throughput -1MiB/s, 2, more than 0",
        "--throughput 100Mb/s, 2, may mean bits",
        "--throughput 99999999999TiB/s, 2, 900 TiB/s",
        "--throughput 1MiB/s --application x, 2, Give --from-metrics",
        "--throughput 1MiB/s --batch-size 1MiB --delay 1s --target-p95 2s, 2, Cannot both price",
        "--throughput 1MiB/s --target-p95 -2s, 2, Give a positive time",
        "--throughput 0MiB/s, 2, throughput is 0",
        "--throughput 1MiB/s --instances 2, 2, cannot be in 3 zones",
        "--throughput 1MiB/s --zones 0, 2, number of zones is 0",
        "--throughput 1MiB/s --provider acme, 2, 'acme'",
        "--throughput 1MiB/s --prices /none, 2, Cannot read prices",
        "--throughput 1MiB/s --kafka acme, 2, confluent-cloud",
        "--throughput 1MiB/s --kafka-prices /none, 2, Cannot read prices of a Kafka service",
        "--throughput 1MiB/s --changelogs 5, 2, 1GiB/s",
        "--throughput 1MiB/s --guarantee maybe, 2, exactly_once_v2 or at_least_once",
        "--throughput 1MiB/s --commit-interval soon, 2, 500ms",
        "--throughput 1MiB/s --target-p95 2s --max-cost 1, 2, Give one",
        "--throughput 1MiB/s --batch-size 1MiB, 2, --delay",
        "--throughput 1MiB/s --combine --cache none, 2, a cache per zone",
        "--throughput 1MiB/s --latency-profile slow, 2, s3-standard",
        "--throughput 1MiB/s --compression 0, 2, compressed share",
        "--from-metrics /none, 1, Cannot read metrics",
        "'', 2, --throughput"
    })
    void strangeInputHasAClearAnswer(String arguments, int status, String reason) {
        assertThat(plan(arguments.isEmpty() ? new String[0] : arguments.split(" ")))
                .isEqualTo(status);
        assertThat(err.toString()).contains(reason).doesNotContain("Exception:", "\tat ");
    }
}
