package dev.blobshuffle.kstreams.differential;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * The input of a differential run: the same records for the same seed. It has phases. Each phase
 * must pass through the topology before the next one starts, because results depend on it: the
 * tables are loaded before the streams that join them, and windows close after all their records.
 */
public final class Workload {
    /**
     * The time of the first event: the same for all runs of a JVM, and recent, so that brokers do
     * not delete records for their age. Timestamps derive from it and never from a clock.
     */
    public static final long START =
            System.currentTimeMillis() - Duration.ofHours(2).toMillis();

    private static final long STEP_MS = 10;
    private static final long DISORDER_MS = 2_000;
    private static final int CLOSERS = 64;
    private static final long CLOSING_MS = 3_600_000;

    private final Topics topics;
    private final int events;
    private final int users;
    private final int keys;
    private final int products;
    private final int orders;
    private final Random random;

    /**
     * A workload with a number of events, half as many clicks and a fifth as many changes of
     * orders.
     */
    public Workload(Topics topics, int events, long seed) {
        this.topics = topics;
        this.events = events;
        this.users = Math.max(5, events / 30);
        this.keys = Math.max(10, events / 15);
        this.products = Math.max(5, events / 150);
        this.orders = Math.max(20, events / 10);
        this.random = new Random(seed);
    }

    /** The phases, each in the order of writing. */
    public List<List<Input>> phases() {
        return List.of(tables(), streams(), closers());
    }

    private List<Input> tables() {
        List<Input> phase = new ArrayList<>();
        IntStream.range(0, users)
                .forEach(i -> phase.add(input(topics.users(), "u" + i, "name-" + i, START - 1000 + i)));
        IntStream.range(0, products)
                .forEach(i -> phase.add(input(topics.products(), "p" + i, "thing-" + i, START - 1000 + i)));
        IntStream.range(0, orders).forEach(i -> phase.add(input(topics.orders(), "o" + i, order(), START - 1000 + i)));
        return phase;
    }

    private List<Input> streams() {
        List<Input> phase = new ArrayList<>();
        for (int i = 0; i < events; i++) {
            long time = START + i * STEP_MS;
            phase.add(event(topics.events(), i, random.nextInt(50) == 0, time));
            if (i % 2 == 0) {
                phase.add(event(topics.clicks(), i, false, time));
            }
            if (i % 5 == 0) {
                boolean cancelled = random.nextInt(10) == 0;
                phase.add(input(topics.orders(), "o" + random.nextInt(orders), cancelled ? null : order(), time));
            }
        }
        return phase;
    }

    private Input event(String topic, int sequence, boolean deleted, long time) {
        String key = "k" + random.nextInt(keys);
        String value = "u" + random.nextInt(users) + ";" + random.nextInt(100) + ";" + sequence + ";" + partition(key);
        return input(topic, key, deleted ? null : value, time - random.nextLong(DISORDER_MS));
    }

    /** Events that are late enough to close every window in every partition. */
    private List<Input> closers() {
        return IntStream.range(0, CLOSERS)
                .mapToObj(i -> {
                    String key = "k" + i;
                    String value = "closer" + i + ";0;" + i + ";" + partition(key);
                    return input(topics.events(), key, value, START + CLOSING_MS);
                })
                .toList();
    }

    private String order() {
        return "p" + random.nextInt(products) + ";" + (1 + random.nextInt(9));
    }

    private static Input input(String topic, String key, @Nullable String value, long timestamp) {
        return new Input(topic, partition(key), key, value, timestamp);
    }

    /**
     * The partition of a key in Kafka's default partitioner, in which repartitioned streams meet
     * the tables.
     */
    private static int partition(String key) {
        return Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % Topics.PARTITIONS;
    }

    /**
     * One input record.
     *
     * @param partition its partition: all records of a key have the same one
     * @param value null deletes
     * @param timestamp milliseconds
     */
    public record Input(
            String topic,
            int partition,
            String key,
            @Nullable String value,
            long timestamp) {}
}
