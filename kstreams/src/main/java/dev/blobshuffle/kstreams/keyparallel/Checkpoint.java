package dev.blobshuffle.kstreams.keyparallel;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Stores the records that a node has taken and not handed on, as far as commits confirm that. After
 * a commit, the store holds exactly the records that were pending at it. So a record is in one of
 * three places, and a crash returns it to its place at the last commit:
 *
 * <pre>
 *   before the committed offset?   no: read again from its topic     yes, and pending: in the store     yes, and handed on: in the output
 * </pre>
 *
 * <p>Under exactly-once, the three change atomically. Under at-least-once the order of the steps
 * prevents losses: results, then pending records, then removals, then offsets. Each step is
 * acknowledged before the next one begins. A crash between two steps repeats records but loses
 * none. Owned by the stream thread.
 */
final class Checkpoint<K, V> {
    private final KeyValueStore<Long, byte[]> store;
    private final ArrivalCodec<K, V> codec;

    /** The pending records since the last commit, by number and in that order. */
    private final Map<Long, Arrival<K, V>> fresh = new LinkedHashMap<>();

    /** The numbers of stored records that are no longer pending. */
    private final List<Long> gone = new ArrayList<>();

    private long next;

    Checkpoint(KeyValueStore<Long, byte[]> store, ArrivalCodec<K, V> codec) {
        this.store = store;
        this.codec = codec;
    }

    /**
     * Passes the records that were pending at the last commit, in their original order. Call it
     * first.
     */
    void recover(Consumer<Arrival<K, V>> pending) {
        try (var stored = store.all()) {
            while (stored.hasNext()) {
                KeyValue<Long, byte[]> entry = stored.next();
                next = entry.key + 1;
                pending.accept(codec.decode(entry.key, entry.value));
            }
        }
    }

    /** The number of the next record. */
    long next() {
        return next++;
    }

    /** Called when a record is taken. */
    void taken(Arrival<K, V> arrival) {
        fresh.put(arrival.number(), arrival);
    }

    /** Called when a record is handed on or dropped. */
    void finished(Arrival<K, V> arrival) {
        if (fresh.remove(arrival.number()) == null) {
            gone.add(arrival.number());
        }
    }

    /** Whether {@link #store} has work to do. */
    boolean isBehind() {
        return !fresh.isEmpty();
    }

    /** Whether {@link #forget} has work to do. */
    boolean hasGone() {
        return !gone.isEmpty();
    }

    /** Stores the pending records that are not stored yet. @return their number */
    int store() {
        int stored = fresh.size();
        fresh.forEach((number, arrival) -> store.put(number, codec.encode(arrival)));
        fresh.clear();
        return stored;
    }

    /** Removes the records that were handed on. */
    void forget() {
        gone.forEach(store::delete);
        gone.clear();
    }
}
