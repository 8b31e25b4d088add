package dev.blobshuffle.kstreams.operator;

import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What goes through the repartition topic in place of a value: a notification, or, where a batch
 * was inlined or a record has no key, the bytes of the value itself. Between the Batcher and the
 * Debatcher of a {@link BlobShuffle} nothing but {@code repartition} should see it. Immutable.
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

    /** What the bytes are. */
    enum Kind {
        NOTIFICATION,
        PLAIN
    }

    static Shuffled notification(byte[] bytes, int partition) {
        return new Shuffled(Kind.NOTIFICATION, bytes, Optional.of(Set.of(partition)));
    }

    /**
     * A value on its way out. @param partitions as {@code StreamPartitioner} answers: where it
     * goes, or empty for Kafka's default
     */
    static Shuffled plain(byte @Nullable [] bytes, Optional<Set<Integer>> partitions) {
        return new Shuffled(Kind.PLAIN, bytes, partitions);
    }

    /** As it came from the topic, where the partition is known. */
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

    /** Says what it is, and never shows data. */
    @Override
    public String toString() {
        return kind + " of " + (bytes == null ? 0 : bytes.length) + " bytes";
    }
}
