package dev.blobshuffle.bench.calls;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads the committed results, and checks their order. Owned by one thread. */
final class CallSink implements AutoCloseable {
    private final KafkaConsumer<String, String> consumer;
    private final TopicPartition partition;
    private final Map<String, Integer> last = new HashMap<>();
    private final Set<String> seen = new HashSet<>();
    private final List<Long> latencies = new ArrayList<>();
    private boolean isMeasuring;
    private long duplicated;
    private long inversions;

    CallSink(String bootstrapServers, String topic) {
        consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrapServers,
                        "isolation.level",
                        "read_committed",
                        "fetch.max.wait.ms",
                        20,
                        "auto.offset.reset",
                        "earliest"),
                new StringDeserializer(),
                new StringDeserializer());
        partition = new TopicPartition(topic, 0);
        consumer.assign(List.of(partition));
    }

    /** Reads for a while. */
    void readFor(Duration span) {
        long end = System.nanoTime() + span.toNanos();
        while (System.nanoTime() < end) {
            consumer.poll(Duration.ofMillis(20)).forEach(this::check);
        }
    }

    /** Reads until a number of results have arrived, but no longer than a limit. */
    void readUntil(int results, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        while (seen.size() < results && System.nanoTime() < end) {
            consumer.poll(Duration.ofMillis(20)).forEach(this::check);
        }
    }

    /**
     * Measures second by second.
     *
     * @param sent number of records in the input
     */
    List<CallSample> measure(Duration span, LongSupplier sent) {
        List<CallSample> samples = new ArrayList<>();
        long start = System.nanoTime();
        double before = 0;
        isMeasuring = true;
        while (samples.size() < span.toSeconds()) {
            int known = latencies.size();
            readFor(Duration.ofSeconds(samples.size() + 1).minusNanos(System.nanoTime() - start));
            double now = (System.nanoTime() - start) / 1e9;
            List<Long> own = latencies.subList(known, latencies.size());
            double median = own.isEmpty()
                    ? Double.NaN
                    : own.stream().sorted().skip(own.size() / 2).findFirst().orElseThrow();
            samples.add(new CallSample(now, own.size() / (now - before), median, sent.getAsLong() - seen.size()));
            before = now;
        }
        isMeasuring = false;
        return samples;
    }

    /** Number of measured results. */
    int measured() {
        return latencies.size();
    }

    /** Reads the remaining results. */
    void readToEnd() {
        long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
        while (consumer.position(partition) < end) {
            consumer.poll(Duration.ofMillis(20)).forEach(this::check);
        }
    }

    private void check(ConsumerRecord<String, String> result) {
        int space = result.value().indexOf(' ');
        int number = Integer.parseInt(result.value().substring(0, space));
        if (isMeasuring) {
            latencies.add(
                    System.currentTimeMillis() - Long.parseLong(result.value().substring(space + 1)));
        }
        if (!seen.add(result.key() + " " + number)) {
            duplicated++;
        } else if (last.merge(result.key(), number, Math::max) > number) {
            inversions++;
        }
    }

    /** Whether a record has its result. */
    boolean has(CallFeed.Written record) {
        return seen.contains(record.key() + " " + record.number());
    }

    /** A percentile of the measured latencies, in milliseconds; 0 without any. */
    double percentile(double part) {
        latencies.sort(null);
        return latencies.isEmpty() ? 0 : latencies.get((int) Math.min(latencies.size() - 1.0, part * latencies.size()));
    }

    long duplicated() {
        return duplicated;
    }

    long inversions() {
        return inversions;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
