package dev.blobshuffle.kstreams.chaos;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.IntegerDeserializer;

/** Reads the committed output on its own thread, and enters it into the ledger. */
final class ChaosOutput {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final ChaosLedger ledger;
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final KafkaConsumer<Integer, byte[]> consumer;
    private final Thread thread;
    private final String bootstrapServers;
    private final List<TopicPartition> partitions;
    private volatile Map<TopicPartition, Long> ends;

    ChaosOutput(String bootstrapServers, ChaosLedger ledger) {
        this.ledger = ledger;
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrapServers);
        settings.put("isolation.level", "read_committed");
        settings.put("auto.offset.reset", "earliest");
        settings.put("reconnect.backoff.max.ms", 200);
        consumer = new KafkaConsumer<>(settings, new IntegerDeserializer(), new ByteArrayDeserializer());
        this.bootstrapServers = bootstrapServers;
        partitions = Stream.of(ChaosTopology.OUTPUT, ChaosTopology.COUNTS)
                .flatMap(topic -> Stream.iterate(0, i -> i + 1)
                        .limit(ChaosRun.OUTPUT_PARTITIONS)
                        .map(partition -> new TopicPartition(topic, partition)))
                .toList();
        consumer.assign(partitions);
        thread = new Thread(this::read, "chaos-output");
        thread.setDaemon(true);
        thread.start();
    }

    private boolean isAtTheEnds() {
        Map<TopicPartition, Long> wanted = ends;
        return wanted != null
                && wanted.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    private void read() {
        try (consumer) {
            while (!isAtTheEnds()) {
                for (ConsumerRecord<Integer, byte[]> record : consumer.poll(POLL)) {
                    if (record.topic().equals(ChaosTopology.OUTPUT)) {
                        ledger.receive(ChaosRecord.of(record.value()), ChaosTopology.number(record.value()));
                    } else {
                        ledger.count(record.key(), ChaosTopology.count(record.value()));
                    }
                }
            }
        } catch (WakeupException e) {
            // The end.
        } catch (RuntimeException e) {
            failure.set(e);
        }
    }

    /**
     * Reads to the current ends of the logs, and ends. No writer may be running: output after the
     * last expected record belongs to the result too.
     *
     * @throws AssertionError the ends are not reached in time, because a transaction stays open
     */
    void finishAtTheEnds() throws Exception {
        try (KafkaConsumer<byte[], byte[]> asking = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            ends = asking.endOffsets(partitions, PATIENCE);
        }
        thread.join(PATIENCE.toMillis());
        boolean isStuck = thread.isAlive();
        finish();
        if (isStuck) {
            throw new AssertionError("the ends of the output cannot be read: " + ends);
        }
    }

    void finish() throws Exception {
        consumer.wakeup();
        thread.join();
        if (failure.get() != null) {
            throw new AssertionError("the output could not be read", failure.get());
        }
    }
}
