package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import java.util.ArrayList;
import java.util.List;

/** A sink that records what it receives. Owned by one thread. */
final class RecordedSink implements Debatcher.Sink<String> {
    /** One line per record: its value, cut short, or the plain carrier. */
    final List<String> values = new ArrayList<>();

    /** One line per record: partition, position, count and carrier. */
    final List<String> positions = new ArrayList<>();

    /** Sizes of keys and values; -1 for null. */
    final List<String> sizes = new ArrayList<>();

    @Override
    public void record(Partition partition, long offset, int index, int count, RecordView record, String carrier) {
        byte[] value = record.value();
        values.add(value == null ? "null" : new String(value, 0, Math.min(20, value.length)));
        positions.add(partition.number() + "@" + offset + ":" + index + "/" + count + " " + carrier);
        sizes.add((record.key() == null ? -1 : record.keyLength()) + "," + (value == null ? -1 : value.length));
    }

    @Override
    public void plain(Partition partition, long offset, String plain) {
        values.add(plain);
        positions.add(partition.number() + "@" + offset + " plain");
    }
}
