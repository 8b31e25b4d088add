package dev.blobshuffle.kafka.internal.client;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/** The times that a call of {@code listOffsets} queries. Stateless. */
final class AskedTimes {
    private AskedTimes() {}

    /**
     * The times by partition. If the call asks for the latest timestamp, that timestamp is in the
     * broker's answer, so this method waits for it. Partitions without a record at or after their
     * time are left out, and so are partitions with a failed answer.
     *
     * @param specs what the call asks for, by partition
     * @param result the broker's answers
     */
    static Map<TopicPartition, Long> of(Map<TopicPartition, OffsetSpec> specs, ListOffsetsResult result) {
        Map<TopicPartition, Long> times = new HashMap<>();
        specs.forEach((partition, spec) -> {
            if (spec instanceof OffsetSpec.TimestampSpec || spec instanceof OffsetSpec.MaxTimestampSpec) {
                try {
                    var answer = result.partitionResult(partition).get();
                    if (answer.offset() >= 0) {
                        times.put(
                                partition,
                                spec instanceof OffsetSpec.TimestampSpec ? timestamp(spec) : answer.timestamp());
                    }
                } catch (ExecutionException e) {
                    // The partition's own answer reports the failure.
                } catch (InterruptedException e) {
                    throw new InterruptException(e);
                }
            }
        });
        return times;
    }

    /** Kafka's class has no accessor for its time. */
    private static long timestamp(OffsetSpec spec) {
        try {
            Method timestamp = OffsetSpec.TimestampSpec.class.getDeclaredMethod("timestamp");
            timestamp.setAccessible(true);
            return (Long) timestamp.invoke(spec);
        } catch (ReflectiveOperationException e) {
            throw new UnsupportedOperationException(
                    "Cannot list offsets by time: this version of Kafka hides the time. Use offsetsForTimes of a"
                            + " BlobConsumer.",
                    e);
        }
    }
}
