package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.internal.commit.CommitGate;
import java.util.Set;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.StoreBuilder;

/**
 * A control: removes the gate that holds commits back, so records are committed before their calls
 * have ended. It must lose records, and tests must detect that.
 *
 * @param supplier of the node
 * @param name of the node
 */
public record ForgetfulValues<K, V, W>(FixedKeyProcessorSupplier<K, V, W> supplier, String name)
        implements FixedKeyProcessorSupplier<K, V, W> {
    @Override
    public Set<StoreBuilder<?>> stores() {
        return supplier.stores();
    }

    @Override
    public FixedKeyProcessor<K, V, W> get() {
        FixedKeyProcessor<K, V, W> processor = supplier.get();
        return new FixedKeyProcessor<>() {
            @Override
            public void init(FixedKeyProcessorContext<K, W> context) {
                processor.init(context);
                CommitGate.of(context, name + "-gate").detach();
            }

            @Override
            public void process(FixedKeyRecord<K, V> record) {
                processor.process(record);
            }

            @Override
            public void close() {
                processor.close();
            }
        };
    }
}
