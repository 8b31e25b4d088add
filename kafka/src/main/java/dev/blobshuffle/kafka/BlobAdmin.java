package dev.blobshuffle.kafka;

import dev.blobshuffle.core.settings.Settings;
import dev.blobshuffle.kafka.internal.client.ClientSettings;
import dev.blobshuffle.kafka.internal.client.SharedEngines;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DeleteRecordsResult;
import org.apache.kafka.clients.admin.DeletedRecords;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * An {@link Admin} that speaks virtual offsets for topics that shuffle through blobs:
 * {@code deleteRecords} keeps a notification that is only half consumed, and {@code listOffsets}
 * answers with positions that a {@link BlobConsumer} understands. Offsets of groups stay real, as
 * tools show them. Everything else passes through, methods of newer Kafka versions included, which
 * is why it is a proxy. Thread-safe.
 */
public final class BlobAdmin implements InvocationHandler {
    private final Admin delegate;
    private final TopicMatcher topics;

    private BlobAdmin(Admin delegate, TopicMatcher topics) {
        this.delegate = delegate;
        this.topics = topics;
    }

    /**
     * An admin for any application.
     *
     * @param settings those of a Kafka admin, and {@code blobshuffle.*} as its other clients have
     *     them
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the settings cannot work; the
     *     message says what to change
     */
    public static Admin create(Map<String, ?> settings) {
        TopicMatcher topics = SharedEngines.topics(Settings.parse(settings));
        return wrap(Admin.create(ClientSettings.kafkas(settings)), topics);
    }

    /** An admin around a ready one, which it owns: closing it closes the other. */
    public static Admin wrap(Admin delegate, TopicMatcher topics) {
        return (Admin) Proxy.newProxyInstance(
                BlobAdmin.class.getClassLoader(), new Class<?>[] {Admin.class}, new BlobAdmin(delegate, topics));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        try {
            return switch (method.getName()) {
                case "deleteRecords" -> deleteRecords(method, arguments);
                case "listOffsets" -> listOffsets(method, arguments);
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                case "toString" -> "BlobAdmin[" + delegate + "]";
                default -> method.invoke(delegate, arguments);
            };
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    /**
     * Records before a virtual offset: everything before its notification, which stays as long as
     * one of its records is needed.
     */
    private Object deleteRecords(Method method, Object[] arguments) throws ReflectiveOperationException {
        Map<TopicPartition, RecordsToDelete> real = new HashMap<>();
        ((Map<?, ?>) arguments[0]).forEach((partition, before) -> {
            TopicPartition key = (TopicPartition) partition;
            RecordsToDelete value = (RecordsToDelete) before;
            real.put(
                    key,
                    isVirtual(key) ? RecordsToDelete.beforeOffset(VirtualOffset.real(value.beforeOffset())) : value);
        });
        Object[] translated = arguments.clone();
        translated[0] = real;
        DeleteRecordsResult result = (DeleteRecordsResult) method.invoke(delegate, translated);
        Map<TopicPartition, KafkaFuture<DeletedRecords>> lowWatermarks = new LinkedHashMap<>();
        result.lowWatermarks()
                .forEach((partition, future) -> lowWatermarks.put(
                        partition,
                        isVirtual(partition)
                                ? future.thenApply(
                                        deleted -> new DeletedRecords(VirtualOffset.of(deleted.lowWatermark())))
                                : future));
        return new DeleteRecordsResult(lowWatermarks);
    }

    private Object listOffsets(Method method, Object[] arguments) throws ReflectiveOperationException {
        ListOffsetsResult result = (ListOffsetsResult) method.invoke(delegate, arguments);
        Map<TopicPartition, KafkaFuture<ListOffsetsResultInfo>> offsets = new LinkedHashMap<>();
        for (Object key : ((Map<?, ?>) arguments[0]).keySet()) {
            TopicPartition partition = (TopicPartition) key;
            KafkaFuture<ListOffsetsResultInfo> future = result.partitionResult(partition);
            offsets.put(partition, isVirtual(partition) ? future.thenApply(BlobAdmin::virtual) : future);
        }
        return new ListOffsetsResult(offsets);
    }

    private boolean isVirtual(TopicPartition partition) {
        return topics.matches(partition.topic());
    }

    private static ListOffsetsResultInfo virtual(ListOffsetsResultInfo info) {
        return new ListOffsetsResultInfo(VirtualOffset.of(info.offset()), info.timestamp(), info.leaderEpoch());
    }
}
