package dev.blobshuffle.kafka.internal.claim;

import dev.blobshuffle.core.internal.claim.OwnerMemory;
import dev.blobshuffle.core.internal.claim.OwnerSource;
import dev.blobshuffle.core.internal.owner.ClaimsTopic;
import dev.blobshuffle.core.internal.owner.Member;
import dev.blobshuffle.core.internal.owner.Step.Remember;
import dev.blobshuffle.core.time.Time;
import java.util.Optional;
import java.util.Set;

/**
 * The claims of an application of a Kafka cluster.
 *
 * @param identity the application and its brokers
 */
public record KafkaClaims(ClaimIdentity identity, Time time) implements OwnerSource {
    @Override
    public Seat seat(int fingerprint) throws InterruptedException {
        String cluster = ClaimTopic.cluster(identity.client());
        return new Seat(new Member(cluster, identity.topic(), identity.promise()), new Topics(fingerprint));
    }

    private final class Topics implements OwnerMemory {
        private final int fingerprint;

        Topics(int fingerprint) {
            this.fingerprint = fingerprint;
        }

        private ClaimTopic topic(String name) {
            return new ClaimTopic(name, identity, fingerprint, time);
        }

        @Override
        public ClaimsTopic read(String topic) throws InterruptedException {
            return topic(topic).owners();
        }

        @Override
        public Optional<String> remember(Remember what) throws InterruptedException {
            return topic(identity.topic()).remember(what);
        }

        @Override
        public void forget(long before, Set<String> kept) throws InterruptedException {
            topic(identity.topic()).forget(before, kept);
        }
    }
}
