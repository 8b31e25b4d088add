package dev.blobshuffle.s3sim;

import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The objects of a bucket. Thread-safe; puts and deletes of a key are atomic. */
final class SimulatedBucket {
    private final ConcurrentSkipListMap<String, StoredObject> objects = new ConcurrentSkipListMap<>();
    private final Memory memory;
    private final Counting counting;

    private volatile List<LifecycleRule> lifecycle = List.of();
    private volatile boolean isVersioned;

    SimulatedBucket(Memory memory, Counting counting) {
        this.memory = memory;
        this.counting = counting;
    }

    /** The condition under which an object may be stored. */
    interface Condition {
        boolean holds(@Nullable StoredObject present);
    }

    /**
     * Stores an object whose bytes were reserved. Releases the bytes of the object that it
     * replaces.
     *
     * @return whether the condition held
     */
    boolean put(String key, StoredObject object, Condition condition) {
        AtomicReference<@Nullable StoredObject> replaced = new AtomicReference<>();
        StoredObject now = objects.compute(key, (name, present) -> {
            if (!condition.holds(present)) {
                replaced.set(null);
                return present;
            }
            replaced.set(present);
            return object;
        });
        StoredObject old = replaced.get();
        if (old != null) {
            memory.release(old.bytes().length);
        }
        return now == object;
    }

    @Nullable
    StoredObject object(String key) {
        return objects.get(key);
    }

    void delete(String key) {
        StoredObject old = objects.remove(key);
        if (old != null) {
            memory.release(old.bytes().length);
        }
    }

    NavigableMap<String, StoredObject> objects() {
        return objects;
    }

    Counting counting() {
        return counting;
    }

    List<LifecycleRule> lifecycle() {
        return lifecycle;
    }

    void lifecycle(List<LifecycleRule> rules) {
        lifecycle = List.copyOf(rules);
    }

    boolean isVersioned() {
        return isVersioned;
    }

    void startVersioning() {
        isVersioned = true;
    }
}
