package dev.blobshuffle.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.format.entries.EntriesEncoder;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.log.CommitLog;
import dev.blobshuffle.core.internal.log.CommitLogs;
import dev.blobshuffle.core.internal.log.LogBatch;
import dev.blobshuffle.core.internal.log.LogTopic;
import dev.blobshuffle.core.internal.log.RetentionRule;
import dev.blobshuffle.core.internal.log.Writer;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.SectionOwners;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The instances of a zone read a busy topic together, over a real database and real sockets. */
@Timeout(180)
class ZoneTailingIT {
    private static final int PER_COMMIT = 8;
    private static final int COMMITS = 40;
    private static final int RECORD = 60_000;

    @TempDir
    static Path directory;

    private static TestDatabase database;
    private static int names;

    private final SystemTime time = new SystemTime();
    private final List<TailingInstance> instances = new ArrayList<>();
    private CommitLog log;
    private LogTopic topic;
    private Writer writer;

    /** When the readers end. */
    private volatile long end = Long.MAX_VALUE;

    private long number;

    @BeforeAll
    static void start() throws Exception {
        database = new TestDatabase(PostgresServer.builder().start(), directory);
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void open() {
        log = CommitLogs.open(database.log(), "test", time);
        topic = now(log.topics().create("busy-" + names++, 1, new RetentionRule.Forever()))
                .orElseThrow();
        writer = now(log.open(topic.name()));
        number = writer.firstNumber();
    }

    @AfterEach
    void close() {
        instances.forEach(TailingInstance::close);
        log.close();
        time.close();
    }

    private <T> T now(CompletionStage<T> stage) {
        return CommitLogs.await(stage, Duration.ofSeconds(30), "test", time);
    }

    /** Commits and sequences half a megabyte. */
    private void publish() {
        List<LogBatch> batches = new ArrayList<>();
        for (int i = 0; i < PER_COMMIT; i++) {
            EntriesEncoder encoder = new EntriesEncoder(64 << 10);
            encoder.record(0, 1_000, null, new byte[RECORD], Headers.NONE);
            encoder.finish()
                    .forEach(each -> batches.add(
                            new LogBatch(topic.number(), each.entries(), each.blobs(), each.bytes(), each.latest())));
        }
        now(writer.commit(number, batches, Optional.empty()));
        number += batches.size();
        now(log.sequence(topic.number()));
    }

    private void publish(int commits) {
        for (int i = 0; i < commits; i++) {
            publish();
        }
    }

    /** Instances, the first of which may be somebody else. */
    private List<TailingInstance> start(int count, long firstId) {
        for (int i = 0; i < count; i++) {
            instances.add(new TailingInstance(firstId + i, database.log()));
        }
        return instances;
    }

    private void follow(List<Member> others) {
        List<Member> members = new ArrayList<>(others);
        instances.forEach(instance -> members.add(instance.member));
        instances.forEach(instance -> instance.follow(topic.number(), members, () -> end));
    }

    /** An id that rendezvous hashing prefers to 1, 2 and 3. */
    private long preferred() {
        return LongStream.range(100, 100_000)
                .filter(id -> {
                    List<Member> members = LongStream.of(1, 2, 3, id)
                            .mapToObj(each -> TailingInstance.member(
                                    each, new dev.blobshuffle.core.internal.membership.Endpoint("x", 1)))
                            .toList();
                    return SectionOwners.ofTopic(members, log.id(), topic.number(), any -> true)
                                    .orElseThrow()
                                    .id()
                            == id;
                })
                .findFirst()
                .orElseThrow();
    }

    /** Publishes a last batch, and waits until the readers have it. */
    private void everybodyHasReadAll() throws InterruptedException {
        end = number - writer.firstNumber() + PER_COMMIT;
        publish();
        for (TailingInstance instance : instances) {
            assertThat(instance.all())
                    .isEqualTo(LongStream.range(0, end).boxed().toList());
        }
    }

    private long sum(Counter counter) {
        return instances.stream().mapToLong(each -> each.count(counter)).sum();
    }

    @Test
    void theDatabaseServesAboutOneReader() throws Exception {
        start(4, 1);
        follow(List.of());
        publishUntilShared();
        // A machine that stands still lets instances fall back, so one good round is asked for.
        double rows = Double.MAX_VALUE;
        Instant limit = Instant.now().plusSeconds(90);
        while (rows >= 2 && Instant.now().isBefore(limit)) {
            long before = sum(Counter.LOG_BYTES_READ);
            publish(COMMITS);
            awaitShared(number - writer.firstNumber());
            rows = (double) (sum(Counter.LOG_BYTES_READ) - before) / ((long) COMMITS * PER_COMMIT * RECORD);
        }
        everybodyHasReadAll();

        assertThat(rows)
                .as("times that the database sent each row to 4 readers")
                .isBetween(0.9, 2.0);
    }

    /** Waits until all readers have so many batches. */
    private void awaitShared(long count) {
        while (instances.stream().anyMatch(each -> each.taken() < count)) {
            Thread.onSpinWait();
        }
    }

    /** Publishes until all instances get pages from the one that is chosen. */
    private void publishUntilShared() {
        Instant limit = Instant.now().plusSeconds(60);
        while (instances.stream().anyMatch(each -> each.count(Counter.LOG_PAGES_SHARED) < 3)) {
            assertThat(Instant.now()).isBefore(limit);
            publish();
        }
    }

    @Test
    void aMemberThatIsStoppedAndKilledLosesNothing() throws Exception {
        start(3, 1);
        try (TailingInstance.Other other = TailingInstance.Other.start(preferred(), database.log())) {
            follow(List.of(other.member));
            publishUntilShared();
            other.stop();
            publish(COMMITS / 4);
            other.kill();
            publish(COMMITS / 4);
            everybodyHasReadAll();
        }

        assertThat(sum(Counter.LOG_SHARE_FAILURES)).isPositive();
    }

    @Test
    void aMemberOfAnotherLogIsRefused() throws Exception {
        start(3, 1);
        try (TailingInstance other = new TailingInstance(preferred(), database.log(), Optional.of(UUID.randomUUID()))) {
            follow(List.of(other.member));
            publish(COMMITS);
            everybodyHasReadAll();

            assertThat(sum(Counter.LOG_SHARE_FAILURES)).isPositive();
            assertThat(other.count(Counter.PEER_REQUESTS)).isZero();
        }
    }

    @Test
    void messagingSharesABusyTopic() throws Exception {
        PrivateFiles.write(directory.resolve("secret-" + topic.name()), "known to all members");
        List<Messaging> zone = new ArrayList<>();
        List<Subscriber<byte[], byte[]>> subscribers = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                int port = freePort();
                ports.add(port);
                Map<String, Object> settings = database.settings(directory.resolve("store"), "z");
                settings.put("blobshuffle.cache.zone.enabled", "true");
                settings.put("blobshuffle.peer.listen", "127.0.0.1:0");
                settings.put(
                        "blobshuffle.peer.secret.file",
                        directory.resolve("secret-" + topic.name()).toString());
                settings.put("blobshuffle.metrics.listen", "127.0.0.1:" + port);
                Messaging messaging = Messaging.open(settings);
                zone.add(messaging);
                subscribers.add(messaging.subscriber(
                        Subscription.of("group-" + i + topic.name(), topic.name()), Serde.bytes(), Serde.bytes()));
            }
            long[] counts = new long[3];
            Instant limit = Instant.now().plusSeconds(120);
            while (ports.stream().anyMatch(port -> sharedPages(port) == 0)
                    && Instant.now().isBefore(limit)) {
                publish(4);
                for (int i = 0; i < 3; i++) {
                    counts[i] += subscribers.get(i).poll(Duration.ofMillis(50)).count();
                }
            }
            for (int i = 0; i < 3; i++) {
                while (counts[i] < number && Instant.now().isBefore(limit)) {
                    counts[i] += subscribers.get(i).poll(Duration.ofMillis(50)).count();
                }
            }

            assertThat(counts).containsOnly(number - writer.firstNumber());
            assertThat(ports).allMatch(port -> sharedPages(port) > 0);
        } finally {
            subscribers.forEach(Subscriber::close);
            zone.forEach(Messaging::close);
        }
    }

    private static int freePort() throws Exception {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    private static double sharedPages(int port) {
        try {
            return HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                                    .build(),
                            BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("blobshuffle_log_pages_shared_total"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
