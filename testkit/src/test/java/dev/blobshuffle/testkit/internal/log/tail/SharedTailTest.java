package dev.blobshuffle.testkit.internal.log.tail;

import static dev.blobshuffle.testkit.internal.log.tail.TailFixture.now;
import static dev.blobshuffle.testkit.internal.log.tail.TailFixture.range;
import static dev.blobshuffle.testkit.internal.log.tail.TailFixture.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.tail.TailCursor;
import dev.blobshuffle.testkit.internal.log.LogCall;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which pages the readers of a topic share, and which of them a failure reaches. */
class SharedTailTest {
    private final TailFixture fixture = new TailFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    /** What a cursor reads while pages arrive. */
    private List<Long> read(TailCursor cursor) {
        List<Long> read = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            read.addAll(take(cursor));
            fixture.pass(5);
        }
        return read;
    }

    /** A reader at the topic's end, whose pages are the ring's. */
    private TailCursor follower(int published) {
        fixture.publish(published);
        TailCursor cursor = fixture.open(published - 1);
        fixture.pass(50);
        assertThat(take(cursor)).containsExactly(published - 1L);
        return cursor;
    }

    @Test
    void theOnlyReaderTakesTheRingAlong() {
        TailCursor cursor = follower(10);
        int reads = fixture.plan.count(LogCall.READ) - fixture.ringReads.size();
        cursor.seek(3);
        assertThat(read(cursor)).isEqualTo(range(3, 10));
        cursor.seek(0);
        assertThat(read(cursor)).isEqualTo(range(0, 10));

        assertThat(fixture.ringPages()).contains(3L, 0L);
        assertThat(fixture.ringPages()).hasSize(fixture.plan.count(LogCall.READ) - reads);
    }

    @Test
    void aReaderThatFollowsKeepsTheRing() {
        TailCursor ahead = follower(2000);
        TailCursor behind = fixture.open(0);
        assertThat(read(behind)).isEqualTo(range(0, 2000));
        fixture.publish(1);
        fixture.pass(50);

        assertThat(take(ahead)).containsExactly(2000L);
        assertThat(fixture.ringPages()).allMatch(from -> from >= 1999);
    }

    @Test
    void aReaderThatHasFailedDoesNotKeepTheRing() {
        TailCursor failed = follower(1000);
        fixture.ringFailure = new IllegalStateException("a page that cannot be read");
        fixture.publish(1);
        fixture.pass(50);
        assertThatThrownBy(() -> take(failed)).hasMessageContaining("cannot be read");
        TailCursor other = fixture.open(0);

        assertThat(read(other)).isEqualTo(range(0, 1001));
        assertThat(fixture.ringPages()).contains(0L);
    }

    @Test
    void aFailureOfTheRingIsOneOfItsReadersOnly() {
        TailCursor ahead = follower(2000);
        TailCursor behind = fixture.open(0);
        List<Long> read = take(behind);
        fixture.ringFailure = new IllegalStateException("a page that cannot be read");
        fixture.publish(1);
        fixture.pass(10);

        assertThatThrownBy(() -> take(ahead)).hasMessageContaining("cannot be read");
        read.addAll(read(behind));
        assertThat(read).isEqualTo(range(0, 2001));
        ahead.seek(2000);
        assertThat(read(ahead)).containsExactly(2000L);
    }

    @Test
    void aFailureOfOneReaderIsNotOneOfTheRing() {
        fixture.publish(5);
        now(fixture.log.topics().change(fixture.topic.number(), 4, new RetentionRule.For(Duration.ofSeconds(1))));
        fixture.pass(2_000);
        fixture.publish(2);
        now(fixture.log.retention().trim());
        TailCursor ahead = fixture.open(6);
        fixture.pass(50);
        assertThat(take(ahead)).containsExactly(6L);
        TailCursor behind = fixture.open(1);

        assertThatThrownBy(() -> read(behind)).isInstanceOf(PositionTrimmedException.class);
        fixture.publish(1);
        assertThat(read(ahead)).containsExactly(7L);
    }

    @Test
    void afterTheLogWentBackNoReaderComparesOrKeepsWhatItHad() {
        fixture.publish(700);
        MemoryDatabase.Standby standby = fixture.database.standby();
        fixture.publish(1300);
        TailCursor ahead = fixture.open(1999);
        fixture.pass(50);
        take(ahead);
        TailCursor behind = fixture.open(600);
        behind.next(1, 1);
        fixture.pass(5);
        assertThat(behind.next(1, 1)).hasSize(1);

        fixture.database.failOver(standby);
        fixture.pass(200);
        for (TailCursor each : List.of(ahead, behind)) {
            assertThatThrownBy(() -> take(each)).isInstanceOf(LogWentBackException.class);
        }
        fixture.publishByAnother(1500);
        ahead.seek(ahead.position());
        behind.seek(behind.position());

        List<SequencedBatch> read = new ArrayList<>();
        while (read.size() < 1599) {
            read.addAll(behind.next(50, 1 << 20));
            fixture.pass(5);
        }
        assertThat(read).extracting(SequencedBatch::sequence).isEqualTo(range(601, 2200));
        assertThat(read.subList(99, 1599)).allMatch(batch -> batch.entries().length == 1);
        assertThat(read(ahead)).isEqualTo(range(2000, 2200));
    }

    @Test
    void aReaderBehindThatSeeksDropsItsPages() {
        follower(2000);
        TailCursor behind = fixture.open(0);
        behind.next(1, 1);
        fixture.pass(5);
        assertThat(behind.next(1, 1)).hasSize(1);
        behind.seek(900);

        assertThat(read(behind)).isEqualTo(range(900, 2000));
    }

    @Test
    void aReaderBehindGoesOnAfterAnOutage() {
        follower(2000);
        TailCursor behind = fixture.open(0);
        fixture.plan.isAway = true;
        assertThat(take(behind)).isEmpty();
        fixture.pass(500);
        fixture.plan.isAway = false;
        fixture.pass(2_000);

        assertThat(read(behind)).isEqualTo(range(0, 2000));
    }

    @Test
    void aReaderThatTakesNothingIsReadAheadByHalfTheBudget() {
        try (TailFixture small = new TailFixture(1)) {
            TailCursor cursor = small.open(0);
            small.publish(1);
            small.pass(100);
            assertThat(take(cursor)).hasSize(1);
            small.publish(6000);
            small.pass(5_000);

            // The smallest budget of a topic is 256 KiB, and each batch takes 110 bytes of it.
            assertThat(small.ringReads).allMatch(read -> read.maxBytes() == 64 << 10);
            assertThat(small.ringPages()).allMatch(from -> from < 2_000);
            assertThat(small.ringPages()).anyMatch(from -> from > 1_000);
        }
    }

    @Test
    void aShortPageDoesNotLowerTheEnd() {
        TailCursor ahead = follower(2000);
        TailCursor behind = fixture.open(0);
        take(behind);
        fixture.time.settle(Duration.ofMillis(1));

        assertThat(take(behind)).isNotEmpty();
        assertThat(ahead.end()).hasValue(2000);
    }
}
