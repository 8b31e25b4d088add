package dev.blobshuffle.kafka.internal.position;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * How a position inside a segment is committed: the broker gets the notification's real offset, and
 * the index travels in the commit's metadata as {@code bs1:<offset>+<index>:} before whatever the
 * caller put there (Kafka Streams keeps its stream time in it). A clean position, index 0, leaves
 * the metadata alone, so that native clients and tools see nothing unusual. The broker limits
 * metadata to 4096 bytes by default ({@code offset.metadata.max.bytes}).
 *
 * <p>The offset is the commit's own. Tools that move a commit, or copy it to another cluster, keep
 * its metadata and change its offset. The index belongs to another segment then, and is left out:
 * the position is the segment's start. Stateless.
 */
public final class CommitTranslation {
    private static final String PREFIX = "bs1:";

    private static final Pattern POSITION = Pattern.compile("bs1:(0|[1-9][0-9]{0,18})\\+(0|[1-9][0-9]{0,6}):");

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
        String metadata = isClean ? position.metadata() : PREFIX + real + '+' + index + ':' + position.metadata();
        OffsetAndMetadata translated = new OffsetAndMetadata(real, position.leaderEpoch(), metadata);
        return delivered == null ? translated : delivered.givenUp().in(translated);
    }

    /** What the caller gets for a commit of the broker. */
    public static OffsetAndMetadata toVirtual(OffsetAndMetadata committed) {
        String metadata = GivenUp.without(committed.metadata());
        Matcher ours = POSITION.matcher(metadata);
        if (!ours.lookingAt() || Integer.parseInt(ours.group(2)) > VirtualOffset.LAST) {
            return new OffsetAndMetadata(VirtualOffset.of(committed.offset()), committed.leaderEpoch(), metadata);
        }
        boolean isOwn = ours.group(1).equals(Long.toString(committed.offset()));
        int index = isOwn ? Integer.parseInt(ours.group(2)) : 0;
        return new OffsetAndMetadata(
                VirtualOffset.of(committed.offset(), index), committed.leaderEpoch(), metadata.substring(ours.end()));
    }
}
