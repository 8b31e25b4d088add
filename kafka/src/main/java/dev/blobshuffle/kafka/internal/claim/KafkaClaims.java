package dev.blobshuffle.kafka.internal.claim;

import dev.blobshuffle.core.internal.claim.ClaimCell;
import dev.blobshuffle.core.internal.claim.ClaimSource;
import dev.blobshuffle.core.internal.claim.ClaimText;
import dev.blobshuffle.core.internal.claim.Claimant;
import dev.blobshuffle.core.time.Time;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claims of an application of a Kafka cluster.
 *
 * @param identity the application, and where the brokers are
 */
record KafkaClaims(ClaimIdentity identity, Time time) implements ClaimSource {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaClaims.class);

    @Override
    public Claimant claimant(ClaimCell cell, int fingerprint) throws InterruptedException {
        return new Claimant(
                cell,
                ClaimTopic.cluster(identity.client()),
                topic -> new ClaimTopic(topic, identity, fingerprint, time),
                () -> Claimant.newId(time),
                Claimant.Pauses.growing(time),
                Claimant.KEPT);
    }

    @Override
    public Set<String> lines() {
        return Set.of(identity.topic());
    }

    @Override
    public Optional<Set<String>> linesAfter(RuntimeException failure) {
        if (!ClaimTopic.isDenied(failure)) {
            return Optional.empty();
        }
        LOG.warn(
                "Application '{}' may not use Kafka topic {}: {}. It works, but nothing deletes its blobs."
                        + " Grant its principal Create, Describe, Read and Write on the topic, and restart.",
                identity.application(),
                identity.topic(),
                failure.getMessage());
        return Optional.of(Set.of(ClaimText.NO_TOPIC));
    }
}
