package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.kstreams.internal.commit.CommitGate;
import java.util.Set;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;
import org.jspecify.annotations.Nullable;

/** Makes the Batcher of each task. Immutable. */
record BatcherSupplier<K, V>(ShuffleDefinition<K, V> definition) implements ProcessorSupplier<K, V, K, Shuffled> {
    @Override
    public Processor<K, V, K, Shuffled> get() {
        return new Batching<>(definition);
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(CommitGate.builder(definition.batcherGate()));
    }

    /** Lives as long as the task, which may close and initialize it several times. */
    private static final class Batching<K, V> implements Processor<K, V, K, Shuffled> {
        private final ShuffleDefinition<K, V> definition;
        private @Nullable BatcherProcessor<K, V> open;

        private Batching(ShuffleDefinition<K, V> definition) {
            this.definition = definition;
        }

        @Override
        public void init(ProcessorContext<K, Shuffled> context) {
            open = new BatcherProcessor<>(definition, context);
        }

        @Override
        public void process(Record<K, V> record) {
            BatcherProcessor<K, V> batcher = open;
            if (batcher == null) {
                throw new IllegalStateException("Cannot process a record: the processor is not initialised.");
            }
            batcher.process(record);
        }

        @Override
        public void close() {
            BatcherProcessor<K, V> batcher = open;
            open = null;
            if (batcher != null) {
                batcher.close();
            }
        }
    }
}
