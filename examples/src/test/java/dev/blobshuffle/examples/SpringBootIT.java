package dev.blobshuffle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.common.GroupType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application with the starter shuffles through blobs by application.yml alone, and Actuator
 * shows its meters and health, under Spring Boot 4 and 3.
 */
class SpringBootIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

    @TempDir
    private Path directory;

    @Test
    void applicationYmlAloneShufflesThroughBlobs() throws Exception {
        shufflesThroughBlobs(Example.packaged("spring-boot"));
    }

    @Tag("nightly")
    @Test
    void applicationYmlAloneShufflesThroughBlobsUnderSpringBoot3() throws Exception {
        shufflesThroughBlobs(Example.build("spring-boot", directory.resolve("project"), "-Pspring-boot-3"));
    }

    /** At night: each start of the application takes the time of a whole class. */
    @Tag("nightly")
    @Test
    void suppliersOfTheApplicationAreWrappedOrReported() throws Exception {
        Example example = Example.packaged("spring-boot");
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().start()) {
            kafka.createTopic("orders", 2);
            kafka.createTopic("totals", 2);
            OrderBook.send(kafka.bootstrapServers());
            Map<String, String> environment = environment(kafka);
            wrapsAnOwnSupplierUnderTheStreamsProtocol(example, environment, kafka.bootstrapServers());
            assertThat(example.output()).doesNotContain("natively");
            reportsAPassedSupplier(example, environment);
            reportsANativeRun(example, environment);
        }
    }

    private void shufflesThroughBlobs(Example example) throws Exception {
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
            assertThat(example.output()).doesNotContain("natively");
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

    /** The address of the example's run of a number, from 1 on. */
    private static String actuator(Example example, Process application, int run) throws Exception {
        List<String> ports = new ArrayList<>();
        awaitTrue(example, application, () -> {
            ports.clear();
            PORT.matcher(example.output()).results().forEach(found -> ports.add(found.group(1)));
            return ports.size() >= run;
        });
        return "http://127.0.0.1:" + ports.get(run - 1) + "/actuator";
    }

    private static void checkActuator(Example example, Process application) throws Exception {
        String actuator = actuator(example, application, 1);

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

    /** Its clients are the application's, which the settings name. */
    private static void wrapsAnOwnSupplierUnderTheStreamsProtocol(
            Example example, Map<String, String> environment, String bootstrapServers) throws Exception {
        assertThat(example.output()).doesNotContain("OwnSupplier makes a producer");
        Process application = example.start(with(environment, "SPRING_APPLICATION_JSON", """
            {"spring.kafka.streams.application-id": "by-protocol",
             "spring.kafka.streams.properties.group.protocol": "streams",
             "blobshuffle.client.supplier": "example.OwnSupplier"}
            """.replace("\n", " ")));
        try {
            Pattern delivered =
                    Pattern.compile("blobshuffle_records_delivered_total\\{application=\"by-protocol\",[^}]*} (\\S+)");
            String actuator = actuator(example, application, 1);
            awaitTrue(example, application, () -> {
                Matcher found = delivered.matcher(get(actuator + "/prometheus"));
                return found.find() && Double.parseDouble(found.group(1)) == OrderBook.ORDERS;
            });
            assertThat(example.output()).contains("OwnSupplier makes a producer");
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
                assertThat(admin.listGroups().valid().get())
                        .filteredOn(group -> group.groupId().equals("by-protocol"))
                        .extracting(GroupListing::type)
                        .containsExactly(Optional.of(GroupType.STREAMS));
            }
        } finally {
            Example.stop(application);
        }
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

    /** A bean that is passed to the factory stays, and the application hears of it. */
    private static void reportsAPassedSupplier(Example example, Map<String, String> environment) throws Exception {
        Process application = example.start(with(environment, "SPRING_APPLICATION_JSON", """
            {"spring.kafka.streams.application-id": "own-bean", "own.supplier": "yes"}
            """.strip()));
        try {
            await(
                    example,
                    application,
                    Pattern.compile("ERROR.*application own-bean runs natively, without BlobShuffle: its factory bean"
                            + " has a client supplier of its own. Name that class in blobshuffle.client.supplier"));
        } finally {
            Example.stop(application);
        }
    }

    /**
     * Settings of Kafka Streams alone, without the starter: Spring passes a supplier of its own.
     */
    private static void reportsANativeRun(Example example, Map<String, String> environment) throws Exception {
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

    private static void await(Example example, Process application, Pattern wanted) throws Exception {
        awaitTrue(example, application, () -> wanted.matcher(example.output()).find());
    }

    private static void awaitTrue(Example example, Process application, Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .failFast(() ->
                        assertThat(application.isAlive()).as(example::output).isTrue())
                .until(condition);
    }

    private static String get(String uri) throws Exception {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response::body).isEqualTo(200);
        return response.body();
    }
}
