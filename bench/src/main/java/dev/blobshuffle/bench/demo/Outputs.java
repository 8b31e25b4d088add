package dev.blobshuffle.bench.demo;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The output of a run. The table has the last value of each key. The final windows and the join
 * have the number of times that each result was written, because every write counts there.
 *
 * @param counts last count by word
 * @param minutes number of times each (word, minute, count) was written
 * @param quotations number of times each (word, quotation) was written
 */
record Outputs(Map<String, Long> counts, Map<String, Long> minutes, Map<String, Long> quotations) {
    /** Reads all committed output. */
    static Outputs read(DemoCluster cluster) {
        Map<String, Long> counts = new HashMap<>();
        Map<String, Long> minutes = new HashMap<>();
        Map<String, Long> quotations = new HashMap<>();
        cluster.read(DemoTopology.COUNTS, record -> counts.put(text(record.key()), number(record)));
        cluster.read(
                DemoTopology.MINUTES,
                record -> minutes.merge(text(record.key()) + " = " + number(record), 1L, Long::sum));
        cluster.read(
                DemoTopology.QUOTATIONS,
                record -> quotations.merge(text(record.key()) + " = " + text(record.value()), 1L, Long::sum));
        return new Outputs(counts, minutes, quotations);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static long number(ConsumerRecord<byte[], byte[]> record) {
        return ByteBuffer.wrap(record.value()).getLong();
    }

    /** Number of results of all kinds. */
    long count() {
        return counts.size() + sum(minutes) + sum(quotations);
    }

    private static long sum(Map<String, Long> occurrences) {
        return occurrences.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * The differences of two runs, one line for each, up to a limit.
     *
     * @return an empty list if they are equal
     */
    static List<String> differences(Outputs nativeRun, Outputs blobRun, int limit) {
        List<String> differences = new ArrayList<>();
        compare(DemoTopology.COUNTS + ", value of", nativeRun.counts, blobRun.counts, limit, differences);
        compare(DemoTopology.MINUTES + ", times of", nativeRun.minutes, blobRun.minutes, limit, differences);
        compare(DemoTopology.QUOTATIONS + ", times of", nativeRun.quotations, blobRun.quotations, limit, differences);
        return differences;
    }

    private static void compare(
            String what, Map<String, Long> left, Map<String, Long> right, int limit, List<String> differences) {
        if (left.equals(right)) {
            return;
        }
        TreeSet<String> keys = new TreeSet<>(left.keySet());
        keys.addAll(right.keySet());
        for (String key : keys) {
            if (differences.size() >= limit) {
                return;
            }
            Long one = left.get(key);
            Long other = right.get(key);
            if (!Objects.equals(one, other)) {
                differences.add(what + " \"" + key + "\": native " + (one == null ? "none" : one) + ", BlobShuffle "
                        + (other == null ? "none" : other));
            }
        }
    }
}
