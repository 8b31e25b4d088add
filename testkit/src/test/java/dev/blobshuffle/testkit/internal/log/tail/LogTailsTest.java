package dev.blobshuffle.testkit.internal.log.tail;

import static dev.blobshuffle.testkit.internal.log.tail.TailFixture.now;
import static dev.blobshuffle.testkit.internal.log.tail.TailFixture.range;
import static dev.blobshuffle.testkit.internal.log.tail.TailFixture.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.tail.TailCursor;
import dev.blobshuffle.testkit.internal.log.LogCall;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogTailsTest {
    private final TailFixture fixture = new TailFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void aCursorReadsEverythingInOrder() {
        fixture.publish(10);
        TailCursor cursor = fixture.open(4);
        fixture.pass(50);

        assertThat(take(cursor)).isEqualTo(range(4, 10));
        assertThat(cursor.position()).isEqualTo(10);

        fixture.publish(5);
        fixture.pass(50);
        assertThat(take(cursor)).isEqualTo(range(10, 15));
        assertThat(cursor.end()).hasValue(15);
    }

    @Test
    void cursorsThatAreCloseShareTheReads() {
        fixture.publish(3);
        TailCursor first = fixture.open(0);
        TailCursor second = fixture.open(0);
        fixture.pass(50);
        take(first);
        take(second);
        int before = fixture.plan.count(LogCall.READ);
        for (int i = 0; i < 20; i++) {
            fixture.publish(1);
            fixture.pass(10);
            assertThat(take(first)).containsExactly(3L + i);
            assertThat(take(second)).containsExactly(3L + i);
        }

        assertThat(fixture.plan.count(LogCall.READ) - before).isLessThanOrEqualTo(45);
    }

    @Test
    void aLaggardReadsItsOwnPages() {
        fixture.publish(2000);
        TailCursor ahead = fixture.open(1990);
        fixture.pass(50);
        assertThat(take(ahead)).isEqualTo(range(1990, 2000));
        TailCursor behind = fixture.open(0);
        List<Long> read = new java.util.ArrayList<>();
        for (int i = 0; i < 20; i++) {
            fixture.publish(1);
            fixture.pass(10);
            assertThat(take(ahead)).containsExactly(2000L + i);
            read.addAll(take(behind));
        }

        assertThat(read).isEqualTo(range(0, 2020));
    }

    @Test
    void aCursorThatFallsOutOfTheRingMissesNothing() {
        try (TailFixture small = new TailFixture(1)) {
            TailCursor fast = small.open(0);
            TailCursor slow = small.open(0);
            for (int i = 0; i < 60; i++) {
                small.publish(100);
                small.pass(110);
                assertThat(take(fast)).isEqualTo(range(i * 100L, i * 100L + 100));
            }
            List<Long> read = new java.util.ArrayList<>();
            for (int i = 0; i < 200; i++) {
                read.addAll(take(slow));
                small.pass(10);
            }

            assertThat(read).isEqualTo(range(0, 6000));
            assertThat(small.plan.count(LogCall.READ)).isGreaterThan(small.ringReads.size());
        }
    }

    @Test
    void aSeekGoesAnywhere() {
        fixture.publish(10);
        TailCursor cursor = fixture.open(0);
        fixture.pass(50);
        assertThat(take(cursor)).isEqualTo(range(0, 10));

        cursor.seek(3);
        take(cursor);
        fixture.pass(50);
        assertThat(cursor.position()).isBetween(3L, 10L);
        cursor.seek(8);
        List<Long> again = take(cursor);
        fixture.pass(50);
        again.addAll(take(cursor));
        assertThat(again).isEqualTo(range(8, 10));
    }

    @Test
    void batchesOfAnOutboxAreSequenced() {
        TailCursor cursor = fixture.open(0);
        fixture.pass(500);
        fixture.stage(3);
        fixture.pass(150);

        assertThat(take(cursor)).isEqualTo(range(0, 3));
    }

    @Test
    void aLostHintDelaysOnly() {
        TailCursor cursor = fixture.open(0);
        fixture.pass(500);
        fixture.plan.isDeaf = true;
        fixture.publish(1);
        fixture.pass(120);

        assertThat(take(cursor)).containsExactly(0L);
    }

    @Test
    void anIdleInstanceAsksRarely() {
        TailCursor cursor = fixture.open(0);
        fixture.pass(5_000);
        take(cursor);
        fixture.plan.calls.clear();
        fixture.pass(10_000);
        assertThat(take(cursor)).isEmpty();

        int queries =
                fixture.plan.calls.values().stream().mapToInt(each -> each).sum();
        assertThat(queries).isLessThanOrEqualTo(105);
    }

    @Test
    void aDatabaseThatIsAwayIsWaitedFor() {
        TailCursor cursor = fixture.open(0);
        fixture.publish(3);
        fixture.pass(50);
        fixture.plan.isAway = true;
        fixture.pass(30_000);
        assertThat(take(cursor)).isEqualTo(range(0, 3));
        int asked = fixture.plan.calls.values().stream().mapToInt(each -> each).sum();
        for (int i = 0; i < 1000; i++) {
            take(cursor);
        }
        assertThat(fixture.plan.calls.values().stream().mapToInt(each -> each).sum() - asked)
                .isLessThanOrEqualTo(1);
        assertThat(fixture.tails.isInterrupted()).isTrue();

        fixture.plan.isAway = false;
        fixture.publish(2);
        fixture.pass(1_100);
        assertThat(take(cursor)).isEqualTo(range(3, 5));
        assertThat(fixture.tails.isInterrupted()).isFalse();
    }

    @Test
    void aLogThatWentBackIsReportedUntilASeek() {
        fixture.publish(5);
        TailCursor cursor = fixture.open(0);
        fixture.pass(50);
        take(cursor);
        MemoryDatabase.Standby standby = fixture.database.standby();
        fixture.publish(5);
        fixture.pass(50);
        take(cursor);
        fixture.database.failOver(standby);
        fixture.pass(200);

        assertThatThrownBy(() -> take(cursor)).isInstanceOf(LogWentBackException.class);
        assertThatThrownBy(() -> take(cursor)).isInstanceOf(LogWentBackException.class);
        cursor.seek(5);
        take(cursor);
        fixture.pass(50);
        assertThat(take(cursor)).isEmpty();
    }

    @Test
    void aLogThatWentBackIsReportedEvenIfItHasGrownAgain() {
        fixture.publish(5);
        TailCursor cursor = fixture.open(0);
        fixture.pass(50);
        take(cursor);
        MemoryDatabase.Standby standby = fixture.database.standby();
        fixture.publish(1);
        fixture.pass(50);
        take(cursor);
        fixture.plan.isAway = true;
        fixture.pass(500);
        fixture.plan.isAway = false;
        fixture.database.failOver(standby);
        fixture.publishByAnother(3);
        fixture.pass(2_000);
        assertThatThrownBy(() -> take(cursor)).isInstanceOf(LogWentBackException.class);
    }

    @Test
    void aTrimmedPositionIsReportedUntilASeek() {
        fixture.publish(5);
        now(fixture.log.topics().change(fixture.topic.number(), 4, new RetentionRule.For(Duration.ofSeconds(1))));
        fixture.pass(2_000);
        fixture.publish(2);
        now(fixture.log.retention().trim());
        TailCursor cursor = fixture.open(1);
        fixture.pass(50);

        take(fixture.open(6));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> {
                        take(cursor);
                        fixture.pass(200);
                        take(cursor);
                    })
                    .isInstanceOf(PositionTrimmedException.class);
        }
        cursor.seek(5);
        take(cursor);
        fixture.pass(50);
        assertThat(take(cursor)).isEqualTo(range(5, 7));
    }

    @Test
    void aDeletedTopicIsReported() {
        TailCursor cursor = fixture.open(0);
        fixture.publish(1);
        fixture.pass(50);
        take(cursor);
        now(fixture.log.topics().delete("t"));
        fixture.pass(200);

        assertThatThrownBy(() -> take(cursor)).isInstanceOf(TopicAbsentException.class);
    }

    @Test
    void whoWaitsIsWokenByBatchesFailuresAndTheEnd() {
        TailCursor cursor = fixture.open(0);
        fixture.pass(500);
        fixture.reports = 0;
        fixture.publish(1);
        fixture.pass(10);
        assertThat(fixture.reports).isPositive();
        take(cursor);
        fixture.pass(500);
        fixture.reports = 0;
        now(fixture.log.topics().delete("t"));
        fixture.pass(200);
        assertThat(fixture.reports).isPositive();
        fixture.reports = 0;
        fixture.tails.close();
        assertThat(fixture.reports).isPositive();
    }

    @Test
    void theEndIsKnownFromPagesBeforeTheNextQuery() {
        TailCursor cursor = fixture.open(0);
        fixture.pass(500);
        take(cursor);
        int looks = fixture.plan.count(LogCall.LOOK);
        fixture.publish(5);
        fixture.pass(1);

        assertThat(fixture.plan.count(LogCall.LOOK)).isEqualTo(looks);
        assertThat(take(cursor)).isEqualTo(range(0, 5));
        assertThat(cursor.end()).hasValue(5);
    }

    @Test
    void whoIsClosedReadsNothing() {
        TailCursor cursor = fixture.open(0);
        cursor.close();
        assertThatThrownBy(() -> take(cursor)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> cursor.seek(1)).isInstanceOf(ClosedException.class);
        fixture.pass(1_000);
        int looks = fixture.plan.count(LogCall.LOOK);
        fixture.pass(1_000);
        assertThat(fixture.plan.count(LogCall.LOOK)).isEqualTo(looks);

        TailCursor other = fixture.open(0);
        fixture.tails.close();
        assertThatThrownBy(() -> take(other)).isInstanceOf(ClosedException.class);
    }
}
