package dev.blobshuffle.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Where it stands what an application with explicit operators leaves out ({@link GivenUp}). Its own commits have no place for that, because Kafka Streams writes their metadata anew with each; so it
 * stands in those of a group beside the application's, which has no members and reads nothing. Brokers forget it once nobody has changed it for {@code offsets.retention.minutes}, by default a
 * week, and with its topic. Stateless.
 */
public final class SkipGroup {
    private static final String SUFFIX = "-blobshuffle-skipped";

    private SkipGroup() {}

    /** The id of an application's group. */
    public static String of(String application) {
        return application + SUFFIX;
    }

    /**
     * What an application leaves out, by partition. Waits for the brokers.
     *
     * @throws ExecutionException recoverable: the brokers do not tell
     */
    public static Map<TopicPartition, GivenUp> read(Admin admin, String application, Duration timeout)
            throws ExecutionException, InterruptedException {
        ListConsumerGroupOffsetsOptions patience =
                new ListConsumerGroupOffsetsOptions().timeoutMs((int) timeout.toMillis());
        Map<TopicPartition, GivenUp> all = new HashMap<>();
        admin.listConsumerGroupOffsets(of(application), patience)
                .partitionsToOffsetAndMetadata()
                .get()
                .forEach((partition, commit) -> {
                    GivenUp givenUp = commit == null ? GivenUp.NONE : GivenUp.of(commit);
                    if (!givenUp.ranges().isEmpty()) {
                        all.put(partition, givenUp);
                    }
                });
        return all;
    }

    /**
     * Writes what an application leaves out, in the place of what was written for these partitions before.
     *
     * @param commits the application's, with what is given up from there on in their metadata
     * @throws ExecutionException recoverable: the brokers did not take it
     */
    public static void write(Admin admin, String application, Map<TopicPartition, OffsetAndMetadata> commits)
            throws ExecutionException, InterruptedException {
        admin.alterConsumerGroupOffsets(of(application), commits).all().get();
    }
}
