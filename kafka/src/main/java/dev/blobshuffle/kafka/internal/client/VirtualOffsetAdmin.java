package dev.blobshuffle.kafka.internal.client;

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
 * Translates between virtual offsets and those of the broker for topics that shuffle through blobs.
 * A proxy, so that methods of newer Kafka versions pass too. Thread-safe.
 */
public final class VirtualOffsetAdmin implements InvocationHandler {
    private final Admin delegate;
    private final TopicMatcher topics;

    private VirtualOffsetAdmin(Admin delegate, TopicMatcher topics) {
        this.delegate = delegate;
        this.topics = topics;
    }

    /** An admin around a ready one, which it owns: closing it closes the other. */
    public static Admin wrap(Admin delegate, TopicMatcher topics) {
        return (Admin) Proxy.newProxyInstance(
                VirtualOffsetAdmin.class.getClassLoader(),
                new Class<?>[] {Admin.class},
                new VirtualOffsetAdmin(delegate, topics));
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
            offsets.put(partition, isVirtual(partition) ? future.thenApply(VirtualOffsetAdmin::virtual) : future);
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
