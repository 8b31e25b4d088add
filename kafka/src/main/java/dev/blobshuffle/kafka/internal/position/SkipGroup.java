package dev.blobshuffle.kafka.internal.position;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * The consumer group that stores which notifications an application with explicit operators skips
 * ({@link GivenUp}). The application's own group cannot store them, because Kafka Streams
 * overwrites the metadata with each commit. So a second group, without members, keeps them in its
 * commits. Brokers delete the group's offsets {@code offsets.retention.minutes} after the last
 * write (by default a week), or with the topic. So the application rewrites them while it may still
 * need them ({@link #renew}). Stateless.
 */
public final class SkipGroup {
    private static final String SUFFIX = "-blobshuffle-skipped";

    private SkipGroup() {}

    /** The id of an application's group. */
    public static String of(String application) {
        return application + SUFFIX;
    }

    /**
     * The notifications that an application skips, by partition. Waits for the brokers.
     *
     * @throws ExecutionException recoverable: the brokers do not answer
     */
    public static Map<TopicPartition, GivenUp> read(Admin admin, String application, Duration timeout)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, GivenUp> all = new HashMap<>();
        commits(admin, of(application), timeout).forEach((partition, commit) -> {
            GivenUp givenUp = GivenUp.of(commit);
            if (!givenUp.ranges().isEmpty()) {
                all.put(partition, givenUp);
            }
        });
        return all;
    }

    private static Map<TopicPartition, OffsetAndMetadata> commits(Admin admin, String group, Duration timeout)
            throws ExecutionException, InterruptedException {
        ListConsumerGroupOffsetsOptions patience =
                new ListConsumerGroupOffsetsOptions().timeoutMs((int) timeout.toMillis());
        Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>(admin.listConsumerGroupOffsets(group, patience)
                .partitionsToOffsetAndMetadata()
                .get());
        commits.values().removeIf(commit -> commit == null);
        return commits;
    }

    /**
     * Rewrites the commits of the partitions in which the application has not passed all given-up
     * notifications, so that their retention time starts again. The other commits are left to
     * expire.
     *
     * @return whether commits were rewritten. If not, the application need not ask again: an
     *     operator gives up more notifications only while the application is stopped.
     * @throws ExecutionException recoverable: the brokers did not answer, or refused the write
     */
    public static boolean renew(Admin admin, String application, Duration timeout)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> noted = commits(admin, of(application), timeout);
        noted.values().removeIf(commit -> GivenUp.of(commit).ranges().isEmpty());
        if (noted.isEmpty()) {
            return false;
        }
        Map<TopicPartition, OffsetAndMetadata> own = commits(admin, application, timeout);
        noted.entrySet().removeIf(note -> {
            OffsetAndMetadata reached = own.get(note.getKey());
            return reached != null && GivenUp.of(note.getValue()).isBefore(reached.offset());
        });
        if (!noted.isEmpty()) {
            write(admin, application, noted);
        }
        return !noted.isEmpty();
    }

    /**
     * Replaces the stored notifications of the given partitions.
     *
     * @param commits the application's commits, with the notifications ahead of them in the
     *     metadata
     * @throws ExecutionException recoverable: the brokers refused the write
     */
    public static void write(Admin admin, String application, Map<TopicPartition, OffsetAndMetadata> commits)
            throws ExecutionException, InterruptedException {
        admin.alterConsumerGroupOffsets(of(application), commits).all().get();
    }
}
