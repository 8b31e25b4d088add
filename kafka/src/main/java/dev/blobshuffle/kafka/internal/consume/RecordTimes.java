package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.log.NotificationRecord;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Finds the first record of a partition whose timestamp is at or after a given time. A notification
 * has the latest timestamp of its records, so the broker finds the notification. To find the record
 * inside the segment, this class reads the notification with a consumer of its own, and the segment
 * up to the record. Owned by the consumer's thread.
 */
final class RecordTimes {
    private static final Duration ROUND = Duration.ofMillis(10);
    private static final int RECORDS = 1000;
    private static final long BYTES = 1L << 20;

    private final Supplier<Consumer<byte[], byte[]>> readers;
    private final Engine engine;
    private final String name;
    private final Time time;

    /**
     * @param readers makes consumers of the broker's records, without a group
     * @param name names the reader of segments in logs
     */
    RecordTimes(Supplier<Consumer<byte[], byte[]>> readers, Engine engine, String name, Time time) {
        this.readers = readers;
        this.engine = engine;
        this.name = name;
        this.time = time;
    }

    /**
     * The answers for partitions that shuffle through blobs, in virtual offsets.
     *
     * @param found the broker's answers, without nulls
     * @param times the queried times; other partitions are ignored
     * @throws TimeoutException recoverable: the broker or the store did not answer in time
     */
    Map<TopicPartition, OffsetAndTimestamp> find(
            Map<TopicPartition, OffsetAndTimestamp> found, Map<TopicPartition, Long> times, Duration timeout) {
        long limit = Math.min(
                timeout.compareTo(Duration.ofDays(365)) > 0 ? Long.MAX_VALUE / 4 : timeout.toNanos(),
                Long.MAX_VALUE / 4);
        Search search = new Search(found, times, time.nanos() + limit);
        search.readNotifications();
        search.readSegments();
        return search.answers;
    }

    /** One call. */
    private final class Search {
        private final Map<TopicPartition, OffsetAndTimestamp> found;
        private final Map<TopicPartition, Long> times;
        private final long deadline;
        private final Map<TopicPartition, OffsetAndTimestamp> answers = new HashMap<>();
        private final Map<TopicPartition, ConsumerRecord<byte[], byte[]>> notifications = new HashMap<>();

        Search(Map<TopicPartition, OffsetAndTimestamp> found, Map<TopicPartition, Long> times, long deadline) {
            this.found = found;
            this.times = times;
            this.deadline = deadline;
        }

        private Duration remaining() {
            Duration remaining = Duration.ofNanos(deadline - time.nanos());
            if (remaining.isNegative() || remaining.isZero()) {
                throw new TimeoutException("Cannot find offsets for times: the records at " + found.keySet()
                        + " were not read in time. Ask again, or with a longer timeout.");
            }
            return remaining;
        }

        void readNotifications() {
            try (Consumer<byte[], byte[]> reader = readers.get()) {
                Set<TopicPartition> missing = new HashSet<>(found.keySet());
                reader.assign(missing);
                found.forEach((partition, at) -> reader.seek(partition, at.offset()));
                while (!missing.isEmpty()) {
                    ConsumerRecords<byte[], byte[]> records = reader.poll(shorter(remaining(), Duration.ofSeconds(1)));
                    for (TopicPartition partition : records.partitions()) {
                        take(partition, records.records(partition).get(0));
                        missing.remove(partition);
                    }
                    missing.removeIf(partition -> isPassed(reader, partition));
                    reader.assign(missing);
                }
            }
        }

        /**
         * Whether the reader is past the answer: the answer may be a transaction marker, which no
         * consumer returns.
         */
        private boolean isPassed(Consumer<byte[], byte[]> reader, TopicPartition partition) {
            boolean isPassed =
                    reader.position(partition, remaining()) > at(partition).offset();
            if (isPassed) {
                answer(
                        partition,
                        VirtualOffset.of(at(partition).offset()),
                        at(partition).timestamp());
            }
            return isPassed;
        }

