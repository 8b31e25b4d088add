package dev.blobshuffle.messaging.internal.subscribe;

import static dev.blobshuffle.messaging.internal.subscribe.SubscriberFixture.TOPIC;
import static dev.blobshuffle.messaging.internal.subscribe.SubscriberFixture.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.Records;
import dev.blobshuffle.messaging.ResetPolicy;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscription;
import dev.blobshuffle.messaging.TopicPartition;
import dev.blobshuffle.messaging.UnreadableRecordException;
import dev.blobshuffle.testkit.internal.log.LogCall;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogSubscriberTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofSeconds(5);
    private static final TopicPartition P0 = new TopicPartition(TOPIC, 0);
    private static final TopicPartition P1 = new TopicPartition(TOPIC, 1);

    private final SubscriberFixture fixture = new SubscriberFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    private static Subscription group() {
        return Subscription.of("g", TOPIC);
    }

    @Test
    void recordsOfBlobsAndOfTheLogComeInOrder() {
        fixture.run(() -> {
            fixture.publish(0, "a", "b");
            fixture.publishPlain(0, "c", "d");
            fixture.publish(0, "e");
            try (var subscriber = fixture.open(group())) {
                assertThat(fixture.take(subscriber, 5)).containsExactly("a", "b", "c", "d", "e");
                fixture.publishPlain(0, "f");
                assertThat(fixture.take(subscriber, 1)).containsExactly("f");
            }
        });
    }

    @Test
    void aCommitInTheMiddleOfABatchIsWhereTheNextOneBegins() {
        fixture.run(() -> {
            fixture.append(0, "a");
            fixture.append(1, "x");
            fixture.append(0, "b");
            fixture.append(0, "c");
            fixture.commit();
            fixture.publishPlain(0, "d", "e", "f");
            List<String> all = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                try (var subscriber = fixture.open(group().maxRecords(1))) {
                    List<String> one = fixture.take(subscriber, 1);
                    assertThat(one).hasSize(1);
                    all.addAll(one);
                    subscriber.commit();
                }
            }
            all.remove("x");
            assertThat(all).containsExactly("a", "b", "c", "d", "e", "f");
            try (var subscriber = fixture.open(group())) {
                assertThat(values(subscriber.poll(LONG))).isEmpty();
            }
        });
    }

    @Test
    void whatIsNotCommittedComesAgain() {
        fixture.run(() -> {
            fixture.publish(0, "a", "b");
            try (var subscriber = fixture.open(group())) {
                fixture.take(subscriber, 2);
            }
            try (var subscriber = fixture.open(group())) {
                assertThat(fixture.take(subscriber, 2)).containsExactly("a", "b");
                subscriber.rollBack();
                assertThat(fixture.take(subscriber, 2)).containsExactly("a", "b");
                subscriber.commit();
                subscriber.rollBack();
                assertThat(values(subscriber.poll(SHORT))).isEmpty();
            }
        });
    }

    @Test
    void positionsOfPartitionsWithoutRecordsMove() {
        fixture.run(() -> {
            try (var subscriber = fixture.open(group())) {
                for (int i = 0; i < 5; i++) {
                    fixture.publish(0, "v" + i);
                }
                fixture.take(subscriber, 5);
                assertThat(subscriber.position(P1)).hasValue(new LogPosition(5, 0).value());
                assertThat(subscriber.lag()).containsEntry(P1, 0L).hasSize(4);
                fixture.time.pause(Duration.ofSeconds(6));
                subscriber.commit();
                var described =
                        fixture.await(fixture.log.groups().describe("g")).orElseThrow();
                assertThat(described.partitions())
                        .allSatisfy(each -> assertThat(each.position()).hasValue(new LogPosition(5, 0).value()));
            }
        });
    }

    @Test
    void aSeekGoesAnywhere() {
        fixture.run(() -> {
            fixture.publish(0, "a", "b");
            fixture.time.pause(Duration.ofSeconds(1));
            Instant later = Instant.ofEpochMilli(fixture.time.wallMillis());
            fixture.publishPlain(0, "c", "d");
            try (var subscriber = fixture.open(group())) {
                List<ReceivedRecord<byte[], String>> received = new ArrayList<>();
                while (received.size() < 4) {
                    received.addAll(subscriber.poll(LONG).all());
                }
                subscriber.seek(P0, received.get(1).position());
                assertThat(subscriber.position(P0)).hasValue(received.get(1).position());
                assertThat(fixture.take(subscriber, 3)).containsExactly("b", "c", "d");
                subscriber.seekToBeginning(Set.of(P0));
                assertThat(fixture.take(subscriber, 4)).containsExactly("a", "b", "c", "d");
                subscriber.seekTo(Map.of(P0, later));
                assertThat(fixture.take(subscriber, 2)).containsExactly("c", "d");
                subscriber.seek(P0, received.get(3).position());
                assertThat(fixture.take(subscriber, 1)).containsExactly("d");
                subscriber.seekToBeginning(Set.of(P0));
                subscriber.seekToEnd(Set.of(P0));
                assertThat(values(subscriber.poll(SHORT))).isEmpty();
                fixture.publish(0, "e");
                assertThat(fixture.take(subscriber, 1)).containsExactly("e");
            }
        });
    }

    @Test
    void aSeekIsCommittedBeforeAnythingIsRead() {
        fixture.run(() -> {
            fixture.publish(0, "a", "b");
            try (var subscriber = fixture.open(group())) {
                fixture.take(subscriber, 2);
                subscriber.commit();
                subscriber.seekToBeginning(Set.of(P0));
                subscriber.commit();
            }
            try (var subscriber = fixture.open(group())) {
                assertThat(fixture.take(subscriber, 2)).containsExactly("a", "b");
            }
        });
    }

    @Test
    void aPausedPartitionWaitsAndOthersGoOn() {
        fixture.run(() -> {
            try (var subscriber = fixture.open(group())) {
                fixture.publish(0, "a");
                fixture.publish(1, "x");
                assertThat(fixture.take(subscriber, 2)).containsExactlyInAnyOrder("a", "x");
                subscriber.pause(Set.of(P0));
                for (int i = 0; i < 300; i++) {
                    fixture.publish(0, "a" + i);
                    fixture.publishPlain(1, "x" + i);
                }
                assertThat(fixture.take(subscriber, 300)).hasSize(300).allMatch(each -> each.startsWith("x"));
                assertThat(subscriber.lag().get(P0)).isGreaterThan(0);
                subscriber.resume(Set.of(P0));
                List<String> rest = fixture.take(subscriber, 300);
                assertThat(rest).hasSize(300);
                for (int i = 0; i < 300; i++) {
                    assertThat(rest.get(i)).isEqualTo("a" + i);
                }
            }
        });
    }

    @Test
    void aNewGroupBeginsAsItsPolicySays() {
        fixture.run(() -> {
            fixture.publish(0, "a");
            try (var latest = fixture.open(group().reset(ResetPolicy.LATEST))) {
                assertThat(values(latest.poll(SHORT))).isEmpty();
            }
            fixture.publish(0, "b");
            try (var latest = fixture.open(group().reset(ResetPolicy.LATEST))) {
                assertThat(fixture.take(latest, 1)).as("without a gap").containsExactly("b");
            }
            try (var refusing = fixture.open(Subscription.of("other", TOPIC).reset(ResetPolicy.ERROR))) {
                assertThatThrownBy(() -> refusing.poll(LONG)).isInstanceOf(PositionTrimmedException.class);
                assertThatThrownBy(() -> refusing.poll(LONG)).isInstanceOf(PositionTrimmedException.class);
                refusing.seekToBeginning(refusing.assignment());
                assertThat(fixture.take(refusing, 2)).containsExactly("a", "b");
            }
        });
    }

    @Test
    void aTrimmedPositionFollowsThePolicy() {
        fixture.run(() -> {
            fixture.publish(0, "a");
            fixture.publish(0, "b");
            for (String name : List.of("g", "strict")) {
                try (var subscriber = fixture.open(Subscription.of(name, TOPIC).maxRecords(1))) {
                    assertThat(fixture.take(subscriber, 1)).containsExactly("a");
                    subscriber.commit();
                }
            }
            fixture.await(fixture.log
                    .topics()
                    .change(fixture.topic.number(), 4, new RetentionRule.For(Duration.ofSeconds(1))));
            fixture.time.pause(Duration.ofSeconds(2));
            fixture.publish(0, "c");
            fixture.await(fixture.log.retention().trim());
            try (var subscriber = fixture.open(group())) {
                assertThat(fixture.take(subscriber, 1)).containsExactly("c");
            }
            try (var strict = fixture.open(Subscription.of("strict", TOPIC).reset(ResetPolicy.ERROR))) {
                for (int i = 0; i < 3; i++) {
                    assertThatThrownBy(() -> strict.poll(LONG)).isInstanceOf(PositionTrimmedException.class);
                }
                strict.seekToBeginning(strict.assignment());
                assertThat(fixture.take(strict, 1)).containsExactly("c");
            }
        });
    }

    @Test
    void recordsThatCannotBeReadStopThePollWithoutDeadLetters() {
        fixture.run(() -> {
            fixture.publish(0, "a", "bad", "b");
            try (var subscriber = fixture.open(group(), picky())) {
                assertThat(fixture.take(subscriber, 1)).containsExactly("a");
                UnreadableRecordException failure = null;
                for (int i = 0; i < 3; i++) {
                    try {
                        assertThat(values(subscriber.poll(SHORT))).isEmpty();
                    } catch (UnreadableRecordException e) {
                        failure = e;
                    }
                }
                assertThat(failure).isNotNull();
                assertThat(failure.partition()).isEqualTo(P0);
                assertThat(subscriber.position(P0)).hasValue(failure.position());
                subscriber.seek(P0, failure.position() + 1);
                assertThat(fixture.take(subscriber, 1)).containsExactly("b");
            }
        });
    }

    @Test
    void recordsThatCannotBeReadGoToTheDeadLetters() {
        fixture.run(() -> {
            fixture.publish(0, "a", "bad", "b");
            fixture.publishPlain(0, "bad", "c");
            try (var subscriber = fixture.open(group().deadLetters("dead"), picky())) {
                assertThat(fixture.take(subscriber, 3)).containsExactly("a", "b", "c");
                assertThat(fixture.letters.sent).hasSize(2);
                assertThat(fixture.letters.sent.get(0).headers())
                        .extracting(each -> each.name() + "=" + new String(each.value()))
                        .contains(
                                "blobshuffle.dead.topic=t",
                                "blobshuffle.dead.partition=0",
                                "blobshuffle.dead.group=g",
                                "blobshuffle.dead.failure=java.lang.IllegalArgumentException");
                subscriber.commit();
                assertThat(fixture.letters.flushes).isEqualTo(1);
            }
        });
    }

    @Test
    void theApplicationCanRefuseARecord() {
        fixture.run(() -> {
            fixture.publish(0, "a");
            try (var subscriber = fixture.open(group().deadLetters("dead"))) {
                Records<byte[], String> records = subscriber.poll(LONG);
                subscriber.refuse(records.all().get(0), new IllegalStateException("not mine"));
                assertThat(fixture.letters.sent).hasSize(1);
                assertThat(new String(fixture.letters.sent.get(0).value())).isEqualTo("a");
            }
            try (var subscriber = fixture.open(group())) {
                Records<byte[], String> records = subscriber.poll(LONG);
                assertThatThrownBy(() -> subscriber.refuse(records.all().get(0), new IllegalStateException("")))
                        .isInstanceOf(IllegalStateException.class);
            }
        });
    }

    private static Serde<String> picky() {
        return Serde.of(SubscriberFixture::bytes, bytes -> {
            String value = new String(bytes);
            if (value.equals("bad")) {
                throw new IllegalArgumentException("no good");
            }
            return value;
        });
    }

    @Test
    void wakeUpEndsAPoll() {
        fixture.run(() -> {
            var subscriber = fixture.open(group());
            long start = fixture.time.nanos();
            fixture.time.actor("other", () -> {
                fixture.time.pause(Duration.ofSeconds(1));
                subscriber.wakeup();
            });
            assertThat(subscriber.poll(Duration.ofHours(1)).isEmpty()).isTrue();
            assertThat(fixture.time.nanos() - start)
                    .isLessThan(Duration.ofSeconds(2).toNanos());
            subscriber.close();
        });
    }

    @Test
    void closeFromAnotherThreadEndsAPoll() {
        fixture.run(() -> {
            var subscriber = fixture.open(group());
            fixture.time.actor("other", () -> {
                fixture.time.pause(Duration.ofSeconds(1));
                assertThatThrownBy(subscriber::commit).isInstanceOf(ConcurrentModificationException.class);
                subscriber.close();
                assertThat(fixture.await(fixture.log.groups().describe("g"))
                                .orElseThrow()
                                .members())
                        .isEmpty();
            });
            assertThatThrownBy(() -> subscriber.poll(Duration.ofHours(1))).isInstanceOf(ClosedException.class);
            assertThatThrownBy(subscriber::commit).isInstanceOf(ClosedException.class);
            subscriber.close();
        });
    }

    @Test
    void aClosedSubscriberRefusesEachCall() {
        fixture.run(() -> {
            fixture.publishPlain(0, "a");
            LogSubscriber<byte[], String> subscriber = fixture.open(group());
            assertThat(subscriber.group()).isEqualTo("g");
            Records<byte[], String> records = subscriber.poll(Duration.ofSeconds(10));
            ReceivedRecord<byte[], String> record = records.iterator().next();
            subscriber.close();
            TopicPartition partition = new TopicPartition(TOPIC, 0);
            List<ThrowingCallable> calls = List.of(
                    () -> subscriber.poll(Duration.ZERO),
                    subscriber::commit,
                    subscriber::consumed,
                    subscriber::rollBack,
                    () -> subscriber.refuse(record, new IllegalStateException("refused")),
                    () -> subscriber.pause(Set.of(partition)),
                    () -> subscriber.resume(Set.of(partition)),
                    () -> subscriber.seek(partition, 0),
                    () -> subscriber.seekToBeginning(Set.of(partition)),
                    () -> subscriber.seekTo(Map.of(partition, Instant.EPOCH)),
                    () -> subscriber.position(partition),
                    subscriber::lag);
            assertThat(calls).allSatisfy(call -> assertThatThrownBy(call).isInstanceOf(ClosedException.class));
        });
    }

    @Test
    void aDatabaseThatIsAwayIsWaitedFor() {
        fixture.run(() -> {
            fixture.publish(0, "a");
            try (var subscriber = fixture.open(group())) {
                fixture.take(subscriber, 1);
                Set<TopicPartition> before = subscriber.assignment();
                fixture.plan.away.addAll(EnumSet.allOf(LogCall.class));
                assertThat(values(subscriber.poll(Duration.ofSeconds(30)))).isEmpty();
                fixture.plan.away.clear();
                fixture.publish(0, "b");
                assertThat(fixture.take(subscriber, 1)).containsExactly("b");
                assertThat(subscriber.assignment()).isEqualTo(before);
                subscriber.commit();
            }
        });
    }

    @Test
    void aLogThatWentBackStopsThePoll() {
        fixture.run(() -> {
            fixture.publish(0, "a");
            try (var subscriber = fixture.open(group())) {
                fixture.take(subscriber, 1);
                MemoryDatabase.Standby standby = fixture.database.standby();
                fixture.publish(0, "b");
                fixture.take(subscriber, 1);
                fixture.database.failOver(standby);
                for (int i = 0; i < 3; i++) {
                    assertThatThrownBy(() -> subscriber.poll(LONG)).isInstanceOf(LogWentBackException.class);
                }
            }
        });
    }

    @Test
    void aCommittedPositionBeyondTheEndStopsThePoll() {
        fixture.run(() -> {
            MemoryDatabase.Standby before = fixture.database.standby();
            fixture.publish(0, "a");
            fixture.await(fixture.log
                    .groups()
                    .seek("g", Map.of(new LogPartition(fixture.topic.number(), 0), new LogPosition(7, 0).value())));
            try (var subscriber = fixture.open(group())) {
                assertThatThrownBy(() -> subscriber.poll(LONG)).isInstanceOf(LogWentBackException.class);
            }
            assertThat(before).isNotNull();
        });
    }

    @Test
    void aDeletedTopicStopsThePoll() {
        fixture.run(() -> {
            try (var subscriber = fixture.open(group())) {
                subscriber.poll(SHORT);
                fixture.await(fixture.log.topics().delete(TOPIC));
                for (int i = 0; i < 20; i++) { // Even when the group has left it no partition.
                    assertThatThrownBy(() -> subscriber.poll(LONG))
                            .isInstanceOf(TopicAbsentException.class)
                            .hasMessageContaining("'" + TOPIC + "'")
                            .hasMessageContaining("deleted");
                    fixture.time.pause(Duration.ofSeconds(1));
                }
                assertThat(subscriber.assignment()).isEmpty();
            }
        });
    }

    /** An application that logs and polls again must not fill its disk. */
    /** A busy topic must not hide another one that is gone. */
    @Test
    void aFailureIsThrownHoweverBusyOtherPartitionsAre() {
        fixture.run(() -> {
            fixture.await(fixture.log.topics().create("other", 1, new RetentionRule.Forever()));
            try (var subscriber = fixture.open(Subscription.of("g", TOPIC, "other"))) {
                subscriber.poll(SHORT);
                fixture.await(fixture.log.topics().delete("other"));
                int thrown = 0;
                List<String> read = new ArrayList<>();
                List<String> sent = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    sent.add("busy-" + i);
                    fixture.publishPlain(0, sent.get(i));
                    fixture.time.pause(Duration.ofMillis(100));
                    try {
                        SubscriberFixture.values(subscriber.poll(SHORT)).forEach(read::add);
                    } catch (TopicAbsentException e) {
                        assertThat(e).hasMessageContaining("'other'");
                        thrown++;
                    }
                }
                assertThat(thrown).isBetween(4, 12);
                fixture.take(subscriber, 1).forEach(read::add);
                assertThat(read).isEqualTo(sent);
            }
        });
    }

    @Test
    void aLastingFailureIsThrownOncePerSecond() {
        fixture.run(() -> {
            try (var subscriber = fixture.open(group())) {
                subscriber.poll(SHORT);
                fixture.await(fixture.log.topics().delete(TOPIC));
                assertThatThrownBy(() -> subscriber.poll(LONG)).isInstanceOf(TopicAbsentException.class);
                long thrown = fixture.time.nanos();

                assertThatThrownBy(() -> subscriber.poll(LONG)).isInstanceOf(TopicAbsentException.class);
                assertThat(Duration.ofNanos(fixture.time.nanos() - thrown))
                        .isBetween(Duration.ofMillis(900), Duration.ofMillis(1500));

                assertThatThrownBy(() -> subscriber.poll(Duration.ZERO)).isInstanceOf(TopicAbsentException.class);
            }
        });
    }

    @Test
    void batchesThatNobodyCanPutInOrderAreNoSilence() {
        fixture.run(() -> {
            try (var subscriber = fixture.open(group())) {
                fixture.publishPlain(0, "a");
                assertThat(fixture.take(subscriber, 1)).containsExactly("a");
                fixture.plan.away.add(LogCall.SEQUENCE);
                fixture.stage(0, "b");
                fixture.time.pause(Duration.ofSeconds(25));
                assertThat(subscriber.poll(SHORT)).isEmpty();
                assertThat(fixture.tails.longestStaged()).isBetween(Duration.ofSeconds(24), Duration.ofSeconds(26));
                fixture.time.pause(Duration.ofSeconds(10));
                for (int i = 0; i < 3; i++) {
                    assertThatThrownBy(() -> subscriber.poll(SHORT))
                            .isInstanceOf(LogUnavailableException.class)
                            .hasMessageContaining("wait for their place behind sequence 1 for 3");
                }
                // Later it still counts as repeated, so a poll uses its time before it throws.
                fixture.time.pause(Duration.ofMillis(2));
                long start = fixture.time.nanos();
                assertThatThrownBy(() -> subscriber.poll(SHORT)).isInstanceOf(LogUnavailableException.class);
                assertThat(fixture.time.nanos() - start).isGreaterThanOrEqualTo(SHORT.toNanos());
                fixture.plan.away.clear();
                fixture.time.pause(Duration.ofSeconds(1));
                assertThat(fixture.take(subscriber, 1)).containsExactly("b");
                assertThat(fixture.tails.longestStaged()).isZero();
                assertThat(subscriber.poll(SHORT)).isEmpty();
            }
        });
    }

    /**
     * Dropped records must come again after a pause: more plain records were queued than may stay
     * in memory.
     */
    @Test
    void aPauseWithMuchQueuedLosesNothing() {
        fixture.run(() -> {
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 150; i++) {
                expected.add(i + "-" + "x".repeat(4000));
                fixture.publishPlain(0, expected.get(i));
            }
            try (var subscriber = fixture.open(group().maxRecords(5))) {
                List<String> all = new ArrayList<>(fixture.take(subscriber, 5));
                subscriber.pause(Set.of(P0));
                fixture.time.pause(Duration.ofSeconds(1));
                assertThat(subscriber.poll(SHORT)).isEmpty();
                subscriber.resume(Set.of(P0));
                all.addAll(fixture.take(subscriber, 145));
                assertThat(all).isEqualTo(expected);
            }
        });
    }

    @Test
    void batchesThatCannotBeReadAreNamed() {
        fixture.run(() -> {
            fixture.publishPlain(0, "a");
            fixture.publishGarbage();
            try (var subscriber = fixture.open(group())) {
                assertThat(fixture.take(subscriber, 1)).containsExactly("a");
                assertThatThrownBy(() -> subscriber.poll(LONG))
                        .isInstanceOf(BlobCorruptException.class)
                        .hasMessageContaining("topic 't', partitions 0, 1, 2, 3, position 16777216");
            }
        });
    }
}
