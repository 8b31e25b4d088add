package dev.blobshuffle.kafka.membership;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.format.Partition;
import dev.blobshuffle.core.membership.Endpoint;
import dev.blobshuffle.core.zone.Zone;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The records of the membership topic as {@code docs/format.md}, "Membership", describes them: lines of text, which people and tools can read. Decoding is total: whatever
 * cannot be understood is empty, since what others tell is a hint. Stateless.
 */
final class PresenceCodec {
    private static final String HEAD = "blobshuffle-member 1";
    private static final Pattern KEY = Pattern.compile("[0-9a-f]{16}");
    private static final Pattern NUMBERS = Pattern.compile("[0-9]{1,9}(-[0-9]{1,9})?");

    /** Kafka has fewer partitions per broker: more are no sign of an instance of ours. */
    private static final int MOST_PARTITIONS = 1_000_000;

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
        Map<String, TreeSet<Integer>> topics = new TreeMap<>();
        for (Partition partition : presence.reads()) {
            topics.computeIfAbsent(partition.topic(), topic -> new TreeSet<>()).add(partition.number());
        }
        topics.forEach((topic, numbers) -> text.append("reads ")
                .append(ranges(numbers))
                .append(' ')
                .append(topic)
                .append('\n'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Numbers as ranges: {@code 0,3,5-9}. */
    private static String ranges(TreeSet<Integer> numbers) {
        StringBuilder text = new StringBuilder();
        Integer next = numbers.first();
        while (next != null) {
            int first = next;
            int last = first;
            next = numbers.higher(last);
            while (next != null && next == last + 1) {
                last = next;
                next = numbers.higher(last);
            }
            text.append(text.isEmpty() ? "" : ",").append(first);
            if (last > first) {
                text.append('-').append(last);
            }
        }
        return text.toString();
    }

    /** The id that a key names. */
    static Optional<Long> id(byte @Nullable [] key) {
        String text = key == null ? "" : new String(key, StandardCharsets.US_ASCII);
        return KEY.matcher(text).matches() ? Optional.of(Long.parseUnsignedLong(text, 16)) : Optional.empty();
    }

    /** What a value tells of a member; empty if it is of another version, or not of ours. */
    static Optional<Presence> presence(long id, byte[] value) {
        List<String> lines = new String(value, StandardCharsets.UTF_8).lines().toList();
        if (lines.isEmpty() || !lines.get(0).equals(HEAD)) {
            return Optional.empty();
        }
        try {
            return parse(id, lines.subList(1, lines.size()));
        } catch (IllegalArgumentException | InvalidSettings e) {
            return Optional.empty();
        }
    }

    private static Optional<Presence> parse(long id, List<String> lines) {
        Optional<Zone> zone = Optional.empty();
        Optional<Endpoint> endpoint = Optional.empty();
        int format = 1;
        Set<Partition> reads = new HashSet<>();
        for (String line : lines) {
            String[] words = line.split(" ", 2);
            String rest = words.length < 2 ? "" : words[1];
            switch (words[0]) {
                case "zone" -> zone = Optional.of(new Zone(rest));
                case "endpoint" -> endpoint = Optional.of(Endpoint.parse(rest));
                case "format" -> format = Integer.parseInt(rest);
                case "reads" -> addPartitions(rest, reads);
                default -> {} // Of a later version.
            }
        }
        Optional<Endpoint> where = endpoint;
        int version = format;
        return zone.map(known -> new Presence(id, known, where, version, reads));
    }

    private static void addPartitions(String text, Set<Partition> reads) {
        int space = text.indexOf(' ');
        String topic = text.substring(space + 1);
        for (String range : text.substring(0, Math.max(0, space)).split(",", -1)) {
            if (!NUMBERS.matcher(range).matches()) {
                throw new IllegalArgumentException("Cannot read partitions: '" + range + "'.");
            }
            int hyphen = range.indexOf('-');
            int first = Integer.parseInt(hyphen < 0 ? range : range.substring(0, hyphen));
            int last = Integer.parseInt(range.substring(hyphen + 1));
            if (last - first >= MOST_PARTITIONS - reads.size()) {
                throw new IllegalArgumentException("Cannot read partitions: '" + range + "' are too many.");
            }
            for (int number = first; number <= last; number++) {
                reads.add(new Partition(topic, number));
            }
        }
    }
}
