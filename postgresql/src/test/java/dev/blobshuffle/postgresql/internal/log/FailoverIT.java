package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.log.internal.Bookmark;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import dev.blobshuffle.testkit.internal.log.LogContract;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that die, hang, or return without their latest data. */
final class FailoverIT extends LogContract {
    private static final int WRITERS = 8;
    private static final DatabaseTimeouts HASTY = new DatabaseTimeouts(
            Duration.ofSeconds(2), Duration.ofSeconds(2), Duration.ofSeconds(2), Duration.ofSeconds(4));

    private PostgresServer primary;
    private PostgresServer standby;
    private TestLog tenant;

    @Override
    protected LogUnderTest create() {
        primary = PostgresServer.builder().start();
        tenant = new TestLog(primary);
        return tenant;
    }

    @BeforeEach
    void startStandby() {
        standby = primary.startStandby("second");
    }

    @AfterEach
    void stop() {
        primary.kill();
        standby.close();
    }

    @Test
    void aKilledPrimaryWithASynchronousStandbyLosesAndDoublesNothing() {
        primary.requireStandby("second");
        CommitLog log = client();
        LogTopic topic = topic(log, "orders", 1);
        Set<String> acknowledged = ConcurrentHashMap.newKeySet();
        AtomicInteger afterwards = new AtomicInteger();
        List<Runnable> calls = new ArrayList<>();
        for (int w = 0; w < WRITERS; w++) {
            Writer writer = join(log.open("writer-" + w));
            calls.add(() -> {
                for (int number = 0; afterwards.get() < 20 * WRITERS; number++) {
                    String name = writer.name() + "/" + number;
                    publish(writer, number, batch(topic, name));
                    acknowledged.add(name);
                    if (!primary.isRunning()) {
                        afterwards.incrementAndGet();
                    }
                }
            });
        }
        calls.add(() -> {
            awaitThat("the first commits", () -> acknowledged.size() >= 300);
            primary.kill();
            standby.promote();
        });
        calls.add(() -> {
            while (afterwards.get() < 20 * WRITERS) {
                untilAnswered(() -> join(log.sequence(topic.number())).isPresent());
            }
        });
        together(calls);

        sequence(log, topic);
        List<String> all = entries(log, topic, 0);
        assertThat(all).doesNotHaveDuplicates();
        assertThat(new HashSet<>(all)).isEqualTo(acknowledged);
        for (int w = 0; w < WRITERS; w++) {
            String prefix = "writer-" + w + "/";
            assertThat(all.stream()
                            .filter(name -> name.startsWith(prefix))
                            .map(name -> Integer.parseInt(name.substring(prefix.length()))))
                    .isSorted();
        }
        log.close();
    }

