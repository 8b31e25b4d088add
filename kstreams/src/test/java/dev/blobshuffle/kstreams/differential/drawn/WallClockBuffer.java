package dev.blobshuffle.kstreams.differential.drawn;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Stores records until a punctuator by the wall clock forwards them. A run waits until the buffers
 * of its application are empty and committed, because nothing else shows that records are left.
 */
final class WallClockBuffer extends Processors.Buffer {
    /** The buffers of each application that may hold records. */
    private static final Map<String, Set<WallClockBuffer>> BUSY = new ConcurrentHashMap<>();

    WallClockBuffer(String store) {
        super(store);
    }

    /** Whether all records of an application are forwarded and committed. */
    static boolean areEmpty(String application) {
        return BUSY.getOrDefault(application, Set.of()).isEmpty();
    }

    private Set<WallClockBuffer> busy() {
        return BUSY.computeIfAbsent(context().applicationId(), id -> ConcurrentHashMap.newKeySet());
    }

    @Override
    void schedule() {
        busy().add(this); // Its store may have been restored with records.
        context().schedule(Duration.ofMillis(30), PunctuationType.WALL_CLOCK_TIME, now -> flush());
    }

    @Override
    public void process(Record<String, String> record) {
        busy().add(this);
        super.process(record);
    }

    /** The commit that it requests takes place before the next call. */
    @Override
    int flush() {
        int count = super.flush();
        if (count > 0) {
            context().commit();
        } else {
            busy().remove(this);
        }
        return count;
    }

    @Override
    public void close() {
        busy().remove(this);
    }
}
