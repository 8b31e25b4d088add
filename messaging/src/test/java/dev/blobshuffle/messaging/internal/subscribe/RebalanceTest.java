package dev.blobshuffle.messaging.internal.subscribe;

import static dev.blobshuffle.messaging.internal.subscribe.SubscriberFixture.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.failure.ConsumerFencedException;
import dev.blobshuffle.log.internal.tail.LogTails;
import dev.blobshuffle.messaging.RebalanceListener;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscription;
import dev.blobshuffle.messaging.TopicPartition;
import dev.blobshuffle.testkit.internal.log.LogCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Members of a group hand partitions over, lose them, and keep them. */
class RebalanceTest {
    private static final Duration SHORT = Duration.ofMillis(100);

    private final SubscriberFixture fixture = new SubscriberFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Records the calls of a listener. */
    private static final class Told implements RebalanceListener {
        final List<String> events = new ArrayList<>();

        @Override
        public void onAssigned(Collection<TopicPartition> partitions) {
            events.add("+" + partitions.size());
        }

        @Override
        public void onRevoked(Collection<TopicPartition> partitions) {
            events.add("-" + partitions.size());
        }

        @Override
        public void onLost(Collection<TopicPartition> partitions) {
            events.add("!" + partitions.size());
        }
    }

    private static Subscription group(RebalanceListener listener) {
        return Subscription.of("g", TOPIC).listener(listener);
    }

    private void pollBoth(LogSubscriber<?, ?> one, LogSubscriber<?, ?> other, Duration span) {
        long end = fixture.time.nanos() + span.toNanos();
        while (fixture.time.nanos() - end < 0) {
            one.poll(SHORT);
            one.commit();
            other.poll(SHORT);
            other.commit();
        }
    }

    @Test
    void aSecondMemberTakesOverHalfAndALeavingOneGivesItBack() {
        fixture.run(() -> {
            Told first = new Told();
            Told second = new Told();
            var one = fixture.open(group(first));
            assertThat(fixture.take(one, 1)).isEmpty();
            var other = fixture.open(group(second));
            pollBoth(one, other, Duration.ofSeconds(10));
            assertThat(one.assignment()).hasSize(2);
            assertThat(other.assignment()).hasSize(2).doesNotContainAnyElementsOf(one.assignment());
            one.close();
            assertThat(fixture.take(other, 1)).isEmpty();
            assertThat(other.assignment()).hasSize(4);
            assertThat(first.events).containsExactly("+4", "-2");
            assertThat(second.events).doesNotContain("!2", "-2");
            other.close();
        });
    }

    /** As with Kafka, a pause ends with the assignment. */
    @Test
    void aPausedPartitionThatComesBackIsRead() {
        fixture.run(() -> {
            var one = fixture.open(group(RebalanceListener.NONE));
            assertThat(fixture.take(one, 1)).isEmpty();
            one.pause(one.assignment());
            var other = fixture.open(group(RebalanceListener.NONE));
            pollBoth(one, other, Duration.ofSeconds(10));
            Set<TopicPartition> kept = one.assignment();
            Set<TopicPartition> moved = other.assignment();
            assertThat(moved).hasSize(2);
            other.close();
            pollAlone(one, Duration.ofSeconds(10));
            assertThat(one.assignment()).hasSize(4);

            for (int partition = 0; partition < 4; partition++) {
                fixture.publishPlain(partition, "value-" + partition);
            }
            assertThat(fixture.take(one, 4))
                    .containsExactlyInAnyOrderElementsOf(moved.stream()
                            .map(each -> "value-" + each.partition())
                            .toList());
            one.resume(kept);
            assertThat(fixture.take(one, 2))
                    .containsExactlyInAnyOrderElementsOf(kept.stream()
                            .map(each -> "value-" + each.partition())
                            .toList());
            one.close();
        });
    }

    @Test
    void whoDoesNotPollLosesItsPartitionsAndJoinsAgainWithItsNextPoll() {
        fixture.run(() -> {
            Told told = new Told();
            var stuck = fixture.open(group(told).maxPollInterval(Duration.ofSeconds(20)));
            assertThat(fixture.take(stuck, 1)).isEmpty();
            fixture.publish(0, "a");
            assertThat(fixture.take(stuck, 1)).containsExactly("a");
            var other = fixture.open(group(RebalanceListener.NONE));
            // Its timers renew the lease meanwhile: 15 s is longer than a lease.
            pollAlone(other, Duration.ofSeconds(15));
            assertThat(other.assignment()).isEmpty();
            pollAlone(other, Duration.ofSeconds(15));
            assertThat(other.assignment()).hasSize(4);
            assertThatThrownBy(stuck::commit).isInstanceOf(ConsumerFencedException.class);
            pollBoth(stuck, other, Duration.ofSeconds(15));
            assertThat(stuck.assignment()).hasSize(2);
            assertThat(told.events).containsExactly("+4", "!4", "+2");
            stuck.close();
            other.close();
        });
    }

