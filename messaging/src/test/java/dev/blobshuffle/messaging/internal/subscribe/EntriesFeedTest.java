package dev.blobshuffle.messaging.internal.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.OwnedPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How much a subscriber keeps in memory of what it has not returned. */
class EntriesFeedTest {
    private static final long MOST_PLAIN_BYTES = 16L << 20;

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final Debatcher<Optional<PlainRecord>> debatcher = fixture.engine.debatcher("feed");
    private final EntriesFeed feed = new EntriesFeed(debatcher);
    private final TopicReading topic = new TopicReading(fixture.topic, fixture.tails, () -> {});
    private final List<PartitionReading> partitions = new ArrayList<>();

    @AfterEach
    void close() {
        topic.close();
        debatcher.close();
        fixture.close();
    }

    private void read(int count) {
        for (int number = 0; number < count; number++) {
            OwnedPartition owned = new OwnedPartition(
                    new LogPartition(fixture.topic.number(), number), 1, OptionalLong.empty(), Optional.empty(), false);
            PartitionReading partition = new PartitionReading(fixture.topic, owned, fixture.time.nanos());
            partition.started(LogPosition.START);
            topic.add(partition);
            partitions.add(partition);
        }
    }

    private void feedAll() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            feed.feed(topic);
            fixture.time.pause(Duration.ofMillis(5));
        }
    }

    private int items(PartitionReading partition) {
        return debatcher.queuedItems(partition.partition);
    }

    /** Takes records from the queues, as a poll does. */
    private int drain(int most) {
        return debatcher.drain(most, Long.MAX_VALUE, new Debatcher.Sink<>() {
            @Override
            public void record(
                    Partition partition,
                    long offset,
                    int index,
                    int count,
                    RecordView record,
                    Optional<PlainRecord> carrier) {
                throw new AssertionError("all records are plain");
            }

            @Override
            public void plain(Partition partition, long offset, Optional<PlainRecord> plain) {
                feed.returned(partitions.get(partition.number()), plain.orElseThrow());
            }
        });
    }

    @Test
    void aPartitionQueuesTwoThousandItems() {
        fixture.run(() -> {
            for (int i = 0; i < 3_000; i++) {
                fixture.publishPlain(0, "x");
            }
            read(1);
            feedAll();
            assertThat(items(partitions.get(0))).isBetween(2_000, 2_049);
            assertThat(drain(1_000)).isEqualTo(1_000);
            feedAll();
            assertThat(items(partitions.get(0))).isEqualTo(2_000);
            assertThat(drain(1_500)).isEqualTo(1_500);
            assertThat(drain(1_000)).isEqualTo(500);
        });
    }

    /** Records of the log itself are in memory, those of blobs are not. */
    @Test
    void plainRecordsOfAllPartitionsTakeSixteenMebibytes() {
        fixture.run(() -> {
            String value = "x".repeat(3_500);
            int each = 1_900;
            for (int i = 0; i < each; i++) {
                for (int number = 0; number < SubscriberFixture.PARTITIONS; number++) {
                    fixture.publishPlain(number, value);
                }
            }
            read(SubscriberFixture.PARTITIONS);
            feedAll();
            assertThat(queued()).isBetween(MOST_PLAIN_BYTES, MOST_PLAIN_BYTES + 50 * 4_096);
            int before = items(partitions.get(1));

            // A paused partition has no queue of this size, and leaves its room to the others.
            feed.pause(topic, partitions.get(0));
            assertThat(items(partitions.get(0))).isZero();
            feedAll();
            assertThat(items(partitions.get(1))).isGreaterThan(before);
            assertThat(queued()).isLessThan(MOST_PLAIN_BYTES + 50 * 4_096);
            feed.resume(topic, partitions.get(0));

            int read = 0;
            while (read < each * SubscriberFixture.PARTITIONS) {
                int some = drain(500);
                read += some;
                feedAll();
                assertThat(queued()).isLessThan(MOST_PLAIN_BYTES + 50 * 4_096);
                if (some == 0) {
                    break;
                }
            }
            assertThat(read).isEqualTo(each * SubscriberFixture.PARTITIONS);
        });
    }

    @Test
    void aPausedPartitionKeepsASmallQueueAndPausesTakeNoRoom() {
        fixture.run(() -> {
            String value = "x".repeat(3_500);
            for (int i = 0; i < 60; i++) {
                fixture.publishPlain(0, value);
            }
            fixture.publishPlain(1, value);
            read(2);
            feedAll();
            PartitionReading paused = partitions.get(0);
            for (int i = 0; i < 100; i++) {
                feed.pause(topic, paused);
                feed.resume(topic, paused);
            }
            feed.pause(topic, paused);
            assertThat(items(paused)).isEqualTo(60);
            assertThat(drain(100)).isEqualTo(1);

            fixture.publishPlain(1, value, value);
            feedAll();
            assertThat(drain(100)).isEqualTo(2);
            feed.resume(topic, paused);
            assertThat(drain(100)).isEqualTo(60);
            fixture.publishPlain(0, value);
            feedAll();
            assertThat(drain(100)).isEqualTo(1);
        });
    }

    private long queued() {
        return partitions.stream()
                .mapToLong(each -> debatcher.queuedBytes(each.partition))
                .sum();
    }
}
