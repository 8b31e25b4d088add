package dev.blobshuffle.kafka.internal.position;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * Notifications of a partition that a group leaves out when it comes to them, because somebody has
 * said so ({@code blobshuffle skip}): their blobs are gone for good. They travel in the metadata of
 * the group's commit, as {@code bsg:<offset>:<from>-<to>,…:} before everything else there, and each
 * later commit carries on those that lie before it; those of explicit operators in the commits of a
 * group beside it ({@link SkipGroup}). The offset is the commit's own: a commit that a tool has
 * moved, or copied to another cluster, gives nothing up. Immutable.
 *
 * @param ranges half-open ranges of real offsets, in order
 */
public record GivenUp(List<Range> ranges) {
    /** Nothing. */
    public static final GivenUp NONE = new GivenUp(List.of());

    private static final String PREFIX = "bsg:";

    /** Brokers take 4096 characters of metadata by default, and others write some too. */
    private static final int MOST_CHARACTERS = 3000;

    /** Copies the ranges. */
    public GivenUp {
        ranges = List.copyOf(ranges);
    }

    /**
     * Offsets that lie side by side.
     *
     * @param from the first
     * @param to the first behind
     */
    public record Range(long from, long to) {
        /** Checks that it holds something. */
        public Range {
            if (from < 0 || to <= from) {
                throw new IllegalArgumentException("Cannot give up offsets " + from + " to " + to + ".");
            }
        }
    }

    /** What a commit says. */
    public static GivenUp of(OffsetAndMetadata committed) {
        String metadata = committed.metadata();
        int end = end(metadata);
        boolean isOwn = end > 0 && metadata.startsWith(PREFIX + committed.offset() + ":");
        return isOwn ? new GivenUp(parse(metadata, end)) : NONE;
    }

    /** Metadata without what is given up. */
    static String without(String metadata) {
        int end = end(metadata);
        return end == 0 ? metadata : metadata.substring(end + 1);
    }

    /** Whether metadata begins as ours does. */
    static boolean looksLikeOurs(String metadata) {
        return metadata.startsWith(PREFIX);
    }

    private static int end(String metadata) {
        int start = start(metadata);
        int end = start > 0 ? metadata.indexOf(':', start) : -1;
        return end < 0 || parse(metadata, end).isEmpty() ? 0 : end;
    }

    /** Where the ranges begin; 0 if it is not of this form. */
    private static int start(String metadata) {
        int colon = looksLikeOurs(metadata) ? metadata.indexOf(':', PREFIX.length()) : -1;
        boolean hasOffset = colon > PREFIX.length()
                && metadata.substring(PREFIX.length(), colon).chars().allMatch(each -> each >= '0' && each <= '9');
        return hasOffset ? colon + 1 : 0;
    }

    /** Empty if they are not of this form. */
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
     * A commit of a real offset that also says what is given up from there on. Ranges that find no
     * room are left out; their blobs will be missed again.
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

    /** Whether all of it lies before an offset. */
    boolean isBefore(long offset) {
        return ranges.stream().allMatch(range -> range.to() <= offset);
    }

    /** Whether the notification of an offset is given up. */
    public boolean contains(long offset) {
        for (Range range : ranges) {
            if (offset >= range.from() && offset < range.to()) {
                return true;
            }
        }
        return false;
    }
}
