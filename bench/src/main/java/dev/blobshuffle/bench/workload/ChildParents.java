package dev.blobshuffle.bench.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Turns registries into changes of the parents of each child. An empty value means that the child
 * has no parents any more. Owned by its stream thread.
 */
final class ChildParents implements Processor<String, String, String, String> {
    private final String storeName;
    private ProcessorContext<String, String> context;
    private KeyValueStore<String, String> known;

    @SuppressWarnings("NullAway.Init") // Kafka Streams calls init first
    ChildParents(String storeName) {
        this.storeName = storeName;
    }

    @Override
    public void init(ProcessorContext<String, String> ownContext) {
        context = ownContext;
        known = ownContext.getStateStore(storeName);
    }

    @Override
    public void process(Record<String, String> record) {
        Map<String, String> parents = SensorRegistry.parents(record.value());
        List<String> orphans = new ArrayList<>();
        try (KeyValueIterator<String, String> all = known.all()) {
            while (all.hasNext()) {
                KeyValue<String, String> child = all.next();
                if (!parents.containsKey(child.key)) {
                    orphans.add(child.key);
                }
            }
        }
        orphans.forEach(child -> {
            known.delete(child);
            context.forward(record.withKey(child).withValue(""));
        });
        parents.forEach((child, own) -> {
            if (!own.equals(known.get(child))) {
                known.put(child, own);
                context.forward(record.withKey(child).withValue(own));
            }
        });
    }
}
