package dev.blobshuffle.core.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A channel that writes one log entry for everything that a lane has to send, as a commit log does.
 */
class OneEntryChannelTest {
    private static final int PARTITIONS = 20;
    private static final Duration LONG = Duration.ofMinutes(1);

    private final SystemTime time = new SystemTime();
    private final MemoryBlobStore store = new MemoryBlobStore("entries", 1 << 20);
    private final HeldBlobStore held = new HeldBlobStore(store);
    private final LogChannel channel = new LogChannel();

    @AfterEach
    void close() {
        store.close();
        time.close();
    }

    /**
     * The content that the channel took for one partition: a blob, or the values of plain records.
     */
    private record Taken(int partition, @Nullable BlobId blob, long earliest, long latest, List<String> values) {}

    /** A channel that takes all entries before it writes. */
    private static final class LogChannel implements Channel {
        private final List<List<Taken>> entries = new ArrayList<>();
        private volatile boolean isBroken;

        @Override
        public void send(Outgoing outgoing) {
            List<Taken> taken = new ArrayList<>();
            List<Delivery> deliveries = new ArrayList<>();
            for (Entry entry = outgoing.next(); entry != null; entry = outgoing.next()) {
                taken.add(copied(entry));
                deliveries.add(entry.delivery());
            }
            if (isBroken) {
                throw new IllegalStateException("the log is full");
            }
            synchronized (this) {
                entries.add(taken);
            }
            deliveries.forEach(Delivery::delivered);
        }

        private static Taken copied(Entry entry) {
            Notification notification = entry.notification();
            List<String> values = new ArrayList<>();
            if (notification == null) {
                entry.records()
                        .forEach((timestamp, key, value, headers) ->
                                values.add(new String(value, StandardCharsets.US_ASCII)));
            }
            return new Taken(
                    entry.partition().number(),
                    notification == null ? null : notification.blob(),
                    entry.earliest(),
                    entry.latest(),
                    values);
        }

        private synchronized List<List<Taken>> entries() {
            return List.copyOf(entries);
        }

        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            throw new AssertionError("sent by itself");
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            throw new AssertionError("sent by itself");
        }

        @Override
        public void flush() {}
    }

    private Batcher batcher(long inlineBytes) {
        BatcherOptions options = BatcherOptions.builder()
                .delay(Duration.ofHours(1))
                .inlineBytes(inlineBytes)
                .build();
        return new Batcher(held, options, time, new ShuffleMetrics());
    }

    private static void append(Lane lane) {
        for (int i = 0; i < PARTITIONS; i++) {
            byte[] value = ("value-" + i).getBytes(StandardCharsets.US_ASCII);
            lane.output(new Partition("t", i), Zone.SINGLE).append(1000 + i, null, value, Headers.NONE);
            lane.output(new Partition("t", i), Zone.SINGLE).append(500, null, value, Headers.NONE);
        }
    }

    /**
     * Flushes once the blob is stored. A flush that comes while the segments of the blob learn of
     * it sends those that know.
     */
    private void flush(Lane lane, int blob) throws InterruptedException {
        lane.seal();
        held.put(blob).succeed();
        lane.flush(LONG);
    }

    @Test
    void aFlushOfManyPartitionsIsOneEntryThatNamesOneBlob() throws Exception {
        try (Batcher batcher = batcher(0);
                Lane lane = batcher.lane("lane", channel)) {
            append(lane);
            flush(lane, 0);

            List<List<Taken>> entries = channel.entries();
            assertThat(entries).hasSize(1);
            assertThat(entries.get(0))
                    .extracting(Taken::partition)
                    .hasSize(PARTITIONS)
                    .doesNotHaveDuplicates();
            assertThat(entries.get(0))
                    .extracting(Taken::blob)
                    .doesNotContainNull()
                    .containsOnly(entries.get(0).get(0).blob());
            for (Taken taken : entries.get(0)) {
                assertThat(taken.earliest()).isEqualTo(500);
                assertThat(taken.latest()).isEqualTo(1000 + taken.partition());
            }
        }
    }

    @Test
    void plainRecordsGoInOneEntryToo() {
        try (Batcher batcher = batcher(1 << 20);
                Lane lane = batcher.lane("lane", channel)) {
            append(lane);
            lane.flush(LONG);

            List<List<Taken>> entries = channel.entries();
            assertThat(entries).hasSize(1);
            assertThat(entries.get(0)).hasSize(PARTITIONS);
            for (Taken taken : entries.get(0)) {
                String value = "value-" + taken.partition();
                assertThat(taken.values()).containsExactly(value, value);
            }
            lane.close();
            assertThat(batcher.usedBytes())
                    .as("memory that sent records still hold")
                    .isZero();
        }
    }

    @Test
    void anEntryThatIsLostFailsTheLaneUntilItIsDiscarded() throws Exception {
        try (Batcher batcher = batcher(0);
                Lane lane = batcher.lane("lane", channel)) {
            channel.isBroken = true;
            append(lane);
            assertThatThrownBy(() -> flush(lane, 0))
                    .isInstanceOf(DeliveryFailedException.class)
                    .hasRootCauseMessage("the log is full");
            assertThat(lane.isDrained()).isFalse();

            lane.discard();
            channel.isBroken = false;
            append(lane);
            flush(lane, 1);
            assertThat(channel.entries()).hasSize(1);
        }
    }
}
