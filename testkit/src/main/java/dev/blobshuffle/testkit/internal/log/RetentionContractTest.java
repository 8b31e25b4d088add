package dev.blobshuffle.testkit.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.failure.BlobExpiredException;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.Retention;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.group.Lease;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.Member;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rules of {@link Retention}: one subclass per log. */
public abstract class RetentionContractTest extends LogContract {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration GRACE = Duration.ofMinutes(10);

    // ---- trimming

    @Test
    void batchesGoWhenTheyAreOldEnough() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1, new RetentionRule.For(HOUR));
        Writer writer = join(log.open("a"));
        for (int i = 0; i < 4; i++) {
            commit(writer, i, batch(topic, "" + i));
            sequence(log, topic);
            tested().shiftClock(Duration.ofMinutes(25));
        }
        assertThat(trim(log)).isEqualTo(2);
        assertThat(state(log, topic)).isEqualTo(new TopicState(topic.number(), 2, 4, false));
        assertThat(entries(log, topic, 2)).containsExactly("2", "3");
        assertThatThrownBy(() -> read(log, topic, 1)).isInstanceOf(PositionTrimmedException.class);
        assertThatThrownBy(() -> read(log, topic, 0)).isInstanceOf(PositionTrimmedException.class);
        assertThat(trim(log)).isZero();
    }

    private static TopicState state(CommitLog log, LogTopic topic) {
        return join(log.look(Set.of(topic.number()))).get(0);
    }

    @Test
    void sequencesGoOnAfterEverythingWasTrimmed() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1, new RetentionRule.For(HOUR));
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "0"));
        commit(writer, 1, batch(topic, "1"));
        sequence(log, topic);
        tested().shiftClock(HOUR.multipliedBy(2));
        assertThat(trim(log)).isEqualTo(2);
        assertThat(read(log, topic, 2)).isEmpty();
        commit(writer, 2, batch(topic, "2"));
        sequence(log, topic);
        assertThat(entries(log, topic, 2)).containsExactly("2");
        assertThat(join(log.topics().sequencesAt(Map.of(topic.number(), Instant.EPOCH))))
                .containsEntry(topic.number(), 2L);
    }

    @Test
    void whatIsStagedIsNotTrimmed() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1, new RetentionRule.For(HOUR));
        commit(join(log.open("a")), 0, batch(topic, "0"));
        tested().shiftClock(HOUR.multipliedBy(2));
        assertThat(trim(log)).isZero();
        assertThat(state(log, topic).isStaged()).isTrue();
    }

    @Test
    void aTopicThatKeepsEverythingIsNotTrimmedUntilItsRuleChanges() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        commit(join(log.open("a")), 0, batch(topic, "0"));
        sequence(log, topic);
        tested().shiftClock(HOUR.multipliedBy(10_000));
        assertThat(trim(log)).isZero();
        LogTopic changed = join(log.topics().change(topic.number(), 1, new RetentionRule.For(HOUR)));
        assertThat(changed.retention()).isEqualTo(new RetentionRule.For(HOUR));
        assertThat(trim(log)).isEqualTo(1);
    }

    @Test
    void batchesGoWhenEveryGroupHasPassedThem() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 2, new RetentionRule.UntilConsumed());
        Writer writer = join(log.open("a"));
        for (int i = 0; i < 6; i++) {
            commit(writer, i, batch(topic, "" + i));
        }
        sequence(log, topic);
        assertThat(trim(log)).as("without a group").isZero();
        seek(log, "billing", topic, 0, 5);
        assertThat(trim(log)).as("while a partition has no position").isZero();
        seek(log, "billing", topic, 1, 4);
        assertThat(trim(log)).as("up to the partition that is behind").isEqualTo(4);
        seek(log, "audit", topic, 0, 5);
        seek(log, "audit", topic, 1, 4);
        seek(log, "billing", topic, 1, 6);
        assertThat(trim(log)).as("while another group is behind").isZero();
        assertThat(join(log.groups().delete("audit"))).isTrue();
        assertThat(trim(log)).isEqualTo(1);
        seek(log, "billing", topic, 0, 6);
        assertThat(trim(log)).isEqualTo(1);
        assertThat(state(log, topic)).isEqualTo(new TopicState(topic.number(), 6, 6, false));
    }

    private static void seek(CommitLog log, String group, LogTopic topic, int partition, long sequence) {
        join(log.groups()
                .seek(group, Map.of(new LogPartition(topic.number(), partition), new LogPosition(sequence, 0).value()))
                .thenApply(done -> true));
    }

    @Test
    void aGroupWithoutMembersHoldsNothingAfterTheTimeForAbandonedOnes() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1, new RetentionRule.UntilConsumed(Optional.of(HOUR.multipliedBy(5))));
        Writer writer = join(log.open("a"));
        for (int i = 0; i < 3; i++) {
            commit(writer, i, batch(topic, "" + i));
        }
        sequence(log, topic);
        Member alive = new Member("alive", new UUID(1, 1), Zone.SINGLE, Set.of(topic.number()));
        seek(log, "alive", topic, 0, 2);
        seek(log, "abandoned", topic, 0, 1);
        seek(log, "billing", topic, 0, 3);
        assertThat(trim(log)).as("up to the group that will be abandoned").isEqualTo(1);
        for (int hours = 0; hours < 4; hours += 2) {
            tested().shiftClock(HOUR.multipliedBy(2));
            Lease ignored = join(log.groups().renew(alive, Set.of()));
            assertThat(trim(log)).as("after " + (hours + 2) + " hours").isZero();
        }
        tested().shiftClock(HOUR.multipliedBy(2));
        assertThat(trim(log)).as("up to the group that had a member").isEqualTo(1);
        tested().shiftClock(HOUR.multipliedBy(6));
        assertThat(trim(log)).as("without a group that counts").isZero();
        seek(log, "billing", topic, 0, 3);
        assertThat(trim(log)).as("a group that is used again").isEqualTo(1);
    }

    @Test
    void aGroupOfAnotherTopicDoesNotHoldThisOne() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1, new RetentionRule.UntilConsumed());
        LogTopic other = topic(log, "bills", 1, new RetentionRule.UntilConsumed());
        commit(join(log.open("a")), 0, batch(topic, "0"));
        sequence(log, topic);
        seek(log, "audit", other, 0, 0);
        seek(log, "billing", topic, 0, 1);
        assertThat(trim(log)).isEqualTo(1);
    }

    @Test
    void oneCallTrimsAtMostAThousand() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1, new RetentionRule.For(HOUR));
        Writer writer = join(log.open("a"));
        join(writer.commit(
                0, IntStream.range(0, 1_005).mapToObj(i -> batch(topic, "x")).toList(), Optional.empty()));
        sequence(log, topic);
        tested().shiftClock(HOUR.multipliedBy(2));
        assertThat(join(log.retention().trim())).hasValue(1_000);
        assertThat(state(log, topic).start()).isEqualTo(1_000);
        assertThat(join(log.retention().trim())).hasValue(5);
        assertThat(join(log.retention().trim())).hasValue(0);
    }

    @Test
    void trimsAtOnceRemoveEachBatchOnce() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1, new RetentionRule.For(HOUR));
        Writer writer = join(log.open("a"));
        BlobId blob = blob(minute(log));
        join(writer.commit(
                0,
                IntStream.range(0, 300)
                        .mapToObj(i -> batch(topic, "x", Set.of(blob)))
                        .toList(),
                Optional.empty()));
        sequence(log, topic);
        tested().shiftClock(HOUR.multipliedBy(2));
        AtomicInteger removed = new AtomicInteger();
        List<Runnable> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            CommitLog other = connect();
            calls.add(() -> removed.addAndGet(trim(other)));
        }
        together(calls);
        assertThat(removed.get()).isEqualTo(300);
        assertThat(join(log.retention().unreferenced(Optional.empty(), 10))).containsExactly(blob);
    }

    @Test
    void everythingOfADeletedTopicGoes() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        BlobId first = blob(minute(log));
        BlobId second = blob(minute(log));
        commit(writer, 0, batch(topic, "sequenced", Set.of(first)));
        sequence(log, topic);
        commit(writer, 1, batch(topic, "staged", Set.of(second)));
        assertThat(join(log.topics().delete("orders"))).isTrue();
        assertThat(trim(log)).isEqualTo(2);
        assertThat(join(log.retention().unreferenced(Optional.empty(), 10))).containsExactlyInAnyOrder(first, second);
    }

    // ---- blobs

    @Test
    void aSharedBlobDiesWithItsLastReference() {
        CommitLog log = connect();
        LogTopic orders = topic(log, "orders", 1);
        LogTopic bills = topic(log, "bills", 1);
        BlobId shared = blob(minute(log));
        commit(join(log.open("a")), 0, batch(orders, "a", Set.of(shared)));
        commit(join(log.open("b")), 0, batch(orders, "b", Set.of(shared, blob(minute(log)))));
        commit(join(log.open("c")), 0, batch(bills, "c", Set.of(shared)));
        sequence(log, orders);
        sequence(log, bills);
        assertThat(join(log.topics().delete("orders"))).isTrue();
        trim(log);
        assertThat(join(log.retention().unreferenced(Optional.empty(), 10)))
                .hasSize(1)
                .doesNotContain(shared);
        tested().shiftClock(HOUR);
        assertThat(bury(log, shared)).as("tombstones on a blob in use").hasValue(0);
        assertThat(join(log.topics().delete("bills"))).isTrue();
        trim(log);
        assertThat(join(log.retention().unreferenced(Optional.empty(), 10))).contains(shared);
        assertThat(bury(log, shared)).hasValue(1);
    }

    private static java.util.OptionalInt bury(CommitLog log, BlobId... blobs) {
        return join(log.retention().bury(blobs[0].generation(), List.of(blobs), GRACE));
    }

    @Test
    void aDeadBlobGetsATombstoneIsDueAfterItsGraceAndIsForgotten() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        BlobId dead = blob(minute(log));
        BlobId orphan = blob(dead.generation());
        commit(join(log.open("a")), 0, batch(topic, "a", Set.of(dead)));
        assertThat(join(log.topics().delete("orders"))).isTrue();
        trim(log);
        assertThat(bury(log, dead, orphan)).as("while a commit may refer to it").isEmpty();
        assertThat(join(log.retention().unreferenced(Optional.empty(), 10))).containsExactly(dead);
        tested().shiftClock(HOUR);
        assertThat(bury(log, dead, orphan)).hasValue(2);
        assertThat(bury(log, dead, orphan)).as("again").hasValue(0);
        assertThat(join(log.retention().unreferenced(Optional.empty(), 10))).isEmpty();
        assertThat(join(log.retention().due(10))).isEmpty();
        tested().shiftClock(GRACE.plusSeconds(1));
        assertThat(join(log.retention().due(1))).hasSize(1);
        assertThat(join(log.retention().due(10))).containsExactlyInAnyOrder(dead, orphan);
        join(log.retention().forget(List.of(dead)).thenApply(done -> true));
        assertThat(join(log.retention().due(10))).containsExactly(orphan);
        join(log.retention().forget(List.of(dead, orphan)).thenApply(done -> true));
        assertThat(join(log.retention().due(10))).isEmpty();
    }

    @Test
    void aBurialTakesOnlyBlobsOfItsGeneration() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        BlobId mine = blob(minute(log) - 1);
        BlobId others = blob(mine.generation() + 1);
        commit(join(log.open("a")), 0, batch(topic, "a", Set.of(mine, others)));
        assertThat(join(log.topics().delete("orders"))).isTrue();
        trim(log);
        tested().shiftClock(HOUR);
        assertThat(bury(log, mine, others)).hasValue(1);
        assertThat(join(log.retention().unreferenced(Optional.empty(), 10))).containsExactly(others);
        assertThat(bury(log, others)).hasValue(1);
    }

    @Test
    void aBlobWithATombstoneIsRefusedAlthoughTheClockWentBack() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        BlobId buried = blob(minute(log));
        tested().shiftClock(HOUR);
        assertThat(bury(log, buried)).hasValue(1);
        tested().shiftClock(HOUR.negated());
        assertThatThrownBy(() -> commit(writer, 0, batch(topic, "a", Set.of(buried))))
                .isInstanceOf(BlobExpiredException.class);
        commit(writer, 0, batch(topic, "a", Set.of(blob(buried.generation()))));
    }

    /** Runs commits and a burial at once. A blob has a reference or a tombstone, never both. */
    @Test
    void noBlobIsCommittedAndBuried() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        long generation = minute(log);
        List<BlobId> blobs =
                IntStream.range(0, 60).mapToObj(i -> blob(generation)).toList();
        List<BlobId> committed = new ArrayList<>();
        together(List.of(
                () -> {
                    for (BlobId blob : blobs) {
                        try {
                            commit(writer, committed.size(), batch(topic, "x", Set.of(blob)));
                            committed.add(blob);
                        } catch (BlobExpiredException e) {
                            return;
                        }
                    }
                },
                () -> {
                    tested().shiftClock(HOUR);
                    while (bury(log, blobs.toArray(BlobId[]::new)).isEmpty()) {
                        Thread.onSpinWait();
                    }
                }));
        tested().shiftClock(GRACE.plusSeconds(1));
        List<BlobId> buried = join(log.retention().due(100));
        assertThat(Collections.disjoint(buried, committed)).isTrue();
        assertThat(buried.size() + committed.size()).isEqualTo(blobs.size());
    }

    @Test
    void theUnreferencedAreGivenUpToALimit() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        long generation = minute(log);
        commit(join(log.open("a")), 0, batch(topic, "a", Set.of(blob(generation), blob(generation), blob(generation))));
        assertThat(join(log.topics().delete("orders"))).isTrue();
        trim(log);
        assertThat(join(log.retention().unreferenced(Optional.empty(), 2))).hasSize(2);
        assertThat(join(log.retention().unreferenced(Optional.empty(), 3))).hasSize(3);
    }

    // ---- listings

    @Test
    void listingsAreRememberedByTheClockOfTheLog() {
        Retention retention = connect().retention();
        assertThat(join(retention.listed())).isEmpty();
        mark(retention, 7);
        mark(retention, 9);
        Instant first = join(retention.listed()).getOrDefault(7L, Instant.EPOCH);
        assertThat(Duration.between(first, join(retention.clock()))).isBetween(Duration.ZERO, Duration.ofMinutes(5));
        tested().shiftClock(HOUR);
        mark(retention, 7);
        assertThat(join(retention.listed()).getOrDefault(7L, Instant.EPOCH)).isAfterOrEqualTo(first.plus(HOUR));
        join(retention.forgetListed(Set.of(7L, 8L)).thenApply(done -> true));
        assertThat(join(connect().retention().listed())).containsOnlyKeys(9L);
    }

    private static void mark(Retention retention, long generation) {
        join(retention.markListed(generation).thenApply(done -> true));
    }

    @Test
    void theClockCanBeShifted() {
        CommitLog log = connect();
        assertThat(log.retention().longestUncommitted()).isPositive();
        Instant before = join(log.retention().clock());
        tested().shiftClock(HOUR);
        Instant after = join(log.retention().clock());
        assertThat(Duration.between(before, after)).isBetween(HOUR, HOUR.plusMinutes(5));
    }
}
