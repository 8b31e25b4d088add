package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.BlobConsumer;

/**
 * The context in which a {@link BlobConsumer} wraps a ready consumer.
 *
 * @param mode the kind of application
 * @param name names the consumer in logs: the client id
 * @param topics the topics that shuffle through blobs
 * @param maxPollRecords most records of blobs that one {@code poll} returns
 *     ({@code max.poll.records})
 * @param pair the stream thread's pair, or {@link ClientPair#alone()}
 * @param membership publishes what the consumer reads
 * @param time its clock
 */
public record ConsumerWiring(
        Mode mode,
        String name,
        TopicMatcher topics,
        int maxPollRecords,
        ClientPair pair,
        Membership membership,
        Time time) {
    /** Checks the count. */
    public ConsumerWiring {
        if (maxPollRecords < 1) {
            throw new IllegalArgumentException(
                    "Cannot wire a consumer: max.poll.records " + maxPollRecords + " must be 1 or more.");
        }
    }
}
