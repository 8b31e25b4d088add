package dev.blobshuffle.kafka.internal.consume;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Wraps an assignor of the application under a name that members without BlobShuffle do not offer.
 * The coordinator of a classic group accepts a member only if it offers a name that all members
 * offer ({@link GroupProtocol} lists the names). Assigns as the application's assignor does.
 *
 * <p>Kafka creates assignors from their class alone, so each place in a list needs its own class.
 * Owned by the consumer's thread.
 */
public abstract class BlobAssignor implements ConsumerPartitionAssignor, Configurable {
    /** Setting of the real consumer: the application's assignors. */
    static final String ASSIGNORS = "blobshuffle.internal.assignors";

    private final String prefix;
    private final int place;
    private @Nullable ConsumerPartitionAssignor delegate;

    BlobAssignor(String prefix, int place) {
        this.prefix = prefix;
        this.place = place;
    }

    @Override
    @SuppressWarnings("unchecked") // GroupProtocol put the list there; Kafka takes names and classes alike
    public void configure(Map<String, ?> configs) {
        List<String> assignors = (List<String>) configs.get(ASSIGNORS);
        if (assignors == null) {
            throw new KafkaException("Cannot use " + getClass().getName() + " as an assignor: only consumers of "
                    + "BlobShuffle do so. Remove it from partition.assignment.strategy.");
        }
        delegate = ConsumerPartitionAssignor.getAssignorInstances(
                        assignors.subList(place, place + 1), (Map<String, Object>) configs)
                .get(0);
    }

    private ConsumerPartitionAssignor delegate() {
        ConsumerPartitionAssignor configured = delegate;
        if (configured == null) {
            throw new IllegalStateException("Cannot assign: the assignor is not configured.");
        }
        return configured;
    }

    @Override
    public String name() {
        return prefix + delegate().name();
    }

    @Override
    public @Nullable ByteBuffer subscriptionUserData(Set<String> topics) {
        return delegate().subscriptionUserData(topics);
    }

    @Override
    public GroupAssignment assign(Cluster metadata, GroupSubscription subscriptions) {
        return delegate().assign(metadata, subscriptions);
    }

    @Override
    public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
        delegate().onAssignment(assignment, metadata);
    }

    @Override
    public List<RebalanceProtocol> supportedProtocols() {
        return delegate().supportedProtocols();
    }

    @Override
    public short version() {
        return delegate().version();
    }

    /** The first assignor of readers. */
    public static final class FirstReader extends BlobAssignor {
        /** Called by Kafka. */
        public FirstReader() {
            super(GroupProtocol.READER, 0);
        }
    }

    /** The second assignor of readers. */
    public static final class SecondReader extends BlobAssignor {
        /** Called by Kafka. */
        public SecondReader() {
            super(GroupProtocol.READER, 1);
        }
    }

    /** The third assignor of readers. */
    public static final class ThirdReader extends BlobAssignor {
        /** Called by Kafka. */
        public ThirdReader() {
            super(GroupProtocol.READER, 2);
        }
    }

    /** The first assignor of readers that do not write blobs. */
    public static final class FirstRolling extends BlobAssignor {
        /** Called by Kafka. */
        public FirstRolling() {
            super(GroupProtocol.ROLLING, 0);
        }
    }

    /** The second assignor of readers that do not write blobs. */
    public static final class SecondRolling extends BlobAssignor {
        /** Called by Kafka. */
        public SecondRolling() {
            super(GroupProtocol.ROLLING, 1);
        }
    }

    /** The third assignor of readers that do not write blobs. */
    public static final class ThirdRolling extends BlobAssignor {
        /** Called by Kafka. */
        public ThirdRolling() {
            super(GroupProtocol.ROLLING, 2);
        }
    }
}
