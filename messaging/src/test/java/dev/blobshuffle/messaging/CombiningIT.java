package dev.blobshuffle.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.testkit.internal.servers.FreePort;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small instances of a zone that share blobs, with a real database, a file store and sockets. */
class CombiningIT {
    private static final int PER_ROUND = 6;

    @TempDir
    static Path directory;

    private static TestDatabase database;
    private static int names;

    private final List<Messaging> zone = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private final List<Publisher<String, String>> publishers = new ArrayList<>();
    private final Map<String, List<Integer>> received = new HashMap<>();
    private final String topic = "combined-" + names++;
    private int rounds;

    @BeforeAll
    static void start() throws Exception {
        database = new TestDatabase(directory);
        PrivateFiles.write(directory.resolve("secret"), "known to all members");
    }

    @AfterEach
    void close() {
        publishers.forEach(Publisher::close);
        zone.forEach(Messaging::close);
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = database.settings(directory.resolve("store-" + topic), "z");
        settings.put("blobshuffle.inline.max.bytes", "0");
        settings.put("blobshuffle.cache.zone.enabled", "true");
        settings.put("blobshuffle.peer.listen", "127.0.0.1:0");
        settings.put("blobshuffle.peer.secret.file", directory.resolve("secret").toString());
        settings.put("blobshuffle.combine.enabled", "true");
        return settings;
    }

    private void open(boolean isHub) {
        Map<String, Object> settings = settings();
        int port = FreePort.take();
        settings.put("blobshuffle.metrics.listen", "127.0.0.1:" + port);
        settings.put("blobshuffle.combine.serve", String.valueOf(isHub));
        ports.add(port);
        Messaging messaging = Messaging.open(settings);
        zone.add(messaging);
        publishers.add(messaging.publisher("writer-" + topic + "-" + zone.size(), Serde.string(), Serde.string()));
    }

    /** Each publisher sends some records, and all wait until they are acknowledged. */
    private void round() {
        for (int i = 0; i < PER_ROUND; i++) {
            for (int writer = 0; writer < publishers.size(); writer++) {
                publishers.get(writer).publish(topic, "key-" + writer, String.valueOf(rounds * PER_ROUND + i));
            }
        }
        publishers.forEach(publisher -> publisher.flush(Duration.ofMinutes(2)));
        rounds++;
    }

    private void until(String what, Callable<Boolean> step) {
        await(what)
                .pollInSameThread()
                .atMost(Duration.ofMinutes(2))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(step);
    }

    private long sum(String metric, List<Integer> of) {
        return of.stream().mapToLong(port -> value(port, metric)).sum();
    }

    private static long value(int port, String metric) {
        try {
            return (long) HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                                    .build(),
                            BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("blobshuffle_" + metric + "_total"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static long blobs(Path store) throws Exception {
        try (Stream<Path> files = Files.walk(store)) {
            return files.filter(file -> file.toString().endsWith(".blob")).count();
        }
    }

    private void receiveAll(int writers, int from) {
        try (Subscriber<String, String> subscriber =
                zone.get(from).subscriber(Subscription.of("group-" + topic, topic), Serde.string(), Serde.string())) {
            until("all records", () -> {
                subscriber
                        .poll(Duration.ofMillis(50))
                        .forEach(record -> received.computeIfAbsent(record.key(), key -> new ArrayList<>())
                                .add(Integer.parseInt(record.value())));
                return received.values().stream().mapToInt(List::size).sum() >= writers * rounds * PER_ROUND;
            });
        }
        List<Integer> all = IntStream.range(0, rounds * PER_ROUND).boxed().toList();
        assertThat(received).hasSize(writers);
        received.values().forEach(values -> assertThat(values).isEqualTo(all));
    }

    @Test
    void smallInstancesShareBlobsAndSurviveTheirHub() throws Exception {
        open(true);
        open(false);
        open(false);
        zone.get(0).topics().create(Topic.named(topic).partitions(6));
        until("blobs of several instances", () -> {
            round();
            long parts = sum("parts_taken", ports);
            return parts - sum("blobs_combined", ports) >= 10 && sum("parts_combined", ports) >= 20;
        });
        long handed = sum("parts_handed_over", ports);
        long stored = blobs(directory.resolve("store-" + topic));
        assertThat(stored).as("blobs, for %d parts", handed).isLessThan(handed);

        Messaging hub = zone.remove(0);
        publishers.remove(0).close();
        int others = rounds;
        receiveFirst(hub);
        hub.close();
        for (int i = 0; i < 5; i++) {
            publishRest();
        }
        receiveRest(others);
    }

    /** What all three have written, read by the instance that ends. */
    private void receiveFirst(Messaging hub) {
        zone.add(hub);
        receiveAll(3, zone.size() - 1);
        zone.remove(hub);
    }

    private void publishRest() {
        for (int i = 0; i < PER_ROUND; i++) {
            for (int writer = 0; writer < publishers.size(); writer++) {
                publishers.get(writer).publish(topic, "key-" + (writer + 1), String.valueOf(rounds * PER_ROUND + i));
            }
        }
        publishers.forEach(publisher -> publisher.flush(Duration.ofMinutes(2)));
        rounds++;
    }

    /** A new group reads everything again. */
    private void receiveRest(int roundsOfThree) {
        received.clear();
        try (Subscriber<String, String> subscriber =
                zone.get(0).subscriber(Subscription.of("again-" + topic, topic), Serde.string(), Serde.string())) {
            int expected = (3 * roundsOfThree + 2 * (rounds - roundsOfThree)) * PER_ROUND;
            until("all records again", () -> {
                subscriber
                        .poll(Duration.ofMillis(50))
                        .forEach(record -> received.computeIfAbsent(record.key(), key -> new ArrayList<>())
                                .add(Integer.parseInt(record.value())));
                return received.values().stream().mapToInt(List::size).sum() >= expected;
            });
        }
        assertThat(received.get("key-1"))
                .isEqualTo(IntStream.range(0, rounds * PER_ROUND).boxed().toList());
        assertThat(received.get("key-2")).isEqualTo(received.get("key-1"));
        assertThat(received.get("key-0"))
                .isEqualTo(IntStream.range(0, roundsOfThree * PER_ROUND).boxed().toList());
    }

    @Test
    void settingsThatCannotCombineAreRefusedAtTheStart() {
        assertRefused(
                "blobshuffle.cache.zone.enabled",
                Map.of("blobshuffle.cache.zone.enabled", "false", "blobshuffle.peer.listen", ""));
        assertRefused(
                "blobshuffle.encryption.key.id",
                Map.of("blobshuffle.encryption.keys", "file:///keys", "blobshuffle.encryption.key.id", "k1"));
        assertRefused(
                "blobshuffle.peer.listen", Map.of("blobshuffle.combine.serve", "true", "blobshuffle.peer.listen", ""));
        assertRefused("blobshuffle.combine.buffer.bytes", Map.of("blobshuffle.combine.buffer.bytes", "1 MiB"));
    }

    private void assertRefused(String named, Map<String, String> changes) {
        Map<String, Object> settings = settings();
        settings.putAll(changes);
        assertThatThrownBy(() -> Messaging.open(settings).close())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("combine.")
                .hasMessageContaining(named);
    }
}