        private void take(TopicPartition partition, ConsumerRecord<byte[], byte[]> record) {
            if (record.offset() != at(partition).offset()) {
                answer(
                        partition,
                        VirtualOffset.of(at(partition).offset()),
                        at(partition).timestamp());
            } else if (NotificationRecord.isNotification(record)) {
                notifications.put(partition, record);
            } else {
                answer(partition, VirtualOffset.of(record.offset(), VirtualOffset.LAST), record.timestamp());
            }
        }

        private OffsetAndTimestamp at(TopicPartition partition) {
            return Objects.requireNonNull(found.get(partition));
        }

        private void answer(TopicPartition partition, long offset, long timestamp) {
            answers.put(
                    partition,
                    new OffsetAndTimestamp(offset, timestamp, at(partition).leaderEpoch()));
        }

        /** Prefetches all segments, and searches one after the other. */
        void readSegments() {
            if (notifications.isEmpty()) {
                return;
            }
            try (Debatcher<ConsumerRecord<byte[], byte[]>> debatcher = engine.debatcher(name + "-times")) {
                Map<TopicPartition, Partition> names = new HashMap<>();
                notifications.forEach((partition, record) -> {
                    Partition segment = new Partition(partition.topic(), partition.partition());
                    names.put(partition, segment);
                    debatcher.offer(segment, record.offset(), NotificationCodec.decode(record.value()), 0, record);
                });
                debatcher.prefetch();
                names.values().forEach(debatcher::pause);
                names.forEach((partition, segment) -> {
                    debatcher.resume(segment);
                    readSegment(debatcher, partition, segment);
                    debatcher.drop(segment);
                });
            } catch (BlobShuffleException e) {
                throw new KafkaException(e.getMessage(), e);
            }
        }

        private void readSegment(
                Debatcher<ConsumerRecord<byte[], byte[]>> debatcher, TopicPartition partition, Partition segment) {
            FirstAt first = new FirstAt(Objects.requireNonNull(times.get(partition)));
            try {
                while (first.timestamp == null && debatcher.head(segment).isPresent()) {
                    debatcher.prefetch();
                    if (debatcher.drain(RECORDS, BYTES, first) == 0) {
                        debatcher.awaitProgress(shorter(remaining(), ROUND));
                    }
                }
            } catch (BlobMissingException e) {
                // The segment of an aborted transaction, or a lost one. Readers skip or miss its
                // records as a whole, so its start is the exact answer.
            } catch (InterruptedException e) {
                throw new InterruptException(e);
            }
            Long timestamp = first.timestamp;
            if (timestamp == null) {
                answer(
                        partition,
                        VirtualOffset.of(at(partition).offset()),
                        at(partition).timestamp());
            } else {
                answer(partition, first.offset, timestamp);
            }
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Finds the first record of a segment at or after a time. */
    private static final class FirstAt implements Debatcher.Sink<ConsumerRecord<byte[], byte[]>> {
        private final long wanted;
        private long offset;
        private @Nullable Long timestamp;

        FirstAt(long wanted) {
            this.wanted = wanted;
        }

        @Override
        public void record(
                Partition partition,
                long real,
                int index,
                int count,
                RecordView record,
                ConsumerRecord<byte[], byte[]> carrier) {
            long shown =
                    carrier.timestampType() == TimestampType.LOG_APPEND_TIME ? carrier.timestamp() : record.timestamp();
            if (timestamp == null && shown >= wanted) {
                offset = VirtualOffset.ofRecord(real, index, count);
                timestamp = shown;
            }
        }

        @Override
        public void plain(Partition partition, long real, ConsumerRecord<byte[], byte[]> plain) {
            throw new IllegalStateException("Cannot read a segment at " + real + ": plain records are not queued.");
        }
    }
}
