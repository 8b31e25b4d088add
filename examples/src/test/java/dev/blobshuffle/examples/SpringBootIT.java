package dev.blobshuffle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An application with the starter shuffles through blobs by application.yml alone, and Actuator
 * shows its meters and health, under Spring Boot 4 and 3.
 */
class SpringBootIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

    @TempDir
    private Path directory;

    @BeforeAll
    static void publish() throws Exception {
        Example.publish();
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring-boot-4", "spring-boot-3"})
    void applicationYmlAloneShufflesThroughBlobs(String profile) throws Exception {
        Example example = Example.build("spring-boot", directory, "-P" + profile);
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().start()) {
            kafka.createTopic("orders", 2);
            kafka.createTopic("totals", 2);
            OrderBook orders = OrderBook.send(kafka.bootstrapServers());
            Map<String, String> environment = environment(kafka);
            Process application = example.start(environment);
            try {
                assertThat(orders.totals(application)).as(example::output).isEqualTo(orders.expected());
                checkActuator(example, application);
            } finally {
                Example.stop(application);
            }

            refusesAWrongKey(example, environment);
            reportsANativeRun(example, environment);
        }
    }

    private Map<String, String> environment(EmbeddedKafka kafka) {
        return Map.of(
                "KAFKA_BOOTSTRAP_SERVERS",
                kafka.bootstrapServers(),
                "BLOB_STORE",
                "file://" + directory.resolve("blobs"),
                "STATE_DIR",
                directory.resolve("state").toString(),
                "BLOBSHUFFLE_CACHE_SERVICE_HOST",
                "10.0.0.7", // As Kubernetes sets it.
                "PORT",
                "0");
    }

    private static void checkActuator(Example example, Process application) throws Exception {
        Matcher port = await(example, application, PORT);
        String actuator = "http://127.0.0.1:" + port.group(1) + "/actuator";

        assertThat(get(actuator + "/health"))
                .contains("\"blobshuffle\":{", "\"storeReachable\":true", "\"membershipConnected\":true")
                .startsWith("{")
                .contains("\"status\":\"UP\"");
        assertThat(get(actuator + "/metrics/blobshuffle.blobs.stored?tag=application:order-totals"))
                .containsPattern("\"statistic\":\"COUNT\",\"value\":[1-9]");
        assertThat(get(actuator + "/prometheus"))
                .containsPattern("blobshuffle_notifications_sent_total\\{application=\"order-totals\",[^}]*} [1-9]")
                .containsPattern("blobshuffle_put_latency_seconds_bucket\\{application=\"order-totals\",[^}]*} [1-9]")
                .contains("blobshuffle_put_latency_p99_seconds{", "blobshuffle_write_buffer_used_bytes{");
    }

    private static void refusesAWrongKey(Example example, Map<String, String> environment) throws Exception {
        Process application =
                example.start(with(environment, "SPRING_APPLICATION_JSON", "{\"blobshuffle.batch.mx-bytes\": 1}"));
        try {
            assertThat(application.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(application.exitValue()).isNotZero();
            assertThat(example.output())
                    .contains("APPLICATION FAILED TO START", "The nearest is blobshuffle.batch.max.bytes");
        } finally {
            Example.stop(application);
        }
    }

    /**
     * Settings of Kafka Streams alone, without the starter: Spring passes a supplier of its own.
     */
    private static void reportsANativeRun(Example example, Map<String, String> environment) throws Exception {
        assertThat(example.output()).doesNotContain("natively");
        Process application = example.start(with(environment, "SPRING_APPLICATION_JSON", """
            {"spring.autoconfigure.exclude": "dev.blobshuffle.springbootstarter.BlobShuffleAutoConfiguration",
             "spring.kafka.streams.application-id": "settings-only",
             "spring.kafka.streams.properties.default.client.supplier":
               "dev.blobshuffle.kstreams.BlobShuffleClientSupplier",
             "spring.kafka.streams.properties.blobshuffle.store": "memory://never-opened"}
            """.replace("\n", " ")));
        try {
            await(example, application, Pattern.compile("ERROR.*Kafka Streams runs natively in this process"));
        } finally {
            Example.stop(application);
        }
    }

    private static Map<String, String> with(Map<String, String> environment, String name, String value) {
        Map<String, String> more = new HashMap<>(environment);
        more.put(name, value);
        return more;
    }

    private static Matcher await(Example example, Process application, Pattern wanted) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Matcher matcher = wanted.matcher(example.output());
        while (!matcher.find()) {
            assertThat(application.waitFor(100, TimeUnit.MILLISECONDS))
                    .as(example::output)
                    .isFalse();
            assertThat(System.nanoTime()).as(example::output).isLessThan(deadline);
            matcher = wanted.matcher(example.output());
        }
        return matcher;
    }

    private static String get(String uri) throws Exception {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response::body).isEqualTo(200);
        return response.body();
    }
}
