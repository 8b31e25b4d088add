package dev.blobshuffle.bench.workload;

import java.util.List;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Sends a measurement to each group of its child, keyed by child and group. Owned by its stream
 * thread.
 */
final class ParentKeys implements Processor<String, ChildMeasurement, String, Measurement> {
    private static final String SEPARATOR = ";";

    private final String storeName;
    private ProcessorContext<String, Measurement> context;
    private KeyValueStore<String, String> last;

    @SuppressWarnings("NullAway.Init") // Kafka Streams calls init first
    ParentKeys(String storeName) {
        this.storeName = storeName;
    }

    /** The group of a key. */
    static String parent(String key) {
        return key.substring(key.indexOf(SEPARATOR) + 1);
    }

    @Override
    public void init(ProcessorContext<String, Measurement> ownContext) {
        context = ownContext;
        last = ownContext.getStateStore(storeName);
    }

    @Override
    public void process(Record<String, ChildMeasurement> record) {
        String child = record.key();
        ChildMeasurement now = record.value();
        String before = last.get(child);
        if (now == null) {
            last.delete(child); // it has left all its groups, whose windows close without it
            return;
        }
        if (!now.parents().equals(before)) {
            last.put(child, now.parents());
        }
        for (String parent : List.of(now.parents().split(",", -1))) {
            context.forward(new Record<>(
                    child + SEPARATOR + parent,
                    now.measurement(),
                    now.measurement().timestamp()));
        }
    }
}
