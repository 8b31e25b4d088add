package dev.blobshuffle.cli.skip;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kafka.internal.log.MissingBlobs;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;

/**
 * Offsets that the user specified, as {@code PARTITION:OFFSET} or {@code PARTITION:FIRST-LAST}.
 *
 * @param ranges the specified ranges
 */
record NamedOffsets(List<Range> ranges) implements MissingBlobs.Named {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,9}):(\\d{1,18})(?:-(\\d{1,18}))?");

    NamedOffsets {
        ranges = List.copyOf(ranges);
    }

    /**
     * Offsets of one partition, including both ends.
     *
     * @param partition its number
     * @param first offset
     * @param last offset
     */
    record Range(int partition, long first, long last) {}

    /** @throws InvalidSettingsException a text is not of this form */
    static NamedOffsets parse(List<String> texts) {
        return new NamedOffsets(texts.stream().map(NamedOffsets::range).toList());
    }

    private static Range range(String text) {
        Matcher matcher = RANGE.matcher(text);
        if (matcher.matches()) {
            long first = Long.parseLong(matcher.group(2));
            long last = matcher.group(3) == null ? first : Long.parseLong(matcher.group(3));
            if (first <= last) {
                return new Range(Integer.parseInt(matcher.group(1)), first, last);
            }
        }
        throw new InvalidSettingsException("Cannot skip: --offsets has " + text
                + ". Give PARTITION:OFFSET or PARTITION:FIRST-LAST, for example 0:17 or 0:17-20.");
    }

    @Override
    public boolean contains(TopicPartition partition, long offset) {
        return ranges.stream()
                .anyMatch(range ->
                        range.partition == partition.partition() && offset >= range.first && offset <= range.last);
    }
}
