package dev.blobshuffle.kstreams.keyparallel;

import java.util.Set;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.InternalFixedKeyRecordFactory;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Adapts a processor that keeps keys to the interface of one that may change them, for a
 * {@link RecordingContext}. Immutable.
 */
record KeepingKeys<K, V, R>(FixedKeyProcessorSupplier<K, V, R> supplier) implements ProcessorSupplier<K, V, K, R> {
    @Override
    public Processor<K, V, K, R> get() {
        return new Adapted<>(supplier.get());
    }

    @Override
    public @Nullable Set<StoreBuilder<?>> stores() {
        return supplier.stores();
    }

    /** One instance. Used by one call at a time. */
    private static final class Adapted<K, V, R> implements Processor<K, V, K, R> {
        private final FixedKeyProcessor<K, V, R> processor;

        private Adapted(FixedKeyProcessor<K, V, R> processor) {
            this.processor = processor;
        }

        @Override
        @SuppressWarnings("unchecked") // The context of calls is one for both kinds of processors.
        public void init(ProcessorContext<K, R> context) {
            processor.init((FixedKeyProcessorContext<K, R>) context);
        }

        @Override
        public void process(Record<K, V> record) {
            processor.process(InternalFixedKeyRecordFactory.create(record));
        }

        @Override
        public void close() {
            processor.close();
        }
    }
}
