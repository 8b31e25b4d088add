package dev.blobshuffle.testkit.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.log.failure.BlobExpiredException;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.failure.WriterFencedException;
import dev.blobshuffle.log.internal.Bookmark;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.log.internal.Writer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rules of writing to and reading from a {@link CommitLog}: one subclass per log. */
public abstract class CommitLogContractTest extends LogContract {
    private static final int MOST_LOOKS = 6_000;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void twoClientsSeeTheSameLog() {
        CommitLog first = connect();
        CommitLog second = connect();
        LogTopic topic = topic(first, "orders", 4);
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(join(second.topics().find("orders"))).contains(topic);
        commit(join(first.open("a")), 0, batch(topic, "one"));
        sequence(second, topic);
        assertThat(entries(second, topic, 0)).containsExactly("one");
    }

    @Test
    void aBatchIsReadAfterItWasSequencedAndNotBefore() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        commit(join(log.open("a")), 0, batch(topic, "one"));
        assertThat(state(log, topic)).isEqualTo(new TopicState(topic.number(), 0, 0, true));
        assertThat(read(log, topic, 0)).isEmpty();
        assertThat(join(log.sequence(topic.number()))).hasValue(1);
        assertThat(state(log, topic)).isEqualTo(new TopicState(topic.number(), 0, 1, false));
        assertThat(entries(log, topic, 0)).containsExactly("one");
        assertThat(join(log.sequence(topic.number()))).hasValue(0);
    }

    private static TopicState state(CommitLog log, LogTopic topic) {
        return join(log.look(Set.of(topic.number()))).get(0);
    }

    @Test
    void entriesAreReadBackByteForByte() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        byte[] largest = new byte[LogBatch.MAX_ENTRIES];
        for (int i = 0; i < largest.length; i++) {
            largest[i] = (byte) (i * 31 + (i >> 8));
        }
        Writer writer = join(log.open("a"));
        long before = join(log.retention().clock()).toEpochMilli();
        long id = commit(writer, 0, new LogBatch(topic.number(), largest, Set.of(), 7, -5));
        sequence(log, topic);
        long after = join(log.retention().clock()).toEpochMilli();
        SequencedBatch batch = read(log, topic, 0).get(0);
        assertThat(batch.entries()).isEqualTo(largest);
        assertThat(batch.id()).isEqualTo(id);
        assertThat(batch.committedMillis()).isBetween(before - 1, after + 1);
    }

    @Test
    void theOrderIsThatOfAWritersNumbers() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        List<String> sent = new ArrayList<>();
        long number = 0;
        for (int i = 0; i < 10; i++) {
            List<LogBatch> batches = new ArrayList<>();
            for (int k = 0; k <= i % 3; k++) {
                sent.add(i + "/" + k);
                batches.add(batch(topic, i + "/" + k));
            }
            List<Long> ids = join(writer.commit(number, batches, Optional.empty()));
            assertThat(ids).hasSameSizeAs(batches).isSorted().doesNotHaveDuplicates();
            number += batches.size();
            if (i % 4 == 0) {
                sequence(log, topic);
            }
        }
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).isEqualTo(sent);
        assertThat(read(log, topic, 0).stream().map(SequencedBatch::id)).isSorted();
    }

    @Test
    void eachTopicOfACommitHasAnOrderOfItsOwn() {
        CommitLog log = connect();
        LogTopic orders = topic(log, "orders", 1);
        LogTopic bills = topic(log, "bills", 1);
        Writer writer = join(log.open("a"));
        join(writer.commit(0, List.of(batch(orders, "o1"), batch(bills, "b1"), batch(orders, "o2")), Optional.empty()));
        sequence(log, orders);
        assertThat(entries(log, orders, 0)).containsExactly("o1", "o2");
        assertThat(entries(log, bills, 0)).isEmpty();
        sequence(log, bills);
        assertThat(entries(log, bills, 0)).containsExactly("b1");
        assertThat(join(log.look(Set.of(orders.number(), bills.number(), 1_000_000))))
                .containsExactlyInAnyOrder(
                        new TopicState(orders.number(), 0, 2, false), new TopicState(bills.number(), 0, 1, false));
        assertThat(join(log.look(Set.of()))).isEmpty();
    }

    // ---- numbers

    @Test
    void aRepeatedCommitIsStoredOnceAndHasTheSameIds() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        List<LogBatch> both = List.of(batch(topic, "one"), batch(topic, "two"));
        List<Long> ids = join(writer.commit(0, both, Optional.empty()));
        assertThat(join(writer.commit(0, both, Optional.empty()))).isEqualTo(ids);
        sequence(log, topic);
        assertThat(join(writer.commit(0, both, Optional.empty()))).isEqualTo(ids);
        commit(writer, 2, batch(topic, "three"));
        assertThat(join(writer.commit(0, both, Optional.empty()))).isEqualTo(ids);
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("one", "two", "three");
    }

    @Test
    void aRepeatedCommitSucceedsAlthoughItsBlobExpiredMeanwhile() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        LogBatch batch = batch(topic, "one", Set.of(blob(minute(log))));
        long id = commit(writer, 0, batch);
        tested().shiftClock(Duration.ofHours(1));
        assertThat(commit(writer, 0, batch)).isEqualTo(id);
    }

    @Test
    void aGapInTheNumbersMeansThatTheLogWentBack() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "one"));
        assertThatThrownBy(() -> commit(writer, 2, batch(topic, "three"))).isInstanceOf(LogWentBackException.class);
        commit(writer, 1, batch(topic, "two"));
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("one", "two");
    }

    @Test
    void aCommitWithoutABatchTakesANumber() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        assertThat(join(writer.commit(0, List.of(), Optional.empty()))).isEmpty();
        assertThat(join(writer.commit(0, List.of(), Optional.empty()))).isEmpty();
        commit(writer, 1, batch(topic, "one"));
        assertThat(join(connect().open("a")).firstNumber()).isEqualTo(2);
    }

    @Test
    void aNewWriterFencesItsPredecessorAndGoesOnWithItsNumbers() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer old = join(log.open("a"));
        assertThat(old.firstNumber()).isZero();
        commit(old, 0, batch(topic, "one"));
        Writer successor = join(connect().open("a"));
        assertThat(successor.epoch()).isGreaterThan(old.epoch());
        assertThat(successor.firstNumber()).isEqualTo(1);
        assertThat(successor.name()).isEqualTo("a");
        assertThatThrownBy(() -> commit(old, 1, batch(topic, "zombie"))).isInstanceOf(WriterFencedException.class);
        assertThatThrownBy(() -> commit(old, 0, batch(topic, "one"))).isInstanceOf(WriterFencedException.class);
        commit(successor, 1, batch(topic, "two"));
        assertThatThrownBy(() -> commit(old, 1, batch(topic, "zombie"))).isInstanceOf(WriterFencedException.class);
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("one", "two");
    }

    @Test
    void writersOfOtherNamesDoNotFenceEachOther() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer a = join(log.open("a"));
        Writer b = join(log.open("b"));
        Writer upper = join(log.open("A"));
        commit(a, 0, batch(topic, "a"));
        commit(b, 0, batch(topic, "b"));
        commit(upper, 0, batch(topic, "A"));
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("a", "b", "A");
    }

    @Test
    void epochsRiseAndNumbersAreNeverUsedAgainWhoeverOpens() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        int epoch = 0;
        for (int round = 0; round < 20; round++) {
            Writer writer = join(log.open("a"));
            assertThat(writer.epoch()).isGreaterThan(epoch);
            epoch = writer.epoch();
            assertThat(writer.firstNumber()).isEqualTo(round);
            commit(writer, round, batch(topic, "" + round));
        }
        sequence(log, topic);
        trim(log);
        assertThat(join(log.open("a")).firstNumber()).isEqualTo(20);
    }

    @Test
    void aSuccessorWhileItsPredecessorCommitsSeesAllOrNothingOfIt() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        for (int round = 0; round < 20; round++) {
            String name = "writer-" + round;
            Writer old = join(log.open(name));
            AtomicBoolean isCommitted = new AtomicBoolean();
            AtomicLong next = new AtomicLong();
            LogBatch batch = batch(topic, name);
            together(List.of(
                    () -> {
                        try {
                            commit(old, 0, batch);
                            isCommitted.set(true);
                        } catch (WriterFencedException e) {
                            isCommitted.set(false);
                        }
                    },
                    () -> next.set(join(log.open(name)).firstNumber())));
            assertThat(next.get()).isEqualTo(isCommitted.get() ? 1 : 0);
        }
    }

    @Test
    void whetherANumberIsCommittedIsKnownAfterItsWriterIsFenced() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "one"));
        assertThat(join(writer.wasCommitted(0))).isTrue();
        assertThat(join(writer.wasCommitted(1))).isFalse();
        assertThatThrownBy(() -> commit(writer, 1, batch(topic, "late"))).isInstanceOf(WriterFencedException.class);
        assertThat(join(log.open("a")).firstNumber()).isEqualTo(1);
    }

    @Test
    void aNumberThatASuccessorUsedWasNotCommittedByItsPredecessor() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer old = join(log.open("a"));
        commit(old, 0, batch(topic, "one"));
        Writer successor = join(connect().open("a"));
        commit(successor, 1, batch(topic, "of the successor"));
        assertThat(join(old.wasCommitted(0))).isTrue();
        assertThat(join(old.wasCommitted(1))).isFalse();
        commit(successor, 2, batch(topic, "the question of a fenced writer fences nobody else"));
        assertThat(join(successor.wasCommitted(1))).isTrue();
        assertThat(join(successor.wasCommitted(0))).isTrue();
    }

    @Test
    void whetherANumberIsCommittedHoldsAfterItsBatchWasTrimmed() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "one"));
        assertThat(join(log.topics().delete("orders"))).isTrue();
        trim(log);
        assertThat(join(writer.commit(0, List.of(batch(topic, "one")), Optional.empty())))
                .as("ids of the trimmed batch, if they are still known")
                .hasSizeLessThanOrEqualTo(1);
        assertThat(join(writer.wasCommitted(0))).isTrue();
        assertThat(join(writer.wasCommitted(1))).isFalse();
    }

    // ---- order

    /**
     * Runs writers and sequencers at once, and checks the promised order over all pairs of commits.
     */
    @Test
    void acknowledgedBeforeAnotherBeganMeansEarlierAndThereIsNoHole() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        int writers = 6;
        int commits = 40;
        Map<String, Long> began = new ConcurrentHashMap<>();
        Map<String, Long> ended = new ConcurrentHashMap<>();
        AtomicLong clock = new AtomicLong();
        AtomicLong left = new AtomicLong(writers);
        List<Runnable> calls = new ArrayList<>();
        for (int w = 0; w < writers; w++) {
            Writer writer = join(connect().open("writer-" + w));
            calls.add(() -> {
                for (int i = 0; i < commits; i++) {
                    String name = writer.name() + "/" + i;
                    began.put(name, clock.incrementAndGet());
                    commit(writer, i, batch(topic, name));
                    ended.put(name, clock.incrementAndGet());
                    if (i % 3 == 0) {
                        Object ignored = join(log.sequence(topic.number()));
                    }
                }
                left.decrementAndGet();
            });
        }
        for (int s = 0; s < 2; s++) {
            CommitLog other = connect();
            calls.add(() -> {
                while (left.get() > 0) {
                    Object ignored = join(other.sequence(topic.number()));
                }
            });
        }
        together(calls);
        sequence(log, topic);
        List<String> order = entries(log, topic, 0);
        assertThat(order).hasSize(writers * commits).doesNotHaveDuplicates();
        long latestBegin = 0;
        for (String name : order) {
            assertThat(ended.get(name))
                    .as("%s after one that began later", name)
                    .isGreaterThan(latestBegin);
            latestBegin = Math.max(latestBegin, began.getOrDefault(name, 0L));
        }
    }

    @Test
    void readersBesideWritersSeeEachBatchOnceAndNoHole() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        int commits = 120;
        Writer writer = join(log.open("a"));
        CommitLog other = connect();
        List<String> seen = new ArrayList<>();
        together(List.of(
                () -> {
                    for (int i = 0; i < commits; i++) {
                        commit(writer, i, batch(topic, "" + i));
                        Object ignored = join(log.sequence(topic.number()));
                    }
                    sequence(log, topic);
                },
                () -> {
                    while (seen.size() < commits) {
                        seen.addAll(entries(other, topic, seen.size()));
                    }
                }));
        assertThat(seen)
                .isEqualTo(
                        IntStream.range(0, commits).mapToObj(Integer::toString).toList());
    }

    @Test
    void oneCallSequencesAtMostFiveThousand() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        int chunk = 1_001;
        for (int i = 0; i < 5; i++) {
            join(writer.commit(
                    (long) i * chunk,
                    IntStream.range(0, chunk).mapToObj(k -> batch(topic, "x")).toList(),
                    Optional.empty()));
        }
        assertThat(join(log.sequence(topic.number()))).hasValue(5_000);
        assertThat(state(log, topic)).isEqualTo(new TopicState(topic.number(), 0, 5_000, true));
        assertThat(join(log.sequence(topic.number()))).hasValue(5);
        assertThat(read(log, topic, 0)).hasSize(5_005);
    }

    @Test
    void sequencingATopicThatIsNotThereMovesNothing() {
        CommitLog log = connect();
        assertThat(join(log.sequence(1_000_000))).hasValue(0);
    }

    // ---- blobs

    @Test
    void aBlobThatIsTooOldIsRefusedAndTheNumberIsFree() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        long allowed = log.retention().longestUncommitted().toMinutes();
        long now = minute(log);
        LogBatch mixed = batch(topic, "old", Set.of(blob(now), blob(now - allowed - 1)));
        assertThatThrownBy(() -> commit(writer, 0, mixed)).isInstanceOf(BlobExpiredException.class);
        assertThatThrownBy(() -> join(writer.commit(0, List.of(batch(topic, "x"), mixed), Optional.empty())))
                .isInstanceOf(BlobExpiredException.class);
        commit(writer, 0, batch(topic, "young", Set.of(blob(now), blob(now - allowed + 1))));
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("young");
        assertThat(join(log.open("a")).firstNumber()).isEqualTo(1);
    }

    @Test
    void theClockOfTheLogDecidesWhatIsTooOld() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        LogBatch batch = batch(topic, "one", Set.of(blob(minute(log))));
        tested().shiftClock(log.retention().longestUncommitted().plus(MINUTE.multipliedBy(2)));
        assertThatThrownBy(() -> commit(writer, 0, batch)).isInstanceOf(BlobExpiredException.class);
    }

    // ---- topics

    @Test
    void aDeletedTopicTakesNoCommitAndCannotBeRead() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        LogTopic other = topic(log, "bills", 1);
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "one"));
        sequence(log, topic);
        assertThat(join(log.topics().delete("orders"))).isTrue();
        assertThatThrownBy(() -> commit(writer, 1, batch(topic, "two"))).isInstanceOf(TopicAbsentException.class);
        assertThatThrownBy(() ->
                        join(writer.commit(1, List.of(batch(other, "two"), batch(topic, "two")), Optional.empty())))
                .isInstanceOf(TopicAbsentException.class);
        assertThatThrownBy(() -> read(log, topic, 0)).isInstanceOf(TopicAbsentException.class);
        assertThat(join(log.look(Set.of(topic.number())))).isEmpty();
        commit(writer, 1, batch(other, "free again"));
        sequence(log, other);
        assertThat(entries(log, other, 0)).containsExactly("free again");
    }

    @Test
    void commitsToATopicThatNeverWasAreRefused() {
        CommitLog log = connect();
        LogTopic never = new LogTopic(1_000_000, "x", 1, topic(log, "orders", 1).retention());
        Writer writer = join(log.open("a"));
        assertThatThrownBy(() -> commit(writer, 0, batch(never, "one"))).isInstanceOf(TopicAbsentException.class);
        assertThatThrownBy(() -> read(log, never, 0)).isInstanceOf(TopicAbsentException.class);
    }

    @Test
    void theNameOfADeletedTopicIsFreeAndTheNewOneIsEmpty() {
        CommitLog log = connect();
        Set<Integer> numbers = new HashSet<>();
        for (int round = 0; round < 3; round++) {
            LogTopic topic = topic(log, "orders", round + 1);
            assertThat(numbers.add(topic.number())).isTrue();
            assertThat(read(log, topic, 0)).isEmpty();
            assertThat(join(log.topics().find("orders"))).contains(topic);
            Writer writer = join(log.open("a"));
            commit(writer, writer.firstNumber(), batch(topic, "" + round));
            sequence(log, topic);
            assertThat(entries(log, topic, 0)).containsExactly("" + round);
            assertThat(join(log.topics().delete("orders"))).isTrue();
            assertThat(join(log.topics().find("orders"))).isEmpty();
        }
    }

    @Test
    void aTopicDeletedWhileItIsWrittenLosesNothingElse() {
        CommitLog log = connect();
        LogTopic kept = topic(log, "kept", 1);
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        AtomicLong next = new AtomicLong();
        together(List.of(
                () -> {
                    for (int i = 0; i < 60; i++) {
                        List<LogBatch> both = List.of(batch(topic, "" + i), batch(kept, "" + i));
                        try {
                            next.addAndGet(join(writer.commit(next.get(), both, Optional.empty()))
                                    .size());
                        } catch (TopicAbsentException e) {
                            commit(writer, next.getAndIncrement(), batch(kept, "" + i));
                        }
                    }
                },
                () -> assertThat(join(log.topics().delete("orders"))).isTrue()));
        sequence(log, kept);
        assertThat(entries(log, kept, 0))
                .isEqualTo(IntStream.range(0, 60).mapToObj(Integer::toString).toList());
    }

    // ---- reading

    @Test
    void aReadStopsAtItsLimitsButReturnsOneBatch() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        for (int i = 0; i < 10; i++) {
            commit(writer, i, batch(topic, "0123456789"));
        }
        sequence(log, topic);
        assertThat(size(log, topic, 0, 4, 1_000)).isEqualTo(4);
        assertThat(size(log, topic, 8, 4, 1_000)).isEqualTo(2);
        assertThat(size(log, topic, 10, 4, 1_000)).isZero();
        assertThat(size(log, topic, 0, 100, 1)).isEqualTo(1);
        assertThat(size(log, topic, 0, 100, 30)).isBetween(3, 4);
    }

    private static int size(CommitLog log, LogTopic topic, long from, int batches, long bytes) {
        return join(log.read(new ReadRequest(topic.number(), from, batches, bytes, Optional.empty())))
                .size();
    }

    @Test
    void aPositionBeyondTheEndMeansThatTheLogWentBack() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        commit(join(log.open("a")), 0, batch(topic, "one"));
        sequence(log, topic);
        assertThat(size(log, topic, 1, 1, 1)).isZero();
        assertThatThrownBy(() -> size(log, topic, 2, 1, 1)).isInstanceOf(LogWentBackException.class);
    }

    @Test
    void anotherBatchThanTheOneThatWasReadMeansThatTheLogWentBack() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        commit(writer, 0, batch(topic, "one"));
        commit(writer, 1, batch(topic, "two"));
        sequence(log, topic);
        Bookmark right = Bookmark.at(read(log, topic, 0).get(0));
        assertThat(after(log, topic, right)).isEqualTo(1);
        List<Bookmark> wrong = List.of(
                new Bookmark(right.sequence(), right.id() + 1, right.checksum()),
                new Bookmark(right.sequence(), right.id(), right.checksum() + 1),
                new Bookmark(right.sequence() + 1, right.id(), right.checksum()),
                new Bookmark(7, right.id(), right.checksum()));
        for (Bookmark each : wrong) {
            assertThatThrownBy(() -> after(log, topic, each)).as("%s", each).isInstanceOf(LogWentBackException.class);
        }
    }

    private static int after(CommitLog log, LogTopic topic, Bookmark last) {
        return join(log.read(new ReadRequest(topic.number(), 1, 10, 1_000, Optional.of(last))))
                .size();
    }

    @Test
    void sequencesAreFoundByTime() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        LogTopic empty = topic(log, "empty", 1);
        Writer writer = join(log.open("a"));
        Map<Integer, Instant> times = new HashMap<>();
        Instant start = join(log.retention().clock());
        for (int i = 0; i < 4; i++) {
            commit(writer, i, batch(topic, "" + i));
            sequence(log, topic);
            tested().shiftClock(MINUTE);
        }
        for (int i = 0; i < 4; i++) {
            times.put(topic.number(), start.plus(MINUTE.multipliedBy(i)).minusSeconds(5));
            times.put(empty.number(), start);
            assertThat(join(log.topics().sequencesAt(times)))
                    .containsOnly(Map.entry(topic.number(), (long) i), Map.entry(empty.number(), 0L));
        }
        for (Instant later : List.of(start.plus(MINUTE.multipliedBy(10)), Instant.MAX)) {
            times.put(topic.number(), later);
            assertThat(join(log.topics().sequencesAt(times))).containsEntry(topic.number(), 4L);
        }
        for (Instant earlier : List.of(start.minus(Duration.ofDays(1_000)), Instant.MIN)) {
            times.put(topic.number(), earlier);
            assertThat(join(log.topics().sequencesAt(times))).containsEntry(topic.number(), 0L);
        }
    }

    @Test
    void hintsArriveWhereTheyAreLive() throws Exception {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        CountDownLatch hinted = new CountDownLatch(1);
        try (CommitLog.Hints hints = connect().hints(number -> {
            if (number == topic.number()) {
                hinted.countDown();
            }
        })) {
            if (!tested().hasHints()) {
                assertThat(hints.areLive()).isFalse();
                return;
            }
            Writer writer = join(log.open("a"));
            boolean isHinted = false; // They become live some time after the call.
            for (int i = 0; i < MOST_LOOKS && !isHinted; i++) {
                commit(writer, i, batch(topic, "" + i));
                sequence(log, topic);
                isHinted = hinted.await(10, TimeUnit.MILLISECONDS);
            }
            assertThat(isHinted).isTrue();
        }
    }

    @Test
    void aClosedLogFailsItsCalls() {
        CommitLog log = connect();
        Writer writer = join(log.open("a"));
        LogTopic topic = topic(log, "orders", 1);
        log.close();
        log.close();
        assertThatThrownBy(() -> join(log.topics().list())).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> commit(writer, 0, batch(topic, "late"))).isInstanceOf(ClosedException.class);
        assertThat(join(connect().open("a")).firstNumber()).isZero();
    }
}
