package dev.blobshuffle.kafka.internal.membership;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.PartitionRanges;
import dev.blobshuffle.core.zone.Zone;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes the records of the membership topic, which are lines of text that people and
 * tools can read ({@code docs/format.md}, "Membership"). Decoding is total: the result is empty if
 * a record is malformed. It allocates memory in proportion to the record's length. Stateless.
 */
final class PresenceCodec {
    private static final String HEAD = "blobshuffle-member 1";
    private static final Pattern KEY = Pattern.compile("[0-9a-f]{16}");
    private static final Pattern NUMBERS = Pattern.compile("[0-9]{1,9}(-[0-9]{1,9})?");

    /** Brokers accept 1 MiB by default; an instance of ours needs a few KiB. */
    private static final int LONGEST_VALUE = 1 << 20;

    /** Kafka's own bound for the names of topics. */
    private static final int LONGEST_TOPIC = 249;

    /** Limit on the length of zones and endpoints. */
    private static final int LONGEST_WORD = 512;

    private PresenceCodec() {}

    static byte[] key(long id) {
        return "%016x".formatted(id).getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] value(Presence presence) {
        StringBuilder text = new StringBuilder(HEAD).append('\n');
        text.append("zone ").append(presence.zone().name()).append('\n');
        presence.endpoint()
                .ifPresent(endpoint -> text.append("endpoint ").append(endpoint).append('\n'));
        text.append("format ").append(presence.formatVersion()).append('\n');
        presence.combining()
                .ifPresent(words -> text.append("combining ").append(words).append('\n'));
        Map<String, StringBuilder> topics = new LinkedHashMap<>();
        presence.reads().forEach((topic, first, last) -> {
            StringBuilder ranges = topics.computeIfAbsent(topic, unseen -> new StringBuilder());
            ranges.append(ranges.isEmpty() ? "" : ",").append(first);
            if (last > first) {
                ranges.append('-').append(last);
            }
        });
        topics.forEach((topic, ranges) ->
                text.append("reads ").append(ranges).append(' ').append(topic).append('\n'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The id that a key names. */
    static Optional<Long> id(byte @Nullable [] key) {
        String text = key == null ? "" : new String(key, StandardCharsets.US_ASCII);
        return KEY.matcher(text).matches() ? Optional.of(Long.parseUnsignedLong(text, 16)) : Optional.empty();
    }

    /**
     * The member that a value describes; empty if the value has another version or is malformed.
     */
    static Optional<Presence> presence(long id, byte[] value) {
        if (value.length > LONGEST_VALUE) {
            return Optional.empty();
        }
        List<String> lines = new String(value, StandardCharsets.UTF_8).lines().toList();
        if (lines.isEmpty() || !lines.get(0).equals(HEAD)) {
            return Optional.empty();
        }
        try {
            return parse(id, lines.subList(1, lines.size()));
        } catch (IllegalArgumentException | InvalidSettingsException e) {
            return Optional.empty();
        }
    }

    private static Optional<Presence> parse(long id, List<String> lines) {
        Optional<Zone> zone = Optional.empty();
        Optional<Endpoint> endpoint = Optional.empty();
        int format = 1;
        Optional<String> combining = Optional.empty();
        PartitionRanges.Builder reads = new PartitionRanges.Builder();
        for (String line : lines) {
            String[] words = line.split(" ", 2);
            String rest = words.length < 2 ? "" : words[1];
            switch (words[0]) {
                case "zone" -> zone = Optional.of(new Zone(word(rest)));
                case "endpoint" -> endpoint = Optional.of(Endpoint.parse(word(rest)));
                case "format" -> format = Integer.parseInt(rest);
                case "combining" -> combining = Optional.of(word(rest));
                case "reads" -> addPartitions(rest, reads);
                default -> {} // Of a later version.
            }
        }
        Optional<Endpoint> where = endpoint;
        int version = format;
        Optional<String> words = combining;
        return zone.map(known -> new Presence(id, known, where, version, reads.build(), words));
    }

    private static String word(String text) {
        if (text.length() > LONGEST_WORD) {
            throw new IllegalArgumentException("Cannot read a word of " + text.length() + " characters.");
        }
        return text;
    }

    private static void addPartitions(String text, PartitionRanges.Builder reads) {
        int space = text.indexOf(' ');
        String topic = text.substring(space + 1);
        if (topic.length() > LONGEST_TOPIC) {
            throw new IllegalArgumentException("Cannot read a topic of " + topic.length() + " characters.");
        }
        String[] ranges = text.substring(0, Math.max(0, space)).split(",", -1);
        int[] ends = new int[2 * ranges.length];
        for (int i = 0; i < ranges.length; i++) {
            String range = ranges[i];
            if (!NUMBERS.matcher(range).matches()) {
                throw new IllegalArgumentException("Cannot read partitions: '" + range + "'.");
            }
            int hyphen = range.indexOf('-');
            ends[2 * i] = Integer.parseInt(hyphen < 0 ? range : range.substring(0, hyphen));
            ends[2 * i + 1] = Integer.parseInt(range.substring(hyphen + 1));
        }
        reads.add(topic, ends);
    }
}
