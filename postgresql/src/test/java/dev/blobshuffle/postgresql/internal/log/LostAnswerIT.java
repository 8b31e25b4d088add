package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.log.failure.AlreadyCommittedException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.testkit.internal.log.LogContract;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers that are lost with a cut connection, after the server has done the work. */
final class LostAnswerIT extends LogContract {
    private TestLog tenant;
    private CuttingProxy proxy;
    private CommitLog log;
    private LogTopic topic;
    private Writer writer;

    @Override
    protected LogUnderTest create() {
        tenant = new TestLog();
        return tenant;
    }

    @BeforeEach
    void connectThroughProxy() {
        proxy = new CuttingProxy(tenant.server().port());
        log = tenant.connect(tenant.uri(proxy.port()), DatabaseTimeouts.DEFAULT);
        topic = topic(log, "orders", 1);
        writer = join(log.open("a"));
    }

    @AfterEach
    void close() {
        log.close();
        proxy.close();
    }

    @Test
    void aCommitWithoutAnAnswerIsRepeatedAndStoredOnce() {
        commit(writer, 0, batch(topic, "before"));
        for (int number = 1; number <= 8; number++) {
            proxy.loseAnswerTo("lost-" + number);
            long id = commit(writer, number, batch(topic, "lost-" + number));
            assertThat(proxy.cuts()).isEqualTo(number);
            assertThat(commit(writer, number, batch(topic, "lost-" + number))).isEqualTo(id);
        }
        commit(writer, 9, batch(topic, "after"));

        sequence(log, topic);
        assertThat(entries(log, topic, 0))
                .containsExactly(
                        "before", "lost-1", "lost-2", "lost-3", "lost-4", "lost-5", "lost-6", "lost-7", "lost-8",
                        "after");
    }

    @Test
    void aTransactionWithoutAnAnswerIsUnknownAndItsRepetitionChangesNothing() {
        LogTransaction first = join(writer.begin());
        tenant.insert(first, "row");
        proxy.loseAnswerTo("COMMIT");
        assertThatThrownBy(() -> first.commit(0, List.of(batch(topic, "one")), Optional.empty()))
                .isInstanceOf(OutcomeUnknownException.class);
        assertThat(proxy.cuts()).isEqualTo(1);

        LogTransaction second = join(writer.begin());
        tenant.insert(second, "row of the repetition");
        assertThatThrownBy(() -> second.commit(0, List.of(batch(topic, "one")), Optional.empty()))
                .isInstanceOf(AlreadyCommittedException.class);

        assertThat(join(writer.wasCommitted(0))).isTrue();
        assertThat(join(writer.wasCommitted(1))).isFalse();
        assertThat(tenant.rows()).containsExactly("row");
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("one");
    }

    @Test
    void aTransactionThatBreaksBeforeItsCommitHasNotHappened() {
        LogTransaction first = join(writer.begin());
        tenant.insert(first, "row");
        proxy.loseAnswerTo("one");
        assertThatThrownBy(() -> first.commit(0, List.of(batch(topic, "one")), Optional.empty()))
                .isInstanceOf(LogUnavailableException.class);

        assertThat(join(writer.wasCommitted(0))).isFalse();
        assertThat(tenant.rows()).isEmpty();
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).isEmpty();
    }

    @Test
    void aSequencingWithoutAnAnswerLeavesNoHole() {
        commit(writer, 0, batch(topic, "one"));
        proxy.loseAnswerTo("sequence_topic");
        assertThat(join(log.sequence(topic.number()))).isNotNull();
        assertThat(proxy.cuts()).isEqualTo(1);
        commit(writer, 1, batch(topic, "two"));
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("one", "two");
    }
}
