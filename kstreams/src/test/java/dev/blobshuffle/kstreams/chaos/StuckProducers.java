package dev.blobshuffle.kstreams.chaos;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.internals.Sender;
import org.jspecify.annotations.Nullable;

/**
 * Shows what the Kafka producers of this process wait for, from their private fields: the
 * transaction's state, the I/O thread's requests in flight, and every incomplete batch. For a stuck
 * run, in which a stack shows that a thread waits in {@code KafkaProducer.flush()}, but not why.
 * Needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}.
 */
final class StuckProducers {
    private StuckProducers() {}

    /** A line for each producer, and one for each of its incomplete batches. */
    static List<String> describe() {
        List<String> lines = new ArrayList<>();
        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("kafka-producer-network-thread"))
                .forEach(thread -> {
                    try {
                        describe(thread, lines);
                    } catch (ReflectiveOperationException | RuntimeException e) {
                        lines.add(thread.getName() + ": cannot be read, " + e);
                    }
                });
        return lines;
    }

    private static void describe(Thread thread, List<String> lines) throws ReflectiveOperationException {
        if (!(runnable(thread) instanceof Sender sender)) {
            return;
        }
        Object transaction = field(sender, "transactionManager");
        Object client = field(sender, "client");
        Object accumulator = field(sender, "accumulator");
        lines.add(thread.getName()
                + " transaction: state " + field(transaction, "currentState")
                + ", in flight " + field(transaction, "inFlightRequestCorrelationId")
                + ", pending " + field(transaction, "pendingRequests")
                + ", last error " + field(transaction, "lastError")
                + ", producer " + field(transaction, "producerIdAndEpoch")
                + ", new partitions " + field(transaction, "newPartitionsInTransaction")
                + ", pending partitions " + field(transaction, "pendingPartitionsInTransaction")
                + ", unresolved sequences " + field(transaction, "partitionsWithUnresolvedSequences")
                + ", partitions " + field(transaction, "partitionsInTransaction")
                + ", coordinator " + field(transaction, "transactionCoordinator")
                + "; requests in flight " + call(client, "inFlightRequestCount")
                + "; batches in flight " + field(sender, "inFlightBatches")
                + "; flushes " + field(accumulator, "flushesInProgress"));
        Object incomplete = field(accumulator, "incomplete");
        for (Object batch : (Collection<?>) call(incomplete, "copyAll")) {
            lines.add(thread.getName() + " incomplete: " + batch
                    + ", created " + field(batch, "createdMs")
                    + ", attempts " + field(batch, "attempts")
                    + ", final state " + field(batch, "finalState")
                    + ", last attempt " + field(batch, "lastAttemptMs")
                    + ", in retry " + field(batch, "retry"));
        }
        lines.add(thread.getName() + " stack: "
                + Arrays.stream(thread.getStackTrace()).limit(12).toList());
        Object topics = field(accumulator, "topicInfoMap");
        for (Map.Entry<?, ?> topic : ((Map<?, ?>) topics).entrySet()) {
            lines.add(thread.getName() + " queued: " + topic.getKey() + " " + field(topic.getValue(), "batches"));
        }
        lines.add(thread.getName() + " now " + System.currentTimeMillis());
    }

    private static @Nullable Object runnable(Thread thread) throws ReflectiveOperationException {
        try {
            return field(thread, Thread.class, "target");
        } catch (NoSuchFieldException e) { // JDK 19 and newer
            Object holder = field(thread, Thread.class, "holder");
            return holder == null ? null : field(holder, "task");
        }
    }

    private static @Nullable Object field(@Nullable Object owner, String name) throws ReflectiveOperationException {
        return owner == null ? null : field(owner, owner.getClass(), name);
    }

    private static @Nullable Object field(Object owner, Class<?> type, String name)
            throws ReflectiveOperationException {
        Class<?> at = type;
        while (at != null) {
            for (Field field : at.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field.get(owner);
                }
            }
            at = at.getSuperclass();
        }
        throw new NoSuchFieldException(type + "." + name);
    }

    private static @Nullable Object call(Object owner, String name) throws ReflectiveOperationException {
        for (Method method : owner.getClass().getDeclaredMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == 0) {
                method.setAccessible(true);
                return method.invoke(owner);
            }
        }
        throw new NoSuchMethodException(owner.getClass() + "." + name);
    }
}
