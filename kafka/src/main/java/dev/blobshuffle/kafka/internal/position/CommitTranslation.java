package dev.blobshuffle.kafka.internal.position;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Translates between positions inside a segment and commits of the broker. A commit has the
 * notification's real offset. The index is in the commit's metadata, as
 * {@code bs1:<offset>+<index>:} before the caller's own metadata (Kafka Streams keeps its stream
 * time there). For index 0 the metadata stays as it is, so native clients and tools see a normal
 * commit. The broker limits metadata to 4096 bytes by default ({@code offset.metadata.max.bytes}).
 *
 * <p>The offset in the metadata repeats the commit's own offset. Tools that move a commit, or copy
 * it to another cluster, keep the metadata but change the offset. Then the index belongs to another
 * segment and is ignored: the position is the segment's start. Stateless.
 */
public final class CommitTranslation {
    private static final String PREFIX = "bs1:";

    private static final Pattern POSITION = Pattern.compile("bs1:(0|[1-9][0-9]{0,18})\\+(0|[1-9][0-9]{0,6}):");

    private CommitTranslation() {}

    /**
     * The commit to send to the broker for a position.
     *
     * @param delivered the records that this consumer returned from the partition; it shows whether
     *     the segment at n has a single record, so that (n, LAST) is n itself. Null if unknown.
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

    /** The position for the caller, from a commit of the broker. */
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
