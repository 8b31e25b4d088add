package dev.blobshuffle.core.internal.owner;

/**
 * An instance, as far as the protocol goes.
 *
 * @param cluster the id of its Kafka cluster; of a commit log, {@code log-} and its id
 * @param topic its claims topic
 * @param promise what its own settings promise
 */
public record Member(String cluster, String topic, Promise promise) {
    /** Checks that a register can hold the names. */
    public Member {
        OwnerText.requireName(cluster);
        OwnerText.requireName(topic);
    }
}
