package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.kstreams.internal.commit.CommitGate;
import java.util.Set;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.StoreBuilder;
import org.jspecify.annotations.Nullable;

/** Makes the Debatcher of each task. Immutable. */
record DebatcherSupplier<K, V>(ShuffleDefinition<K, V> definition)
        implements FixedKeyProcessorSupplier<K, Shuffled, V> {
    @Override
    public FixedKeyProcessor<K, Shuffled, V> get() {
        return new Debatching<>(definition);
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(CommitGate.builder(definition.debatcherGate()));
    }

    /** Lives as long as the task, which may close and initialize it several times. */
    private static final class Debatching<K, V> implements FixedKeyProcessor<K, Shuffled, V> {
        private final ShuffleDefinition<K, V> definition;
        private @Nullable DebatcherProcessor<K, V> open;

        private Debatching(ShuffleDefinition<K, V> definition) {
            this.definition = definition;
        }

        @Override
        public void init(FixedKeyProcessorContext<K, V> context) {
            open = new DebatcherProcessor<>(definition, context);
        }

        @Override
        public void process(FixedKeyRecord<K, Shuffled> record) {
            DebatcherProcessor<K, V> debatcher = open;
            if (debatcher == null) {
                throw new IllegalStateException("Cannot process a record: the processor is not initialised.");
            }
            debatcher.process(record);
        }

        @Override
        public void close() {
            DebatcherProcessor<K, V> debatcher = open;
            open = null;
            if (debatcher != null) {
                debatcher.close();
            }
        }
    }
}
