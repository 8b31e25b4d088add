package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import dev.blobshuffle.kstreams.differential.Log;
import dev.blobshuffle.kstreams.differential.NewTopics;
import dev.blobshuffle.kstreams.differential.Row;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The guide's example with a local service, which takes {@code -Dkeyparallel.service.ms} (20) for
 * each answer and refuses every tenth record the first time.
 */
class EnrichmentIT {
    private static final int LATENCY_MS = Integer.getInteger("keyparallel.service.ms", 20);
    private static final int VISITS = 300;
    private static final int USERS = 50;

    @TempDir
    private Path directory;

    @Test
    void everyVisitIsLocatedInItsOrder() throws Exception {
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
        Map<String, Integer> asked = new ConcurrentHashMap<>();
        HttpServer service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
        service.createContext(
                "/",
                exchange -> timer.schedule(
                        () -> {
                            byte[] country = exchange.getRequestURI().getPath().endsWith("0")
                                    ? "Iceland".getBytes(StandardCharsets.UTF_8)
                                    : "Peru".getBytes(StandardCharsets.UTF_8);
                            int times = asked.merge(exchange.getRequestURI().getPath(), 1, Integer::sum);
                            boolean isRefused = times == 1
                                    && exchange.getRequestURI().getPath().endsWith("7");
                            exchange.sendResponseHeaders(isRefused ? 503 : 200, country.length);
                            exchange.getResponseBody().write(country);
                            exchange.close();
                            return null;
                        },
                        LATENCY_MS,
                        TimeUnit.MILLISECONDS));
        service.start();
        String bootstrap = EmbeddedKafka.shared().bootstrapServers();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
                Instances instances = new Instances()) {
            NewTopics.create(admin, List.of("visits", "located"), 1);
            write(bootstrap);
            long start = System.nanoTime();
            instances.add(new KafkaStreams(
                    EnrichmentExample.topology(URI.create(
                            "http://localhost:" + service.getAddress().getPort())),
                    settings(bootstrap)));
            new Drain(admin, bootstrap, "geo-app", List.of("visits")).await(instances);
            System.out.printf(
                    "%d visits, %d ms each, on one partition: %d ms; one by one it takes %d ms%n",
                    VISITS, LATENCY_MS, (System.nanoTime() - start) / 1_000_000, VISITS * LATENCY_MS);
            assertLocated(new Log(bootstrap).rows("located"));
            assertThat(asked)
                    .allSatisfy((address, times) ->
                            assertThat(times).isGreaterThanOrEqualTo(address.endsWith("7") ? 2 : 1));
        } finally {
            service.stop(0);
            timer.shutdownNow();
        }
    }

    @Test
    void guideShowsThisExample() throws Exception {
        String source =
                Files.readString(Path.of("src/test/java/dev/blobshuffle/kstreams/keyparallel/EnrichmentExample.java"));
        String shown = source.substring(
                source.indexOf('\n', source.indexOf("// begin of the guide")) + 1,
                source.indexOf("    // end of the guide"));
        assertThat(Files.readString(Path.of("../docs/guides/key-parallel.md")))
                .contains("```java\n" + shown.stripTrailing().stripIndent() + "\n```");
    }

    private static void write(String bootstrapServers) {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers), new StringSerializer(), new StringSerializer())) {
            for (int visit = 0; visit < VISITS; visit++) {
                var ignored = producer.send(new ProducerRecord<>("visits", "user" + visit % USERS, "10.0.0." + visit));
            }
        }
    }

    private Properties settings(String bootstrapServers) {
        Properties settings = new Properties();
        settings.put("application.id", "geo-app");
        settings.put("bootstrap.servers", bootstrapServers);
        settings.put("processing.guarantee", "exactly_once_v2");
        settings.put("commit.interval.ms", 1_000);
        settings.put("poll.ms", 10);
        settings.put("blobshuffle.keyparallel.geo.max.concurrency", 64);
        // A second, as in the example, may be too short for a busy machine.
        settings.put("blobshuffle.keyparallel.geo.timeout.ms", 15_000);
        settings.put("producer.transaction.timeout.ms", 300_000);
        settings.put("auto.offset.reset", "earliest");
        settings.put("state.dir", directory.toString());
        return settings;
    }

    private static void assertLocated(List<Row> rows) {
        assertThat(rows).hasSize(VISITS);
        Map<String, List<Integer>> byUser = rows.stream()
                .collect(Collectors.groupingBy(
                        Row::key,
                        Collectors.mapping(
                                row -> Integer.parseInt(row.value().split("[ .]")[3]), Collectors.toList())));
        assertThat(byUser)
                .hasSize(USERS)
                .allSatisfy((user, visits) -> assertThat(visits).isSorted().doesNotHaveDuplicates());
        assertThat(rows).allSatisfy(row -> assertThat(row.value()).matches(".*0 Iceland|.*[1-9] Peru"));
    }
}
