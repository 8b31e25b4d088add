package dev.blobshuffle.kstreams.chaos;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.IntegerDeserializer;

/**
 * Evidence of a run with a wrong state: the content of the changelogs, and the instances' logs
 * about them. The values of both stores only grow. So a value that is not above its predecessor in
 * the log marks the place where a store lacked an entry of its changelog. If there is no such
 * place, the changelog itself lacks records. If a key is in two partitions, it went to a task
 * without its state. Stateless.
 */
final class WrongState {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MOST_FALLS = 5;
    private static final int MOST_LINES = 150;
    private static final int LONGEST_LINE = 300;

    /** The log lines of instances about moves and restorations of tasks. */
    private static final Pattern MOVES =
            Pattern.compile("End offset for changelog|Finished restoring|lost due to|being fenced|corrupted|"
                    + "committing|Closed dirty|died|dies");

    private WrongState() {}

    /** One line for each partition of a changelog, and one for each of its first wrong values. */
    static List<String> inChangelogs(String bootstrapServers) {
        List<String> lines = new ArrayList<>();
        for (String isolation : List.of("read_committed", "read_uncommitted")) {
            Map<String, Object> settings = Map.of("bootstrap.servers", bootstrapServers, "isolation.level", isolation);
            try (Consumer<Integer, byte[]> consumer =
                    new KafkaConsumer<>(settings, new IntegerDeserializer(), new ByteArrayDeserializer())) {
                for (String topic : ChaosTopology.CHANGELOGS) {
                    Map<Integer, TopicPartition> homes = new HashMap<>();
                    consumer.partitionsFor(topic, PATIENCE).stream()
                            .map(partition -> new TopicPartition(topic, partition.partition()))
                            .forEach(partition ->
                                    in(partition, consumer, homes).forEach(line -> lines.add(isolation + " " + line)));
                }
            }
        }
        return lines;
    }

    /**
     * The same for one partition.
     *
     * @param homes the partitions of keys that other partitions have; this one's are added
     */
    static List<String> in(
            TopicPartition partition, Consumer<Integer, byte[]> consumer, Map<Integer, TopicPartition> homes) {
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        long end = consumer.endOffsets(List.of(partition), PATIENCE).get(partition);
        Map<Integer, ConsumerRecord<Integer, byte[]>> last = new HashMap<>();
        List<String> falls = new ArrayList<>();
        long records = 0;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (consumer.position(partition) < end && System.nanoTime() < deadline) {
            for (ConsumerRecord<Integer, byte[]> record : consumer.poll(POLL)) {
                ConsumerRecord<Integer, byte[]> before = last.put(record.key(), record);
                TopicPartition home = homes.putIfAbsent(record.key(), partition);
                if (before == null && home != null && !home.equals(partition)) {
                    falls.add(partition + ": key " + record.key() + " of " + home + " is at " + at(record));
                } else if (before != null && value(record) <= value(before)) {
                    falls.add(partition + ": key " + record.key() + " falls from " + at(before) + " to " + at(record));
                }
                records++;
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add(partition + ": " + records + " records up to offset " + consumer.position(partition) + " of " + end
                + ", " + falls.size() + " falls");
        lines.addAll(falls.subList(0, Math.min(MOST_FALLS, falls.size())));
        return lines;
    }

    private static String at(ConsumerRecord<Integer, byte[]> record) {
        return value(record) + " (offset " + record.offset() + ", " + Instant.ofEpochMilli(record.timestamp()) + ")";
    }

    /** A store's value, which may follow a timestamp. */
    private static long value(ConsumerRecord<Integer, byte[]> record) {
        return ByteBuffer.wrap(record.value()).getLong(record.value().length - Long.BYTES);
    }

    /** The last lines of an instance's log about places and restorations of tasks. */
    static List<String> inLog(Path log) throws IOException {
        List<String> moves = Files.readAllLines(log).stream()
                .filter(line -> MOVES.matcher(line).find())
                .map(line -> line.substring(0, Math.min(LONGEST_LINE, line.length())))
                .toList();
        return moves.subList(Math.max(0, moves.size() - MOST_LINES), moves.size());
    }
}
