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
 * Where it stands what an application with explicit operators leaves out ({@link GivenUp}). Its own
 * commits have no place for that, because Kafka Streams writes their metadata anew with each; so it
 * stands in those of a group beside the application's, which has no members and reads nothing.
 * Brokers forget it once nobody has written it for {@code offsets.retention.minutes}, by default a
 * week, and with its topic; so the application writes it anew while it may need it
 * ({@link #renew}). Stateless.
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
     * Writes anew, as it stands, what lies before an application that leaves it out, so that
     * brokers count its time from now on. What the application has passed is left to be forgotten.
     *
     * @return whether there was any: if not, there will be none until somebody gives up more, for
     *     which the application is stopped
     * @throws ExecutionException recoverable: the brokers did not tell, or did not take it
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
     * Writes what an application leaves out, in the place of what was written for these partitions
     * before.
     *
     * @param commits the application's, with what is given up from there on in their metadata
     * @throws ExecutionException recoverable: the brokers did not take it
     */
    public static void write(Admin admin, String application, Map<TopicPartition, OffsetAndMetadata> commits)
            throws ExecutionException, InterruptedException {
        admin.alterConsumerGroupOffsets(of(application), commits).all().get();
    }
}