    /** A long poll does not count as an absence, nor does the time before the first record. */
    @Test
    void aPollThatWaitsForLongKeepsThePartitions() {
        fixture.run(() -> {
            Told told = new Told();
            var one = fixture.open(group(told).maxPollInterval(Duration.ofSeconds(5)));
            assertThat(one.poll(Duration.ofMinutes(2)).isEmpty()).isTrue();
            assertThat(one.assignment()).hasSize(4);
            assertThat(told.events).containsExactly("+4");
            one.close();
        });
    }

    private void pollAlone(LogSubscriber<?, ?> one, Duration span) {
        long end = fixture.time.nanos() + span.toNanos();
        while (fixture.time.nanos() - end < 0) {
            one.poll(SHORT);
            one.commit();
        }
    }

    @Test
    void aWantedPartitionWaitsForTheCommit() {
        fixture.run(() -> {
            for (int i = 0; i < 4; i++) {
                fixture.publish(i, "a" + i);
            }
            var one = fixture.open(group(RebalanceListener.NONE));
            assertThat(fixture.take(one, 4)).hasSize(4);
            var other = fixture.open(group(RebalanceListener.NONE));
            List<String> early = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                one.poll(SHORT);
                SubscriberFixture.values(other.poll(SHORT)).forEach(early::add);
            }
            assertThat(early).isEmpty();
            one.commit();
            for (int i = 0; i < 50; i++) {
                one.poll(SHORT);
                assertThat(other.poll(SHORT).isEmpty())
                        .as("nothing comes twice")
                        .isTrue();
            }
            assertThat(other.assignment()).hasSize(2);
            one.commit();
            one.close();
            other.close();
        });
    }

    @Test
    void whoNeverCommitsLearnsThatItLostRecords() {
        fixture.run(() -> {
            for (int i = 0; i < 4; i++) {
                fixture.publish(i, "a" + i);
            }
            var one = fixture.open(group(RebalanceListener.NONE));
            assertThat(fixture.take(one, 4)).hasSize(4);
            var other = fixture.open(group(RebalanceListener.NONE));
            List<String> again = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                one.poll(SHORT);
                SubscriberFixture.values(other.poll(SHORT)).forEach(again::add);
            }
            assertThat(again).hasSize(2);
            assertThatThrownBy(one::commit).isInstanceOf(ConsumerFencedException.class);
            one.commit();
            one.close();
            other.close();
        });
    }

    @Test
    void aSlowApplicationKeepsItsLease() {
        fixture.run(() -> {
            Told told = new Told();
            fixture.publish(0, "a");
            try (var one = fixture.open(group(told))) {
                fixture.take(one, 1);
                fixture.time.pause(Duration.ofMinutes(5));
                one.commit();
                assertThat(one.poll(SHORT).isEmpty()).isTrue();
                assertThat(told.events).containsExactly("+4");
            }
        });
    }

    @Test
    void aZombieCannotCommitAndLearnsOfIt() {
        fixture.run(() -> {
            for (int i = 0; i < 4; i++) {
                fixture.publish(i, "a" + i);
            }
            Told told = new Told();
            CutLog cut = new CutLog(fixture.log);
            var parts = new SubscriberParts(
                    cut.log(),
                    fixture.catalog,
                    new LogTails(fixture.log, 1 << 20, fixture.time),
                    fixture.engine,
                    Membership.none(),
                    Zone.SINGLE,
                    fixture.time,
                    subscriber -> {});
            var zombie = LogSubscriber.open(parts, group(told), Serde.bytes(), Serde.string(), Optional.empty());
            assertThat(fixture.take(zombie, 4)).hasSize(4);
            cut.cut(true);
            var other = fixture.open(group(RebalanceListener.NONE));
            List<String> taken = new ArrayList<>();
            for (int i = 0; i < 200 && taken.size() < 4; i++) {
                SubscriberFixture.values(other.poll(SHORT)).forEach(taken::add);
            }
            assertThat(taken).hasSize(4);
            other.commit();
            assertThatThrownBy(zombie::commit).isInstanceOf(ConsumerFencedException.class);
            cut.cut(false);
            zombie.poll(Duration.ofSeconds(5));
            assertThat(told.events).contains("!4");
            zombie.commit();
            zombie.close();
            other.close();
            parts.tails().close();
        });
    }

    @Test
    void aDatabaseThatIsAwayCausesNoRebalance() {
        fixture.run(() -> {
            Told first = new Told();
            Told second = new Told();
            var one = fixture.open(group(first));
            var other = fixture.open(group(second));
            pollBoth(one, other, Duration.ofSeconds(15));
            Set<TopicPartition> before = one.assignment();
            first.events.clear();
            second.events.clear();
            fixture.plan.away.addAll(EnumSet.allOf(LogCall.class));
            for (int i = 0; i < 150; i++) {
                one.poll(SHORT);
                other.poll(SHORT);
            }
            fixture.plan.away.clear();
            pollBoth(one, other, Duration.ofSeconds(15));
            assertThat(one.assignment()).isEqualTo(before);
            assertThat(first.events).isEmpty();
            assertThat(second.events).isEmpty();
            one.close();
            other.close();
        });
    }
}
