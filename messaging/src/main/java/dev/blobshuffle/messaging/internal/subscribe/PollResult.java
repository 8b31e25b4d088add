package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.messaging.ReceivedRecord;
import dev.blobshuffle.messaging.Records;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.UnreadableRecordException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Collects the result of one poll. Used once. Owned by the subscriber's thread. */
final class PollResult<K, V> implements Debatcher.Sink<Optional<PlainRecord>> {
    private final Function<Partition, PartitionReading> readings;
    private final EntriesFeed feed;
    private final Serde<K> keys;
    private final Serde<V> values;
    private final RefusedRecords refused;
    private final List<ReceivedRecord<K, V>> records = new ArrayList<>();

    PollResult(
            Function<Partition, PartitionReading> readings,
            EntriesFeed feed,
            Serde<K> keys,
            Serde<V> values,
            RefusedRecords refused) {
        this.readings = readings;
        this.feed = feed;
        this.keys = keys;
        this.values = values;
        this.refused = refused;
    }

    boolean isEmpty() {
        return records.isEmpty();
    }

    Records<K, V> toRecords() {
        return new Records<>(List.copyOf(records));
    }

    @Override
    public void record(
            Partition partition, long offset, int index, int count, RecordView record, Optional<PlainRecord> none) {
        PartitionReading reading = readings.apply(partition);
        take(
                reading,
                offset + index,
                new PlainRecord(
                        record.timestamp(), record.key(), record.value(), EntriesFeed.headers(record.headers())));
    }

    @Override
    public void plain(Partition partition, long offset, Optional<PlainRecord> plain) {
        PartitionReading reading = readings.apply(partition);
        PlainRecord record = plain.orElseThrow();
        take(reading, offset, record);
        feed.returned(reading, record);
    }

    private void take(PartitionReading reading, long position, PlainRecord raw) {
        String topic = reading.named.topic();
        ReceivedRecord<K, V> received;
        try {
            received = new ReceivedRecord<>(
                    topic,
                    reading.named.partition(),
                    position,
                    raw.timestamp(),
                    deserialize(keys, topic, raw.key()),
                    deserialize(values, topic, raw.value()),
                    raw.headers());
        } catch (RuntimeException e) {
            UnreadableRecordException failure = new UnreadableRecordException(reading.named, position, e);
            if (!refused.areKept()) {
                throw new UnreadableStopException(reading, failure);
            }
            refused.keep(reading.named, position, raw, e);
            noteDelivered(reading);
            return;
        }
        records.add(received);
        noteDelivered(reading);
    }

    private static void noteDelivered(PartitionReading reading) {
        reading.isDelivered = true;
        reading.isForfeitable = true;
    }

    private static <T> @Nullable T deserialize(Serde<T> serde, String topic, byte @Nullable [] bytes) {
        return bytes == null ? null : serde.deserialize(topic, bytes);
    }
}
