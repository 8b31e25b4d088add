package dev.blobshuffle.testkit.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.failure.AlreadyCommittedException;
import dev.blobshuffle.log.failure.BlobExpiredException;
import dev.blobshuffle.log.failure.ConsumerFencedException;
import dev.blobshuffle.log.failure.LogException;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.failure.WriterFencedException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.log.internal.group.Member;
import dev.blobshuffle.log.internal.group.OwnedPartition;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The rules of transactions that a user's own rows join: one subclass per log. */
public abstract class TransactionContractTest extends LogContract {
    private static final UUID MEMBER = new UUID(1, 2);

    @Test
    void rowsBatchesAndPositionsCommitTogether() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        OwnedPartition owned = join(log, topic);
        Writer writer = join(log.open("a"));
        try (LogTransaction transaction = join(writer.begin())) {
            tested().insert(transaction, "row 1");
            tested().insert(transaction, "row 2");
            assertThat(tested().rows()).isEmpty();
            List<Long> ids =
                    transaction.commit(0, List.of(batch(topic, "one"), batch(topic, "two")), Optional.of(at(owned, 7)));
            assertThat(ids).hasSize(2).isSorted();
        }
        assertThat(tested().rows()).containsExactlyInAnyOrder("row 1", "row 2");
        assertThat(position(log)).isEqualTo(7);
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("one", "two");
    }

    private static OwnedPartition join(CommitLog log, LogTopic topic) {
        return join(log.groups().renew(member(topic), Set.of())).owned().get(0);
    }

    private static Member member(LogTopic topic) {
        return new Member("billing", MEMBER, Zone.SINGLE, Set.of(topic.number()));
    }

    private static Consumed at(OwnedPartition owned, long sequence) {
        return consumed("billing", MEMBER, owned, sequence);
    }

    /** The committed position of the only partition; 0 if there is none. */
    private static long position(CommitLog log) {
        return LogPosition.of(join(log.groups().describe("billing"))
                        .orElseThrow()
                        .partitions()
                        .get(0)
                        .position()
                        .orElse(0))
                .sequence();
    }

    @Test
    void whatIsClosedWithoutACommitLeavesNothing() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        LogTransaction transaction = join(writer.begin());
        tested().insert(transaction, "row");
        transaction.close();
        transaction.close();
        assertThat(tested().rows()).isEmpty();
        commit(writer, 0, batch(topic, "the number is free"));
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("the number is free");
    }

    @Test
    void aRepeatedTransactionIsReportedAndItsRowsAreNotAppliedTwice() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        List<LogBatch> batches = List.of(batch(topic, "one"));
        attempt(writer, 0, "row", batches, Optional.empty());
        assertThatThrownBy(() -> attempt(writer, 0, "row", batches, Optional.empty()))
                .isInstanceOf(AlreadyCommittedException.class);
        assertThat(tested().rows()).containsExactly("row");
        attempt(writer, 1, "next", List.of(), Optional.empty());
        assertThatThrownBy(() -> attempt(writer, 1, "next", List.of(), Optional.empty()))
                .isInstanceOf(AlreadyCommittedException.class);
        assertThat(tested().rows()).containsExactlyInAnyOrder("row", "next");
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("one");
    }

    private void attempt(Writer writer, long number, String row, List<LogBatch> batches, Optional<Consumed> consumed) {
        try (LogTransaction transaction = join(writer.begin())) {
            tested().insert(transaction, row);
            List<Long> ids = transaction.commit(number, batches, consumed);
            assertThat(ids).hasSameSizeAs(batches);
        }
    }

    @Test
    void aCommitAndATransactionShareTheNumbers() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "one"));
        assertThatThrownBy(() -> attempt(writer, 0, "row", List.of(batch(topic, "one")), Optional.empty()))
                .isInstanceOf(AlreadyCommittedException.class);
        assertThatThrownBy(() -> attempt(writer, 2, "row", List.of(), Optional.empty()))
                .isInstanceOf(LogWentBackException.class);
        attempt(writer, 1, "row", List.of(batch(topic, "two")), Optional.empty());
        assertThat(join(writer.commit(1, List.of(batch(topic, "two")), Optional.empty())))
                .hasSize(1);
        assertThat(tested().rows()).containsExactly("row");
        assertThat(join(writer.wasCommitted(1))).isTrue();
        assertThat(join(writer.wasCommitted(2))).isFalse();
    }

    /** Whatever refuses the batches or positions rolls the rows back. */
    @Test
    void aRefusalLeavesNothingOfTheTransaction() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        LogTopic deleted = topic(log, "deleted", 1);
        assertThat(join(log.topics().delete("deleted"))).isTrue();
        OwnedPartition owned = join(log, topic);
        Writer fenced = join(log.open("a"));
        Writer writer = join(log.open("a"));
        long tooOld = minute(log) - log.retention().longestUncommitted().toMinutes() - 2;
        OwnedPartition old = new OwnedPartition(
                owned.partition(), owned.generation() - 1, owned.position(), owned.metadata(), false);
        refuses(WriterFencedException.class, fenced, batch(topic, "x"), at(owned, 3));
        refuses(ConsumerFencedException.class, writer, batch(topic, "x"), at(old, 3));
        refuses(BlobExpiredException.class, writer, batch(topic, "x", Set.of(blob(tooOld))), at(owned, 3));
        refuses(TopicAbsentException.class, writer, batch(deleted, "x"), at(owned, 3));
        assertThat(tested().rows()).isEmpty();
        assertThat(position(log)).isZero();
        attempt(writer, 0, "row", List.of(batch(topic, "one")), Optional.of(at(owned, 4)));
        assertThat(tested().rows()).containsExactly("row");
        assertThat(position(log)).isEqualTo(4);
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("one");
    }

    private void refuses(Class<? extends LogException> failure, Writer writer, LogBatch batch, Consumed consumed) {
        assertThatThrownBy(() -> attempt(writer, 0, "row", List.of(batch), Optional.of(consumed)))
                .isInstanceOf(failure);
    }

    @Test
    void anOpenTransactionDelaysNobodyElse() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer slow = join(log.open("slow"));
        Writer fast = join(log.open("fast"));
        try (LogTransaction transaction = join(slow.begin())) {
            tested().insert(transaction, "slow row");
            for (int i = 0; i < 20; i++) {
                commit(fast, i, batch(topic, "" + i));
            }
            sequence(log, topic);
            assertThat(entries(log, topic, 0)).hasSize(20);
            attempt(fast, 20, "fast row", List.of(), Optional.empty());
            assertThat(tested().rows()).containsExactly("fast row");
            List<Long> ids = transaction.commit(0, List.of(batch(topic, "last")), Optional.empty());
            assertThat(ids).hasSize(1);
        }
        sequence(log, topic);
        assertThat(entries(log, topic, 20)).containsExactly("last");
        assertThat(tested().rows()).containsExactlyInAnyOrder("fast row", "slow row");
    }

    @Test
    void aTransactionUnwrapsOnlyToWhatTheLogHas() {
        Writer writer = join(connect().open("a"));
        try (LogTransaction transaction = join(writer.begin())) {
            assertThatThrownBy(() -> transaction.unwrap(StringBuilder.class))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }
}
