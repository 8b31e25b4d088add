package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.log.failure.AlreadyCommittedException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import dev.blobshuffle.testkit.internal.log.LogContract;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rows of the caller and batches of the log, in transactions with faults. */
final class TransactionFailoverIT extends LogContract {
    private static final int WRITERS = 4;
    private static final int COMMITS = 60;

    private final AtomicInteger unknown = new AtomicInteger();
    private PostgresServer primary;
    private PostgresServer standby;
    private TestLog tenant;

    @Override
    protected LogUnderTest create() {
        primary = PostgresServer.builder().start();
        tenant = new TestLog(primary);
        return tenant;
    }

    @AfterEach
    void stop() {
        primary.kill();
        if (standby != null) {
            standby.close();
        }
    }

    @Test
    void rowsAndBatchesAgreeAfterAPrimaryWasKilled() {
        standby = primary.startStandby("second");
        primary.requireStandby("second");
        CommitLog log = tenant.connect(tenant.uri(primary.port(), standby.port()), DatabaseTimeouts.DEFAULT);
        AtomicInteger done = new AtomicInteger();
        List<String> expected = run(log, done, () -> {
            awaitThat("a third of the commits", () -> done.get() >= WRITERS * COMMITS / 3);
            primary.kill();
            standby.promote();
        });
        assertThat(tenant.rows(standby)).isEqualTo(expected);
        log.close();
    }

    @Test
    void rowsAndBatchesAgreeAlthoughAnswersAreLost() {
        CuttingProxy proxy = new CuttingProxy(primary.port());
        CommitLog log = tenant.connect(tenant.uri(proxy.port()), DatabaseTimeouts.DEFAULT);
        AtomicInteger done = new AtomicInteger();
        List<String> expected = run(log, done, () -> {
            while (done.get() < WRITERS * COMMITS) {
                proxy.loseAnswerTo("COMMIT");
                int seen = proxy.cuts();
                awaitThat("a lost answer", () -> proxy.cuts() > seen || done.get() >= WRITERS * COMMITS);
                int before = done.get(); // If every answer were lost, no thread would finish.
                awaitThat("more commits", () -> done.get() >= Math.min(before + WRITERS, WRITERS * COMMITS));
            }
        });
        assertThat(unknown.get()).isPositive();
        assertThat(tenant.rows(primary)).isEqualTo(expected);
        log.close();
        proxy.close();
    }

    /** The server reports the cancelled wait by a warning. */
    @Test
    void aTransactionWhoseWaitWasCancelledIsUnknownAlthoughItsCallerSuppressesWarnings() {
        standby = primary.startStandby("second");
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        primary.requireStandby("second");
        standby.pause();
        try (LogTransaction transaction = join(writer.begin())) {
            execute(transaction, "set client_min_messages = error");
            together(List.of(
                    () -> assertThatThrownBy(() -> transaction.commit(0, List.of(batch(topic, "0")), Optional.empty()))
                            .isInstanceOf(OutcomeUnknownException.class),
                    () -> awaitThat("a wait for the standby", this::cancelOneWait)));
        } finally {
            standby.resume();
        }
    }

    private static void execute(LogTransaction transaction, String sql) {
        try (Statement statement = transaction.unwrap(Connection.class).createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot run a statement.", e);
        }
    }

    private boolean cancelOneWait() {
        return tenant.asks("select count(pg_cancel_backend(pid)) > 0 from pg_stat_activity where wait_event = 'SyncRep'"
                + " and application_name = 'test'");
    }

    /** Commits on several threads during a disturbance; returns the expected rows. */
    private List<String> run(CommitLog log, AtomicInteger done, Runnable disturbance) {
        LogTopic topic = topic(log, "orders", 1);
        List<Runnable> calls = new ArrayList<>(List.of(disturbance));
        List<String> expected = new ArrayList<>();
        for (int w = 0; w < WRITERS; w++) {
            String name = "writer-" + w;
            for (int i = 0; i < COMMITS; i++) {
                expected.add(name + "/" + (100 + i));
            }
            calls.add(() -> {
                Writer writer = join(log.open(name));
                for (int i = 0; i < COMMITS; i++) {
                    writer = committed(log, writer, topic, i, name + "/" + (100 + i));
                    done.incrementAndGet();
                }
            });
        }
        together(calls);
        untilAnswered(() -> join(log.sequence(topic.number())));
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactlyInAnyOrderElementsOf(expected);
        expected.sort(null);
        return expected;
    }

    /** Repeats a failed commit like an application, and queries the outcome if it is unknown. */
    private Writer committed(CommitLog log, Writer first, LogTopic topic, long number, String row) {
        Writer writer = first;
        while (true) {
            Writer current = writer;
            try (LogTransaction transaction = untilAnswered(() -> join(current.begin()))) {
                tenant.insert(transaction, row);
                transaction.commit(number, List.of(batch(topic, row)), Optional.empty());
                return writer;
            } catch (AlreadyCommittedException e) {
                throw new AssertionError("Nothing was repeated that had happened.", e);
            } catch (OutcomeUnknownException e) {
                unknown.incrementAndGet();
                boolean isCommitted = untilAnswered(() -> join(current.wasCommitted(number)));
                writer = untilAnswered(() -> join(log.open(current.name())));
                if (isCommitted) {
                    return writer;
                }
            } catch (LogUnavailableException e) {
                // Nothing has happened: repeat it.
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("Cannot insert a row."); // The connection broke.
            }
        }
    }

    private static <T> T untilAnswered(Callable<T> call) {
        return await("an answer")
                .pollInSameThread()
                .atMost(Duration.ofMinutes(2))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .ignoreExceptionsInstanceOf(LogUnavailableException.class)
                .until(call, answer -> true);
    }

    private static void awaitThat(String what, Callable<Boolean> condition) {
        await(what)
                .atMost(Duration.ofMinutes(2))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .until(condition);
    }
}
