package dev.blobshuffle.bench.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Utils;

/**
 * Sends the input at a steady pace, so that latency shows the shuffle and not a backlog. The text's
 * own time is one line each 100 ms from the year 2000 on, whatever the pace. Owned by one thread.
 */
final class Feed implements AutoCloseable {
    private static final long FIRST_LINE_AT = 946_684_800_000L;
    private static final long LINE_MILLIS = 100;
    private static final long AFTER_ALL =
            FIRST_LINE_AT + DemoTopology.GRACE.multipliedBy(3).toMillis();
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int SLOW_BYTES_PER_SECOND = 1000;
    private static final Duration WANTED = Duration.ofSeconds(40);
    private static final double LEAST_BYTES_PER_SECOND = 25_000;
    private static final double MOST_BYTES_PER_SECOND = 1_000_000;

    private final KafkaProducer<String, String> producer;
    private final List<Future<RecordMetadata>> sent = new ArrayList<>();

    Feed(String bootstrapServers) {
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "linger.ms", 5, "acks", "all"),
                new StringSerializer(),
                new StringSerializer());
    }

    /** Sends the lexicon, and returns when the brokers have it. */
    void sendLexicon(Text text) {
        text.lexicon().forEach((word, entry) -> send(DemoTopology.LEXICON, 0, word, entry));
        awaitSent();
    }

    /**
     * Sends a part of the lines at the pace, and returns when the brokers have them.
     *
     * @param from index of the first line
     * @param to index after the last one
     * @param progress receives the share that is sent, repeatedly, on this thread
     * @return the duration of sending
     */
    Duration sendLines(Text text, int from, int to, DoubleConsumer progress) {
        double bytes = text.bytes();
        double pace = Math.min(MOST_BYTES_PER_SECOND, Math.max(LEAST_BYTES_PER_SECOND, bytes / WANTED.toSeconds()));
        long start = System.nanoTime();
        double sentBytes = 0;
        List<String> lines = text.lines();
        for (int i = from; i < to; i++) {
            long wait = (long) (sentBytes / pace * 1e9) - (System.nanoTime() - start);
            if (wait > 1_000_000) {
                progress.accept((i - from) / (double) (to - from));
                LockSupport.parkNanos(wait);
            }
            send(DemoTopology.LINES, FIRST_LINE_AT + i * LINE_MILLIS, Integer.toString(i), lines.get(i));
            sentBytes += lines.get(i).length();
        }
        awaitSent();
        progress.accept(1);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /**
     * Sends the lines slowly, from the first again after the last, for a time, and then returns.
     * Their timestamps are after that of {@link #sendEnd}. A line has the same timestamp in each
     * round, so the number of windows does not grow.
     *
     * @param check is called every second, on this thread
     */
    void sendAgain(Text text, Duration time, Runnable check) {
        long firstLineAt = AFTER_ALL + DemoTopology.GRACE.toMillis();
        List<String> lines = text.lines();
        int next = 0;
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            for (int bytes = 0; bytes < SLOW_BYTES_PER_SECOND; next = (next + 1) % lines.size()) {
                String line = lines.get(next);
                send(DemoTopology.LINES, firstLineAt + next * LINE_MILLIS, Integer.toString(next), line);
                bytes += line.length();
            }
            awaitSent();
            check.run();
            LockSupport.parkNanos(SECOND.toNanos());
        }
    }

    /**
     * Sends a line that is read long after all others, with a word for each partition, so that all
     * windows close.
     */
    void sendEnd(int partitions) {
        send(DemoTopology.LINES, AFTER_ALL, "end", String.join(" ", wordsForAllPartitions(partitions)));
        awaitSent();
    }

    /** One word of letters for each partition that words are shuffled to. */
    private static List<String> wordsForAllPartitions(int partitions) {
        List<String> words = new ArrayList<>();
        StringSerializer serializer = new StringSerializer();
        boolean[] seen = new boolean[partitions];
        for (int n = 0; words.size() < partitions; n++) {
            String word = "end" + Integer.toString(n, 26).replaceAll("[0-9]", "x") + "z".repeat(n % 7);
            int partition = Utils.toPositive(Utils.murmur2(serializer.serialize("", word))) % partitions;
            if (!seen[partition]) {
                seen[partition] = true;
                words.add(word);
            }
        }
        return words;
    }

    private void send(String topic, long timestamp, String key, String value) {
        sent.add(producer.send(new ProducerRecord<>(topic, null, timestamp, key, value)));
    }

    private void awaitSent() {
        producer.flush();
        for (Future<RecordMetadata> one : sent) {
            try {
                one.get();
            } catch (ExecutionException e) {
                throw new DemoFailedException(
                        "Cannot send the input: " + e.getCause() + ". Is the machine out of memory or disk?",
                        e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new DemoFailedException("Cannot send the input: the demo was interrupted.", e);
            }
        }
        sent.clear();
    }

    @Override
    public void close() {
        producer.close(Duration.ZERO);
    }
}
