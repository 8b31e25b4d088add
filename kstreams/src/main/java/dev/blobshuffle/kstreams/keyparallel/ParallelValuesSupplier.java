package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.internal.commit.NodeScope;
import java.util.Set;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Makes the node of each task, for functions that keep keys. Immutable, except for the threads of
 * the definition.
 */
record ParallelValuesSupplier<K, V, R>(NodeDefinition<K, V> definition) implements FixedKeyProcessorSupplier<K, V, R> {
    @Override
    public FixedKeyProcessor<K, V, R> get() {
        return new Parallel<>(definition);
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return definition.stores();
    }

    /** Lives as long as the task, which may close and initialize it several times. */
    private static final class Parallel<K, V, R> implements FixedKeyProcessor<K, V, R> {
        private final NodeDefinition<K, V> definition;
        private @Nullable ParallelNode<K, V> open;
        private @Nullable FixedKeyProcessorContext<K, R> mock;

        private Parallel(NodeDefinition<K, V> definition) {
            this.definition = definition;
        }

        @Override
        public void init(FixedKeyProcessorContext<K, R> context) {
            if (NodeScope.isIn(context)) {
                open = new ParallelNode<>(definition, context);
            } else {
                mock = context;
            }
        }

        @Override
        public void process(FixedKeyRecord<K, V> record) {
            FixedKeyProcessorContext<K, R> context = mock;
            if (open != null) {
                open.process(new Record<>(record.key(), record.value(), record.timestamp(), record.headers()));
            } else if (context != null) {
                inline(context, record);
            } else {
                throw new IllegalStateException("Cannot process a record: the processor is not initialised.");
            }
        }

        @SuppressWarnings("unchecked") // The function makes what the supplier says.
        private void inline(FixedKeyProcessorContext<K, R> context, FixedKeyRecord<K, V> record) {
            new InlineNode<>(
                            definition.function().open(context),
                            result -> context.forward(record.withValue((R) result.value())))
                    .process(new Record<>(record.key(), record.value(), record.timestamp(), record.headers()));
        }

        @Override
        public void close() {
            ParallelNode<K, V> node = open;
            open = null;
            mock = null;
            if (node != null) {
                node.close();
            }
        }
    }
}
