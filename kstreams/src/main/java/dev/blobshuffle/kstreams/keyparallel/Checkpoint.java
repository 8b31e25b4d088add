package dev.blobshuffle.kstreams.keyparallel;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * What a node has taken and not handed on, as far as commits confirmed it: after a commit the store
 * holds the records that were pending at it, and no others. So a record is in one of three places,
 * and a crash moves it back to where it was at the last commit:
 *
 * <pre>
 *   before the committed offset?   no: read again from its topic     yes, and pending: in the store     yes, and handed on: in the output
 * </pre>
 *
 * <p>Under exactly-once the three change together. Under at-least-once they do not, and the order
 * of the steps makes up for it, each of which is known to have arrived before the next one begins:
 * results; then what is pending; then removals; then the offsets. A crash in between repeats
 * records and loses none. Owned by the stream thread.
 */
final class Checkpoint<K, V> {
    private final KeyValueStore<Long, byte[]> store;
    private final ArrivalCodec<K, V> codec;

    /** What came since the last commit and is pending; by number, in that order. */
    private final Map<Long, Arrival<K, V>> fresh = new LinkedHashMap<>();

    /** What is stored and not pending any more. */
    private final List<Long> gone = new ArrayList<>();

    private long next;

    Checkpoint(KeyValueStore<Long, byte[]> store, ArrivalCodec<K, V> codec) {
        this.store = store;
        this.codec = codec;
    }

    /** Gives what was pending at the last commit, in the order in which it came. Call it first. */
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

    /** A record is taken. */
    void taken(Arrival<K, V> arrival) {
        fresh.put(arrival.number(), arrival);
    }

    /** A record is handed on, or dropped. */
    void finished(Arrival<K, V> arrival) {
        if (fresh.remove(arrival.number()) == null) {
            gone.add(arrival.number());
        }
    }

    /** Whether {@link #store} has something to do. */
    boolean isBehind() {
        return !fresh.isEmpty();
    }

    /** Whether {@link #forget} has something to do. */
    boolean hasGone() {
        return !gone.isEmpty();
    }

    /** Stores what is pending and not stored yet. @return their number */
    int store() {
        int stored = fresh.size();
        fresh.forEach((number, arrival) -> store.put(number, codec.encode(arrival)));
        fresh.clear();
        return stored;
    }

    /** Removes what is handed on. */
    void forget() {
        gone.forEach(store::delete);
        gone.clear();
    }
}
