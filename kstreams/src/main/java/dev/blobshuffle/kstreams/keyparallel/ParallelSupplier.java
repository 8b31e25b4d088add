package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.internal.commit.NodeScope;
import java.util.Set;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Makes the node of each task, for functions that forward any records. Immutable, except for the
 * threads of the definition.
 */
record ParallelSupplier<K, V, L, R>(NodeDefinition<K, V> definition) implements ProcessorSupplier<K, V, L, R> {
    @Override
    public Processor<K, V, L, R> get() {
        return new Parallel<>(definition);
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return definition.stores();
    }

    /** Lives as long as the task, which may close and initialize it several times. */
    private static final class Parallel<K, V, L, R> implements Processor<K, V, L, R> {
        private final NodeDefinition<K, V> definition;
        private @Nullable ParallelNode<K, V> open;
        private @Nullable InlineNode<K, V> inline;

        private Parallel(NodeDefinition<K, V> definition) {
            this.definition = definition;
        }

        @Override
        @SuppressWarnings("unchecked") // The function makes what the supplier says.
        public void init(ProcessorContext<L, R> context) {
            if (NodeScope.isIn(context)) {
                open = new ParallelNode<>(definition, context);
            } else {
                inline = new InlineNode<>(
                        definition.function().open(context), record -> context.forward((Record<L, R>) record));
            }
        }

        @Override
        public void process(Record<K, V> record) {
            if (open != null) {
                open.process(record);
            } else if (inline != null) {
                inline.process(record);
            } else {
                throw new IllegalStateException("Cannot process a record: the processor is not initialised.");
            }
        }

        @Override
        public void close() {
            ParallelNode<K, V> node = open;
            open = null;
            inline = null;
            if (node != null) {
                node.close();
            }
        }
    }
}
