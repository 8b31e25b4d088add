package dev.blobshuffle.core.internal.owner;

/**
 * An instance, as the owners' protocol sees it.
 *
 * @param cluster the id of its Kafka cluster; for a commit log, {@code log-} and the log's id
 * @param topic its claims topic
 * @param promise the promise of its own settings
 */
public record Member(String cluster, String topic, Promise promise) {
    /** Checks that a register can hold the names. */
    public Member {
        OwnerText.requireName(cluster);
        OwnerText.requireName(topic);
    }
}
