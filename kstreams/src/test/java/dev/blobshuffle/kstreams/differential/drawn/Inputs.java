package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kstreams.differential.drawn.Program.Draft;
import dev.blobshuffle.kstreams.differential.drawn.Program.Header;
import dev.blobshuffle.kstreams.differential.drawn.Program.Phase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;

/** Makes the records of a program, which are the same on both sides. */
final class Inputs {
    /**
     * The time of the first record: recent, so that brokers do not delete records for their age.
     */
    static final long START = System.currentTimeMillis()
                    / Duration.ofHours(1).toMillis()
                    * Duration.ofHours(1).toMillis()
            - Duration.ofHours(20).toMillis();

    /** Longer than the time span of the records. */
    static final Duration GRACE = Duration.ofHours(6);

    /** The time of the records that close all windows. */
    static final long CLOSING = START + Duration.ofHours(14).toMillis();

    private static final int LETTERS = 6;
    private static final int STEP = 200;

    private final int partitions;
    private int number;

    Inputs(int partitions) {
        this.partitions = partitions;
    }

    List<ProducerRecord<String, String>> of(Phase phase, String topic) {
        List<ProducerRecord<String, String>> records = new ArrayList<>();
        for (Draft draft : phase.records()) {
            number++;
            String key = draft.key() < 0 ? null : letter(draft.key());
            String value = draft.letter() == '0' ? null : draft.letter() + "-" + number;
            ProducerRecord<String, String> made =
                    new ProducerRecord<>(topic, partition(key), START + number * STEP + draft.offset(), key, value);
            draft.headers().forEach(header -> add(made.headers(), header));
            records.add(made);
        }
        return records;
    }

    /** The content of the global table. */
    List<ProducerRecord<String, String>> globals(String topic) {
        return List.of(
                new ProducerRecord<>(topic, partition("a"), START, "a", "one"),
                new ProducerRecord<>(topic, partition("b"), START, "b", "two"),
                new ProducerRecord<>(topic, partition("d"), START, "d", ""));
    }

    /** Records of all keys that are late enough to close every window. */
    List<ProducerRecord<String, String>> closing(String topic) {
        List<ProducerRecord<String, String>> records = new ArrayList<>();
        for (int i = 0; i < 2 * LETTERS; i++) {
            String key = letter(i);
            records.add(new ProducerRecord<>(
                    topic, partition(key), CLOSING + i, key, letter(i + i / LETTERS) + "-closing" + i));
        }
        return records;
    }

    private static String letter(int index) {
        return String.valueOf((char) ('a' + index % LETTERS));
    }

    private int partition(String key) {
        return key == null ? 0 : Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % partitions;
    }

    private static void add(Headers headers, Header header) {
        switch (header) {
            case TEXT -> headers.add("text", "t".getBytes(StandardCharsets.UTF_8));
            case EMPTY -> headers.add("nothing", new byte[0]);
            case NULL -> headers.add("", null);
            case REPEATED -> headers.add("text", new byte[] {0, 1}).add("text", new byte[] {-1});
        }
    }
}
