package dev.blobshuffle.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.SectionOwners;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.entries.EntriesEncoder;
import dev.blobshuffle.testkit.internal.servers.FreePort;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The instances of a zone read a busy topic together, with a real database and real sockets. */
class ZoneTailingIT {
    private static final int PER_COMMIT = 8;
    private static final int COMMITS = 10;
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

    /** The number of batches after which the readers end. */
    private volatile long end = Long.MAX_VALUE;

    private long number;

    @BeforeAll
    static void start() throws Exception {
        database = new TestDatabase(directory);
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

    /** Starts instances with consecutive ids. */
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

    /**
     * The number of reads of the database depends on time: {@code ZonePagesTest} has virtual time.
     */
    @Test
    void allInstancesReadPagesOfTheOneThatIsChosen() throws Exception {
        start(4, 1);
        follow(List.of());
        publishUntilShared();
        publish(COMMITS);
        everybodyHasReadAll();
    }

    /** Publishes until all instances get pages from the chosen one. */
    private void publishUntilShared() {
        until("pages of the chosen instance", () -> {
            publish();
            return instances.stream().allMatch(each -> each.count(Counter.LOG_PAGES_SHARED) >= 3);
        });
    }

    @Test
    void aMemberThatIsStoppedAndKilledLosesNothing() throws Exception {
        start(3, 1);
        try (TailingInstance.Other other = TailingInstance.Other.start(preferred(), database.log())) {
            follow(List.of(other.member));
            publishUntilShared();
            other.stop();
            publish(COMMITS);
            other.kill();
            publish(COMMITS);
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
                int port = FreePort.take();
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
            until("pages of another instance", () -> {
                publish(4);
                takeOnce(subscribers, counts);
                return ports.stream().allMatch(port -> sharedPages(port) > 0);
            });
            long all = number - writer.firstNumber();
            until("all records", () -> {
                takeOnce(subscribers, counts);
                return LongStream.of(counts).allMatch(count -> count >= all);
            });

            assertThat(counts).containsOnly(all);
        } finally {
            subscribers.forEach(Subscriber::close);
            zone.forEach(Messaging::close);
        }
    }

    private static void until(String what, Callable<Boolean> step) {
        await(what)
                .pollInSameThread()
                .atMost(Duration.ofMinutes(2))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(step);
    }

    private static void takeOnce(List<Subscriber<byte[], byte[]>> subscribers, long[] counts) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += subscribers.get(i).poll(Duration.ofMillis(50)).count();
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
