package dev.blobshuffle.kstreams.operator;

import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The value type of the repartition topic: a notification, or the bytes of a value if its batch was
 * inlined or its record has no key. Only {@code repartition} should see it, between the Batcher and
 * the Debatcher of a {@link BlobShuffle}. Immutable.
 */
public final class Shuffled {
    private final Kind kind;
    private final byte @Nullable [] bytes;
    private final Optional<Set<Integer>> partitions;

    private Shuffled(Kind kind, byte @Nullable [] bytes, Optional<Set<Integer>> partitions) {
        this.kind = kind;
        this.bytes = bytes;
        this.partitions = partitions;
    }

    /** The content of the bytes. */
    enum Kind {
        NOTIFICATION,
        PLAIN
    }

    static Shuffled notification(byte[] bytes, int partition) {
        return new Shuffled(Kind.NOTIFICATION, bytes, Optional.of(Set.of(partition)));
    }

    /**
     * A value to send. @param partitions the answer of the {@code StreamPartitioner}: the
     * partitions, or empty for Kafka's default
     */
    static Shuffled plain(byte @Nullable [] bytes, Optional<Set<Integer>> partitions) {
        return new Shuffled(Kind.PLAIN, bytes, partitions);
    }

    /** A value from the topic, where the partition is known. */
    static Shuffled received(Kind kind, byte @Nullable [] bytes) {
        return new Shuffled(kind, bytes, Optional.empty());
    }

    boolean isNotification() {
        return kind == Kind.NOTIFICATION;
    }

    byte @Nullable [] bytes() {
        return bytes;
    }

    Optional<Set<Integer>> partitions() {
        return partitions;
    }

    /** Names the kind, and never shows data. */
    @Override
    public String toString() {
        return kind + " of " + (bytes == null ? 0 : bytes.length) + " bytes";
    }
}