    @Test
    void aStandbyThatWasBehindIsNoticedByReadersAndWriters() {
        CommitLog log = client();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "kept"));
        sequence(log, topic);
        awaitThat("the standby has all", this::isReplicated);
        standby.change("primary_conninfo", "");
        awaitThat("the standby is gone", () -> tenant.asks("select count(*) = 0 from pg_stat_replication"));
        for (int number = 1; number <= 3; number++) {
            commit(writer, number, batch(topic, "lost " + number));
        }
        sequence(log, topic);
        List<SequencedBatch> before = read(log, topic, 0);
        assertThat(before).hasSize(4);

        primary.kill();
        standby.promote();

        assertThatThrownBy(() -> publish(writer, 4, batch(topic, "next"))).isInstanceOf(LogWentBackException.class);
        ReadRequest next = new ReadRequest(topic.number(), 4, 10, 1 << 20, Optional.of(Bookmark.at(before.get(3))));
        assertThatThrownBy(() -> untilAnswered(() -> join(log.read(next)))).isInstanceOf(LogWentBackException.class);

        // The same number of other batches, so only their content differs.
        Writer successor = untilAnswered(() -> join(log.open("a")));
        for (int i = 0; i < 3; i++) {
            commit(successor, successor.firstNumber() + i, batch(topic, "other " + i));
        }
        sequence(log, topic);
        assertThatThrownBy(() -> join(log.read(next))).isInstanceOf(LogWentBackException.class);
        assertThat(join(log.read(
                        new ReadRequest(topic.number(), 1, 10, 1 << 20, Optional.of(Bookmark.at(before.get(0)))))))
                .hasSize(3);
        log.close();
    }

    /** The server resumes after its own statement timeout, but before the client's. */
    @Test
    void aPrimaryThatHangsForAWhileLosesAndDoublesNothing() {
        CommitLog log = hastyClient();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "0"));
        primary.pause();
        together(List.of(
                () -> {
                    for (int number = 1; number <= 20; number++) {
                        publish(writer, number, batch(topic, "" + number));
                    }
                },
                () -> {
                    await("the pause, which is what is tested")
                            .pollDelay(HASTY.statement().plusMillis(500))
                            .until(() -> true);
                    primary.resume();
                }));
        untilAnswered(() -> join(log.sequence(topic.number())).isPresent());
        sequence(log, topic);
        assertThat(entries(log, topic, 0))
                .isEqualTo(Stream.iterate(0, i -> i + 1)
                        .limit(21)
                        .map(String::valueOf)
                        .toList());
        log.close();
    }

    /** The server reports it by a warning, which a role may have suppressed. */
    @ParameterizedTest
    @ValueSource(strings = {"notice", "error"})
    void aCommitWhoseWaitForTheStandbyWasCancelledIsUnknownUntilTheStandbyHasIt(String leastMessages) {
        tenant.execute("alter role " + tenant.name() + " set client_min_messages = " + leastMessages);
        primary.requireStandby("second");
        CommitLog log = client();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "0"));
        standby.pause();
        together(List.of(
                () -> assertThatThrownBy(() -> commit(writer, 1, batch(topic, "1")))
                        .isInstanceOf(OutcomeUnknownException.class),
                () -> awaitThat("a wait for the standby", this::cancelOneWait)));
        together(List.of(
                () -> assertThatThrownBy(() -> commit(writer, 1, batch(topic, "1")))
                        .isInstanceOf(OutcomeUnknownException.class),
                () -> awaitThat("a wait for the standby", this::cancelOneWait)));
        standby.resume();
        publish(writer, 1, batch(topic, "1"));
        primary.kill();
        standby.promote();
        publish(writer, 2, batch(topic, "2"));
        untilAnswered(() -> join(log.sequence(topic.number())).isPresent());
        assertThat(entries(log, topic, 0)).containsExactly("0", "1", "2");
        log.close();
    }

    @Test
    void aPrimaryThatHangsForEverIsReplacedAndNotAskedAgainWhenItComesBack() {
        CommitLog log = hastyClient();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "0"));
        sequence(log, topic);
        awaitThat("the standby has all", this::isReplicated);
        primary.pause();
        standby.promote();
        publish(writer, 1, batch(topic, "1"));
        primary.resume();
        for (int number = 2; number <= 20; number++) {
            publish(writer, number, batch(topic, "" + number));
        }
        log.close();
        CommitLog other = tenant.connect(tenant.uri(standby.port()), DatabaseTimeouts.DEFAULT);
        sequence(other, topic);
        assertThat(entries(other, topic, 0)).hasSize(21);
        other.close();
    }

    @Test
    void hintsComeBackWithTheServer() {
        CommitLog log = client();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        AtomicInteger hints = new AtomicInteger();
        CommitLog.Hints subscription = log.hints(number -> hints.incrementAndGet());
        awaitThat("hints are live", subscription::areLive);
        primary.kill();
        awaitThat("hints are not live", () -> !subscription.areLive());
        standby.promote();
        awaitThat("hints are live again", subscription::areLive);
        publish(writer, 0, batch(topic, "0"));
        untilAnswered(() -> join(log.sequence(topic.number())).isPresent());
        awaitThat("a hint", () -> hints.get() > 0);
        subscription.close();
        subscription.close();
        assertThat(subscription.areLive()).isFalse();
        log.close();
    }

    private CommitLog client() {
        return tenant.connect(tenant.uri(primary.port(), standby.port()), DatabaseTimeouts.DEFAULT);
    }

    /** A client that gives a server up early. */
    private CommitLog hastyClient() {
        return tenant.connect(tenant.uri(primary.port(), standby.port()), HASTY);
    }

    /** Repeats a commit until its outcome is known, as a publisher does. */
    private static void publish(Writer writer, long number, LogBatch batch) {
        untilAnswered(() -> join(writer.commit(number, List.of(batch), Optional.empty())));
    }

    private static <T> T untilAnswered(Callable<T> call) {
        return await("an answer")
                .pollInSameThread()
                .atMost(Duration.ofMinutes(2))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .ignoreExceptionsMatching(
                        e -> e instanceof LogUnavailableException || e instanceof OutcomeUnknownException)
                .until(call, answer -> true);
    }

    private static void awaitThat(String what, Callable<Boolean> condition) {
        await(what)
                .atMost(Duration.ofMinutes(2))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(condition);
    }

    private boolean isReplicated() {
        return tenant.asks("select pg_current_wal_lsn() <= min(replay_lsn) from pg_stat_replication");
    }

    private boolean cancelOneWait() {
        return tenant.asks("select count(pg_cancel_backend(pid)) > 0 from pg_stat_activity where wait_event = 'SyncRep'"
                + " and application_name = 'test'");
    }
}
