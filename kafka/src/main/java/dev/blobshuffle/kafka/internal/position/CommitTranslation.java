package dev.blobshuffle.kafka.internal.position;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * How a position inside a segment is committed: the broker gets the notification's real offset, and
 * the index travels in the commit's metadata as {@code bs1:<index>:} before whatever the caller put
 * there (Kafka Streams keeps its stream time in it). A clean position, index 0, leaves the metadata
 * alone, so that native clients and tools see nothing unusual. The broker limits metadata to 4096
 * bytes by default ({@code offset.metadata.max.bytes}). Stateless.
 */
public final class CommitTranslation {
    private static final String PREFIX = "bs1:";

    private CommitTranslation() {}

    /**
     * What the broker gets for a position.
     *
     * @param delivered what this consumer handed out of the partition, which tells that (n, LAST)
     *     of a single record n is n itself; null if nobody knows
     */
    public static OffsetAndMetadata toReal(OffsetAndMetadata position, @Nullable DeliveredRange delivered) {
        long real = VirtualOffset.real(position.offset());
        int index = VirtualOffset.index(position.offset());
        if (index == VirtualOffset.LAST && delivered != null && delivered.isSingle(real)) {
            index = 0;
        }
        // Metadata that looks like ours would be read as an index.
        boolean isClean =
                index == 0 && !position.metadata().startsWith(PREFIX) && !GivenUp.looksLikeOurs(position.metadata());
        String metadata = isClean ? position.metadata() : PREFIX + index + ':' + position.metadata();
        OffsetAndMetadata translated = new OffsetAndMetadata(real, position.leaderEpoch(), metadata);
        return delivered == null ? translated : delivered.givenUp().in(translated);
    }

    /** What the caller gets for a commit of the broker. */
    public static OffsetAndMetadata toVirtual(OffsetAndMetadata committed) {
        String metadata = GivenUp.without(committed.metadata());
        int end = indexEnd(metadata);
        if (end == 0) {
            return new OffsetAndMetadata(VirtualOffset.of(committed.offset()), committed.leaderEpoch(), metadata);
        }
        int index = Integer.parseInt(metadata.substring(PREFIX.length(), end));
        String rest = metadata.substring(end + 1);
        return new OffsetAndMetadata(VirtualOffset.of(committed.offset(), index), committed.leaderEpoch(), rest);
    }

    /** Where the index ends in metadata of ours; 0 for anybody else's. */
    private static int indexEnd(String metadata) {
        if (!metadata.startsWith(PREFIX)) {
            return 0;
        }
        int end = PREFIX.length();
        int index = 0;
        while (end < metadata.length()
                && Character.digit(metadata.charAt(end), 10) >= 0
                && index <= VirtualOffset.LAST) {
            index = index * 10 + Character.digit(metadata.charAt(end), 10);
            end++;
        }
        boolean legal = end > PREFIX.length()
                && end < metadata.length()
                && metadata.charAt(end) == ':'
                && index <= VirtualOffset.LAST;
        return legal ? end : 0;
    }
}
