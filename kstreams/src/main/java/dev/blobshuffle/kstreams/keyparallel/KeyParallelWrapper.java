package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kafka.internal.settings.NodeSetting;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.ProcessorWrapper;
import org.apache.kafka.streams.processor.api.WrappedFixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.WrappedProcessorSupplier;

/**
 * Calls existing processors of a topology in parallel, as {@link KeyParallel#supplier} does,
 * without a change of the topology's code; it also covers {@code mapValues} and similar operators.
 * Kafka Streams' setting {@code processor.wrapper.class} names this class (KIP-1112), and
 * {@code blobshuffle.keyparallel.wrap} is a regular expression for the names of the nodes. The
 * settings {@code blobshuffle.keyparallel.NAME.*} are the options of a node. Processors that cannot
 * be called in parallel are rejected at the start. Owned by the thread that builds the topology.
 */
public final class KeyParallelWrapper implements ProcessorWrapper {
    private Pattern nodes = Pattern.compile("");

    /** Called by Kafka Streams, which then configures it. */
    public KeyParallelWrapper() {}

    @Override
    public void configure(Map<String, ?> configs) {
        configs.keySet().forEach(NodeSetting::requireKnown);
        Object names = configs.get(NodeSetting.WRAP.nameForAll());
        if (names == null) {
            throw new InvalidSettingsException(
                    "Cannot call processors in parallel: " + KeyParallelWrapper.class.getName()
                            + " does not know which. Set " + NodeSetting.WRAP.nameForAll()
                            + " to a regular expression for names of nodes.");
        }
        try {
            nodes = Pattern.compile(names.toString());
        } catch (PatternSyntaxException e) {
            throw new InvalidSettingsException(
                    "Cannot use setting " + NodeSetting.WRAP.nameForAll() + "=" + names
                            + ": it is not a regular expression.",
                    e);
        }
    }

    @Override
    public <K, V, L, R> WrappedProcessorSupplier<K, V, L, R> wrapProcessorSupplier(
            String name, ProcessorSupplier<K, V, L, R> supplier) {
        return ProcessorWrapper.asWrapped(
                isChosen(name) && !(supplier instanceof ParallelSupplier)
                        ? KeyParallel.supplier(supplier, KeyParallelOptions.named(name))
                        : supplier);
    }

    @Override
    public <K, V, R> WrappedFixedKeyProcessorSupplier<K, V, R> wrapFixedKeyProcessorSupplier(
            String name, FixedKeyProcessorSupplier<K, V, R> supplier) {
        return ProcessorWrapper.asWrappedFixedKey(
                isChosen(name) && !(supplier instanceof ParallelValuesSupplier)
                        ? KeyParallel.valuesSupplier(supplier, KeyParallelOptions.named(name))
                        : supplier);
    }

    private boolean isChosen(String name) {
        return nodes.matcher(name).matches();
    }
}
