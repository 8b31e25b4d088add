package dev.blobshuffle.kafka.internal.position;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * The notifications of a partition that a group skips because an operator gave them up
 * ({@code blobshuffle skip}): their blobs are gone for good. They are stored in the metadata of the
 * group's commit, as {@code bsg:<offset>:<from>-<to>,…:} before all other metadata. Each later
 * commit keeps the ranges that are still ahead of it. For explicit operators the ranges are in the
 * commits of a separate group ({@link SkipGroup}). The offset in the metadata repeats the commit's
 * own offset. If a tool has moved the commit or copied it to another cluster, the two differ and
 * nothing is given up. Immutable.
 *
 * @param ranges half-open ranges of real offsets, in order
 */
public record GivenUp(List<Range> ranges) {
    /** No notifications. */
    public static final GivenUp NONE = new GivenUp(List.of());

    private static final String PREFIX = "bsg:";

    /**
     * Brokers accept 4096 characters of metadata by default, and other writers use some of them.
     */
    private static final int MOST_CHARACTERS = 3000;

    /** Copies the ranges. */
    public GivenUp {
        ranges = List.copyOf(ranges);
    }

    /**
     * A half-open range of offsets.
     *
     * @param from the first offset
     * @param to the offset after the last
     */
    public record Range(long from, long to) {
        /** Checks that the range is not empty. */
        public Range {
            if (from < 0 || to <= from) {
                throw new IllegalArgumentException("Cannot give up offsets " + from + " to " + to + ".");
            }
        }
    }

    /** The ranges in a commit's metadata. */
    public static GivenUp of(OffsetAndMetadata committed) {
        String metadata = committed.metadata();
        int end = end(metadata);
        boolean isOwn = end > 0 && metadata.startsWith(PREFIX + committed.offset() + ":");
        return isOwn ? new GivenUp(parse(metadata, end)) : NONE;
    }

    /** Removes the ranges from metadata. */
    static String without(String metadata) {
        int end = end(metadata);
        return end == 0 ? metadata : metadata.substring(end + 1);
    }

    /** Whether metadata begins like ours. */
    static boolean looksLikeOurs(String metadata) {
        return metadata.startsWith(PREFIX);
    }

    private static int end(String metadata) {
        int start = start(metadata);
        int end = start > 0 ? metadata.indexOf(':', start) : -1;
        return end < 0 || parse(metadata, end).isEmpty() ? 0 : end;
    }

    /** The index at which the ranges begin; 0 if the metadata has another form. */
    private static int start(String metadata) {
        int colon = looksLikeOurs(metadata) ? metadata.indexOf(':', PREFIX.length()) : -1;
        boolean hasOffset = colon > PREFIX.length()
                && metadata.substring(PREFIX.length(), colon).chars().allMatch(each -> each >= '0' && each <= '9');
        return hasOffset ? colon + 1 : 0;
    }

    /** The ranges; empty if the metadata has another form. */
    private static List<Range> parse(String metadata, int end) {
        List<Range> ranges = new ArrayList<>();
        try {
            for (String range : metadata.substring(start(metadata), end).split(",", -1)) {
                int dash = range.indexOf('-');
                if (dash < 1) {
                    return List.of();
                }
                ranges.add(
                        new Range(Long.parseLong(range.substring(0, dash)), Long.parseLong(range.substring(dash + 1))));
            }
        } catch (IllegalArgumentException e) {
            return List.of();
        }
        return ranges;
    }

    /**
     * A commit of a real offset with the ranges that are ahead of it in its metadata. Ranges that
     * do not fit are dropped; readers will then stop at them again.
     */
    public OffsetAndMetadata in(OffsetAndMetadata commit) {
        List<Range> ahead = new ArrayList<>();
        int length = 0;
        for (Range range : ranges) {
            int more = text(range).length() + 1;
            if (range.to() > commit.offset() && length + more <= MOST_CHARACTERS) {
                ahead.add(range);
                length += more;
            }
        }
        String metadata = without(commit.metadata());
        String all = ahead.isEmpty()
                ? metadata
                : ahead.stream()
                                .map(GivenUp::text)
                                .collect(Collectors.joining(",", PREFIX + commit.offset() + ":", ":"))
                        + metadata;
        return new OffsetAndMetadata(commit.offset(), commit.leaderEpoch(), all);
    }

    private static String text(Range range) {
        return range.from() + "-" + range.to();
    }

    /** Whether all ranges lie before an offset. */
    boolean isBefore(long offset) {
        return ranges.stream().allMatch(range -> range.to() <= offset);
    }

    /** Whether the notification at an offset is given up. */
    public boolean contains(long offset) {
        for (Range range : ranges) {
            if (offset >= range.from() && offset < range.to()) {
                return true;
            }
        }
        return false;
    }
}
