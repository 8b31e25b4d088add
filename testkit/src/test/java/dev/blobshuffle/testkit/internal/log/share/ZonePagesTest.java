package dev.blobshuffle.testkit.internal.log.share;

import static dev.blobshuffle.testkit.internal.log.share.ZoneOfReaders.now;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import dev.blobshuffle.testkit.internal.log.share.ZoneOfReaders.Conduct;
import dev.blobshuffle.testkit.internal.log.share.ZoneOfReaders.Instance;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ZonePagesTest {
    private final ZoneOfReaders zone = new ZoneOfReaders(6);

    @AfterEach
    void close() {
        zone.close();
    }

    private void everybodyHasReadAll() {
        List<Long> all = LongStream.range(0, zone.published()).boxed().toList();
        for (Instance instance : zone.instances) {
            instance.take();
            assertThat(instance.taken).extracting(SequencedBatch::sequence).isEqualTo(all);
            assertThat(instance.taken)
                    .extracting(batch -> ByteBuffer.wrap(batch.entries()).getLong())
                    .isEqualTo(all);
        }
    }

    private long bytesRead() {
        return zone.instances.stream()
                .mapToLong(each -> each.count(Counter.LOG_BYTES_READ))
                .sum();
    }

    @Test
    void theDatabaseServesOneReaderOfABusyTopic() {
        zone.flow(10);
        long before = bytesRead();
        long published = zone.published();
        int reads = zone.plan.reads;
        zone.flow(30);

        everybodyHasReadAll();
        long bytes = (zone.published() - published) * 10_000;
        assertThat(bytesRead() - before).isBetween(bytes, bytes + bytes / 20);
        assertThat(zone.plan.reads - reads).isLessThan(30 * 10 * 3);
        for (Instance other : zone.others()) {
            assertThat(other.count(Counter.LOG_SHARE_FAILURES)).isLessThan(5);
        }
        assertThat(zone.chosen().asked).isPositive();
    }

    @Test
    void aCalmTopicIsReadFromTheLog() {
        zone.flow(20, 10);

        everybodyHasReadAll();
        assertThat(zone.chosen().asked).isZero();
    }

    @Test
    void aTopicThatCalmsDownIsReadFromTheLogAgain() {
        zone.flow(10);
        zone.flow(20, 2);
        int asked = zone.chosen().asked;
        zone.flow(10, 2);

        everybodyHasReadAll();
        assertThat(zone.chosen().asked).isEqualTo(asked);
    }

    @Test
    void aBrokenMemberIsReplaced() {
        zone.flow(10);
        zone.chosen().conduct = Conduct.BROKEN;
        zone.flow(20);
        everybodyHasReadAll();
        long asked = zone.others().stream().mapToInt(each -> each.asked).sum();
        assertThat(asked).isPositive();

        zone.chosen().conduct = Conduct.HONEST;
        zone.flow(40);
        everybodyHasReadAll();
    }

    @Test
    void aSilentMemberDelaysATopicByTwoSeconds() {
        zone.flow(10);
        zone.chosen().conduct = Conduct.SILENT;
        zone.publish(30);
        zone.time.settle(Duration.ofMillis(2_300));

        everybodyHasReadAll();
    }

    @Test
    void aMemberThatSkipsABatchIsNotBelieved() {
        zone.flow(10);
        zone.chosen().conduct = Conduct.SKIPPING;
        zone.flow(10);

        everybodyHasReadAll();
        zone.others()
                .forEach(each ->
                        assertThat(each.count(Counter.LOG_SHARE_FAILURES)).isPositive());
    }

    @Test
    void aMemberThatHidesBatchesIsNotBelieved() {
        zone.flow(10);
        zone.chosen().conduct = Conduct.HIDING;
        zone.flow(10);
        zone.time.settle(Duration.ofMillis(500));

        everybodyHasReadAll();
    }

    @Test
    void forgedBatchesAreFoundWithinSeconds() {
        zone.flow(10);
        zone.chosen().conduct = Conduct.FORGING;

        assertThatThrownBy(() -> zone.flow(7)).isInstanceOf(LogWentBackException.class);
    }

    @Test
    void aLogThatIsAwayIsWaitedFor() {
        zone.flow(10);
        zone.plan.isAway = true;
        zone.time.settle(Duration.ofSeconds(30));
        zone.instances.forEach(Instance::take);
        zone.plan.isAway = false;
        zone.flow(10);
        zone.time.settle(Duration.ofSeconds(3));

        everybodyHasReadAll();
    }

    @Test
    void aLogThatWentBackIsReportedToEverybody() {
        zone.flow(10);
        MemoryDatabase.Standby standby = zone.database.standby();
        zone.flow(1);
        everybodyHasReadAll();
        zone.database.failOver(standby);
        zone.time.settle(Duration.ofSeconds(1));

        for (Instance instance : zone.instances) {
            assertThatThrownBy(instance::take).isInstanceOf(LogWentBackException.class);
        }
    }

    @Test
    void aMemberThatMissedTheFailoverHidesNothing() {
        zone.flow(10);
        Instance late = zone.others().get(0);
        everybodyHasReadAll();
        MemoryDatabase.Standby standby = zone.database.standby();
        long kept = zone.published();
        zone.publish(20);
        zone.time.settle(Duration.ofMillis(50)); // Into rings; only one takes them.
        zone.instances.stream().filter(each -> each != late).forEach(Instance::take);
        zone.database.failOver(standby);
        zone.time.settle(Duration.ofSeconds(4));

        assertThat(late.taken).hasSize((int) kept);
        assertThatThrownBy(late::take).isInstanceOf(LogWentBackException.class);
    }

    @Test
    void aDeletedTopicIsReported() {
        zone.flow(10);
        now(zone.log.topics().delete("t"));
        zone.time.settle(Duration.ofSeconds(1));

        for (Instance instance : zone.instances) {
            assertThatThrownBy(instance::take).isInstanceOf(TopicAbsentException.class);
        }
    }

    @Test
    void aTrimmedPositionIsReported() {
        now(zone.log.topics().change(zone.topic.number(), 4, new RetentionRule.For(Duration.ofSeconds(2))));
        zone.flow(10);
        Instance late = zone.others().get(0);
        zone.flow(3);
        now(zone.log.retention().trim());
        late.cursor.seek(5);

        assertThatThrownBy(() -> {
                    late.take();
                    zone.time.settle(Duration.ofSeconds(1));
                    late.take();
                })
                .isInstanceOf(PositionTrimmedException.class);
    }
}
