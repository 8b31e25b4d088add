package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DeleteRecordsResult;
import org.apache.kafka.clients.admin.DeletedRecords;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Translates an admin's calls between virtual and real offsets for topics that shuffle through
 * blobs. It is a proxy, so it also passes on methods of newer Kafka versions. Thread-safe.
 */
public final class VirtualOffsetAdmin implements InvocationHandler {
    private final Admin delegate;
    private final TopicMatcher topics;
    private final @Nullable RecordFinder finder;

    private VirtualOffsetAdmin(Admin delegate, TopicMatcher topics, @Nullable RecordFinder finder) {
        this.delegate = delegate;
        this.topics = topics;
        this.finder = finder;
    }

    /** Finds the first record of each partition at or after a time, in virtual offsets. Blocks. */
    public interface RecordFinder {
        /**
         * The results, without partitions that have no such record.
         *
         * @param isolation governs which records count
         */
        Map<TopicPartition, OffsetAndTimestamp> find(Map<TopicPartition, Long> times, IsolationLevel isolation);
    }

    /**
     * Wraps an admin, and owns it: closing the wrapper closes the admin. Answers about times are
     * the start of the record's segment.
     */
    public static Admin wrap(Admin delegate, TopicMatcher topics) {
        return proxy(new VirtualOffsetAdmin(delegate, topics, null));
    }

    /** As {@link #wrap(Admin, TopicMatcher)}, but answers about times are exact. */
    public static Admin wrap(Admin delegate, TopicMatcher topics, RecordFinder finder) {
        return proxy(new VirtualOffsetAdmin(delegate, topics, finder));
    }

    private static Admin proxy(VirtualOffsetAdmin admin) {
        return (Admin)
                Proxy.newProxyInstance(VirtualOffsetAdmin.class.getClassLoader(), new Class<?>[] {Admin.class}, admin);
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        try {
            return switch (method.getName()) {
                case "deleteRecords" -> deleteRecords(method, arguments);
                case "listOffsets" -> listOffsets(method, arguments);
                case "alterConsumerGroupOffsets" -> alterGroup(method, arguments);
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
     * Deletes the records before a virtual offset: everything before its notification. The
     * notification stays until none of its records is needed.
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
        Map<TopicPartition, OffsetSpec> virtual = new HashMap<>();
        ((Map<?, ?>) arguments[0]).forEach((key, spec) -> {
            TopicPartition partition = (TopicPartition) key;
            KafkaFuture<ListOffsetsResultInfo> future = result.partitionResult(partition);
            if (isVirtual(partition)) {
                virtual.put(partition, (OffsetSpec) spec);
                future = future.thenApply(VirtualOffsetAdmin::virtual);
            }
            offsets.put(partition, future);
        });
        if (finder != null) {
            boolean hasOptions = arguments.length > 1 && arguments[1] instanceof ListOffsetsOptions;
            offsets.putAll(exact(
                    finder,
                    AskedTimes.of(virtual, result),
                    hasOptions
                            ? ((ListOffsetsOptions) arguments[1]).isolationLevel()
                            : IsolationLevel.READ_UNCOMMITTED));
        }
        return new ListOffsetsResult(offsets);
    }

    /** The answers about times. If the lookup fails, every answer has that failure. */
    private static Map<TopicPartition, KafkaFuture<ListOffsetsResultInfo>> exact(
            RecordFinder finder, Map<TopicPartition, Long> times, IsolationLevel isolation) {
        Map<TopicPartition, KafkaFuture<ListOffsetsResultInfo>> answers = new HashMap<>();
        if (times.isEmpty()) {
            return answers;
        }
        Map<TopicPartition, OffsetAndTimestamp> found;
        try {
            found = finder.find(times, isolation);
        } catch (RuntimeException e) {
            KafkaFuture<ListOffsetsResultInfo> failed = KafkaFuture.completedFuture(times)
                    .thenApply(asked -> {
                        throw e;
                    });
            times.keySet().forEach(partition -> answers.put(partition, failed));
            return answers;
        }
        times.keySet().forEach(partition -> {
            OffsetAndTimestamp at = found.get(partition);
            answers.put(
                    partition,
                    KafkaFuture.completedFuture(
                            at == null
                                    ? new ListOffsetsResultInfo(-1, -1, Optional.empty())
                                    : new ListOffsetsResultInfo(at.offset(), at.timestamp(), at.leaderEpoch())));
        });
        return answers;
    }

    /**
     * Offsets of groups are real. A virtual one lies beyond the end, so the group would start where
     * {@code auto.offset.reset} says, and could miss records.
     */
    private Object alterGroup(Method method, Object[] arguments) throws ReflectiveOperationException {
        Map<TopicPartition, Long> large = new HashMap<>();
        ((Map<?, ?>) arguments[1]).forEach((key, commit) -> {
            TopicPartition partition = (TopicPartition) key;
            long offset = ((OffsetAndMetadata) commit).offset();
            if (isVirtual(partition) && offset > VirtualOffset.LAST) {
                large.put(partition, offset);
            }
        });
        if (!large.isEmpty()) {
            Map<TopicPartition, Long> ends = ends(large.keySet());
            large.forEach((partition, offset) -> requireReal(partition, offset, ends.get(partition)));
        }
        return method.invoke(delegate, arguments);
    }

    private static void requireReal(TopicPartition partition, long offset, @Nullable Long end) {
        if (end != null && offset > end) {
            throw new IllegalArgumentException("Cannot commit offset " + offset + " of " + partition + ": it ends at "
                    + end + ". Offsets of groups are real, and those of listOffsets and of a BlobConsumer virtual."
                    + " Seek with a BlobConsumer of the group and commit, or pass "
                    + VirtualOffset.real(offset) + ", the offset of its notification.");
        }
    }

    /** The ends of partitions, in real offsets; empty if the brokers do not answer. */
    private Map<TopicPartition, Long> ends(Set<TopicPartition> partitions) {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        partitions.forEach(partition -> latest.put(partition, OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        try {
            delegate.listOffsets(latest).all().get().forEach((partition, info) -> ends.put(partition, info.offset()));
        } catch (ExecutionException e) {
            return Map.of(); // The change itself then reports what is wrong.
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
        return ends;
    }

    private boolean isVirtual(TopicPartition partition) {
        return topics.matches(partition.topic());
    }

    private static ListOffsetsResultInfo virtual(ListOffsetsResultInfo info) {
        return new ListOffsetsResultInfo(VirtualOffset.of(info.offset()), info.timestamp(), info.leaderEpoch());
    }
}
