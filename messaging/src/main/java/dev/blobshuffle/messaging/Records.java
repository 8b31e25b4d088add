package dev.blobshuffle.messaging;

import java.util.Iterator;
import java.util.List;

/**
 * The records of one poll, in order per partition.
 *
 * @param all the records
 */
public record Records<K, V>(List<ReceivedRecord<K, V>> all) implements Iterable<ReceivedRecord<K, V>> {
    /** Number of records. */
    public int count() {
        return all.size();
    }

    /** Whether the poll ended without a record. */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    @Override
    public Iterator<ReceivedRecord<K, V>> iterator() {
        return all.iterator();
    }
}
