package dev.blobshuffle.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.blobshuffle.cli.Main;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flightdaemon.internal.server.FlightConfig;
import dev.blobshuffle.flightdaemon.internal.server.FlightDaemon;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each example without a framework, built as a user would build it, adds up orders through blobs.
 */
class PlainExamplesIT {
    private static final String REPARTITION = "order-totals-by-customer-repartition";

    /** 0 + 5 + … + 2995 for the first of five customers, 600 more for each later one. */
    private static final String[] TOTALS = {
        "customer-0 898500", "customer-1 899100", "customer-2 899700", "customer-4 900900"
    };

    @TempDir
    private Path directory;

    @Test
    void kafkaStreamsNeedsSettingsOnly() throws Exception {
        assertThat(addsUpThroughBlobs("kafka-streams", Map.of(), REPARTITION))
                .contains("started for application order-totals");
    }

    @Test
    void clientsShareATopicOfBlobs() throws Exception {
        addsUpThroughBlobs("kafka-clients", Map.of(), "orders-by-customer");
    }

    @Test
    void serviceIsAskedForEachOrder() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        HttpServer service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/", exchange -> {
            asked.incrementAndGet();
            answer(exchange);
        });
        service.start();
        try {
            String prices = "http://localhost:" + service.getAddress().getPort() + "/";
            addsUpThroughBlobs("key-parallel", Map.of("PRICES", prices), REPARTITION);
        } finally {
            service.stop(0);
        }
        assertThat(asked.get()).isGreaterThanOrEqualTo(OrderBook.ORDERS);
    }

    @Test
    void messagingNeedsADatabaseAndNoBroker() throws Exception {
        Example example = Example.packaged("messaging");
        try (PostgresServer server = PostgresServer.builder().start()) {
            try (Connection connection = server.connect("postgres");
                    Statement statement = connection.createStatement()) {
                statement.execute("create role app login password 'secret'");
                statement.execute("create database app");
            }
            String database = "postgresql://localhost:" + server.port() + "/app?credentials=";
            String owner = database + credentials(PostgresServer.USER, server.password());
            int status = Main.commandLine()
                    .execute("messaging", "setup", "--log", owner, "--client-role", "app", "--execute");
            assertThat(status).isZero();

            runToItsEnd(
                    example, Map.of("LOG", database + credentials("app", "secret"), "BLOB_STORE", "file://" + blobs()));
        }
        assertThat(example.output()).contains(TOTALS);
        assertThat(Example.bytes(blobs())).isGreaterThan(OrderBook.ORDERS * 4L);
    }

    @Test
    void arrowNeedsADaemonAndNoBroker() throws Exception {
        Example example = Example.packaged("arrow");
        Files.createDirectories(blobs());
        FlightConfig.Budgets budgets = new FlightConfig.Budgets(
                FlightConfig.LEAST_MEMORY, 64 << 20, FlightConfig.LEAST_PUT_MEMORY, 0, OptionalLong.empty());
        FlightConfig config = new FlightConfig(
                "127.0.0.1",
                0,
                Optional.empty(),
                Map.of("default", List.of(blobs())),
                new FlightConfig.Security.InsecureLoopback(),
                budgets,
                Duration.ofHours(1),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of());
        try (SystemTime time = new SystemTime();
                FlightDaemon daemon = FlightDaemon.start(config, time)) {
            runToItsEnd(example, Map.of("FLIGHT_PORT", Integer.toString(daemon.port())));
        }
        assertThat(example.output()).contains(TOTALS);
        assertThat(blobs().resolve("shuffles")).isEmptyDirectory();
    }

    @Test
    void flinkNeedsAStoreAndNoBroker() throws Exception {
        Example example = Example.packaged("flink");
        runToItsEnd(example, Map.of("BLOB_STORE", "file://" + blobs()));
        assertThat(example.output()).contains(TOTALS);
        assertThat(Example.bytes(blobs())).isGreaterThan(OrderBook.ORDERS * 4L);
    }

    /** The totals are read from blobs: with {@code sync} nothing stays at executors. */
    @Test
    @Tag("nightly")
    void sparkNeedsAStoreAndNoBroker() throws Exception {
        Example example = Example.build("spark", directory.resolve("project"));
        runToItsEnd(example, Map.of("BLOB_STORE", "file://" + blobs()));
        assertThat(example.output()).contains(TOTALS).contains("The shuffles of this application are in");
        assertThat(blobs().resolve("spark")).isEmptyDirectory();
    }

    private static void runToItsEnd(Example example, Map<String, String> environment) throws Exception {
        Process application = example.start(environment);
        try {
            assertThat(application.waitFor(5, TimeUnit.MINUTES))
                    .as(example::output)
                    .isTrue();
        } finally {
            Example.stop(application);
        }
    }

    /** Runs an example until its totals are right, and looks at the topic; returns its output. */
    private String addsUpThroughBlobs(String name, Map<String, String> more, String topic) throws Exception {
        Example example = Example.packaged(name);
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().start()) {
            kafka.createTopic("orders", 2);
            kafka.createTopic("totals", 2);
            if (!topic.equals(REPARTITION)) {
                kafka.createTopic(topic, 2);
            }
            OrderBook orders = OrderBook.send(kafka.bootstrapServers());
            Map<String, String> environment = new HashMap<>(more);
            environment.put("KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrapServers());
            environment.put("BLOB_STORE", "file://" + blobs());
            environment.put("STATE_DIR", directory.resolve("state").toString());
            Process application = example.start(environment);
            try {
                assertThat(orders.totals(application)).as(example::output).isEqualTo(orders.expected());
            } finally {
                Example.stop(application);
            }
            assertThat(Example.bytes(blobs())).isGreaterThan(OrderBook.ORDERS * 8L);
            assertThat(orders.records(topic)).isBetween(1L, OrderBook.ORDERS / 4L);
        }
        return example.output();
    }

    private Path blobs() {
        return directory.resolve("blobs");
    }

    /** The price of an article is its number. */
    private static void answer(HttpExchange exchange) throws IOException {
        byte[] price = exchange.getRequestURI().getPath().substring(1).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, price.length);
        exchange.getResponseBody().write(price);
        exchange.close();
    }

    private String credentials(String user, String password) throws IOException {
        Path file = directory.resolve(user + ".credentials");
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, "user=" + user + "\npassword=" + password + "\n");
        return file.toString();
    }
}
