package dev.blobshuffle.kstreams.internal.commit;

import dev.blobshuffle.kafka.internal.client.KafkaVersion;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.apache.kafka.streams.processor.internals.AbstractTask;
import org.apache.kafka.streams.processor.internals.ProcessorContextImpl;
import org.apache.kafka.streams.processor.internals.ProcessorNode;
import org.apache.kafka.streams.processor.internals.ProcessorTopology;
import org.apache.kafka.streams.processor.internals.StreamThread;
import org.jspecify.annotations.Nullable;

/**
 * Reads state of Kafka Streams that has no public interface. It uses internal classes, which are
 * the same in Kafka 4.0 to 4.4. Stateless.
 */
public final class StreamsInternals {
    private static final String INTERNALS = "org.apache.kafka.streams.kstream.internals.";

    private StreamsInternals() {}

    /**
     * A stream with explicit serdes, because {@code processValues} drops them.
     *
     * @param keys null for the application's default
     * @param values null for the application's default
     * @throws IllegalStateException fatal: this version of Kafka Streams has other internals
     */
    @SuppressWarnings("unchecked") // The stream has the type of the one it is made of.
    public static <K, V> KStream<K, V> withSerdes(
            KStream<K, V> stream, @Nullable Serde<K> keys, @Nullable Serde<V> values) {
        try {
            Class<?> parent = Class.forName(INTERNALS + "AbstractStream");
            Class<?> type = Class.forName(INTERNALS + "KStreamImpl");
            Class<?> graphNode = Class.forName(INTERNALS + "graph.GraphNode");
            Class<?> builder = Class.forName(INTERNALS + "InternalStreamsBuilder");
            Constructor<?> constructor = type.getDeclaredConstructor(
                    String.class, Serde.class, Serde.class, Set.class, boolean.class, graphNode, builder);
            constructor.setAccessible(true);
            return (KStream<K, V>) constructor.newInstance(
                    field(parent, "name").get(stream),
                    keys,
                    values,
                    field(parent, "subTopologySourceNodes").get(stream),
                    false,
                    field(parent, "graphNode").get(stream),
                    field(parent, "builder").get(stream));
        } catch (ReflectiveOperationException e) {
            throw unknown(e);
        }
    }

    /**
     * The topics that the sub-topology of a node reads; call it in the processor's {@code init}. In
     * TopologyTestDriver, several sub-topologies share a task.
     *
     * @throws IllegalStateException fatal: this version of Kafka Streams has other internals
     */
    public static Set<String> sourceTopics(ProcessingContext context) {
        try {
            ProcessorContextImpl internal = (ProcessorContextImpl) context;
            Object task = field(ProcessorContextImpl.class, "streamTask").get(internal);
            ProcessorTopology topology =
                    (ProcessorTopology) field(AbstractTask.class, "topology").get(task);
            Set<ProcessorNode<?, ?, ?, ?>> connected = connected(topology, internal.currentNode());
            Set<String> topics = new TreeSet<>();
            for (String topic : topology.sourceTopics()) {
                if (connected.contains(topology.source(topic))) {
                    topics.add(topic);
                }
            }
            return topics;
        } catch (ReflectiveOperationException e) {
            throw unknown(e);
        }
    }

    /** The nodes that are connected to a node by edges or shared stores. */
    private static Set<ProcessorNode<?, ?, ?, ?>> connected(
            ProcessorTopology topology, ProcessorNode<?, ?, ?, ?> start) {
        Set<ProcessorNode<?, ?, ?, ?>> found = new HashSet<>(Set.of(start));
        int before;
        do {
            before = found.size();
            for (ProcessorNode<?, ?, ?, ?> node : topology.processors()) {
                boolean isConnected = found.contains(node)
                        || found.stream().anyMatch(other -> !Collections.disjoint(stores(other), stores(node)))
                        || node.children().stream().anyMatch(found::contains);
                if (isConnected) {
                    found.add(node);
                    found.addAll(node.children());
                }
            }
        } while (found.size() > before);
        return found;
    }

    /** The stores of a node; sources and sinks have none. */
    private static Set<String> stores(ProcessorNode<?, ?, ?, ?> node) {
        Set<String> stores = node.stateStores;
        return stores == null ? Set.of() : stores;
    }

    /**
     * Whether a thread that closes a task will open no other one: a stream thread at its end, or a
     * thread that is no stream thread.
     */
    public static boolean isEnding(Thread thread) {
        return !(thread instanceof StreamThread stream) || !stream.isRunning();
    }

    /**
     * Whether a thread is a stream thread of a running application, not of a test without brokers.
     */
    public static boolean isStreamThread(Thread thread) {
        return thread instanceof StreamThread;
    }

    private static Field field(Class<?> type, String name) throws NoSuchFieldException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    private static IllegalStateException unknown(Exception cause) {
        return new IllegalStateException(
                "Cannot use the operators with Kafka Streams " + KafkaVersion.present() + ": " + cause.getMessage()
                        + " is not as in 4.0 to 4.4. Use one of these, or the client supplier.",
                cause);
    }
}
