package dev.blobshuffle.examples.page;

import static org.apache.kafka.streams.CloseOptions.GroupMembershipOperation.LEAVE_GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;

/**
 * A Kafka Streams application that counts words, with the settings that a page prints. Owned by one
 * thread.
 */
final class PrintedApplication implements AutoCloseable {
    private final EmbeddedKafka kafka;
    private final String id;
    private final BlockingQueue<String> counted = new LinkedBlockingQueue<>();
    private final KafkaStreams streams;

    /**
     * Starts one.
     *
     * @param id {@code application.id}, and the topic of the words
     * @param settings the page's, and the application's own
     */
    PrintedApplication(EmbeddedKafka kafka, String id, Map<String, String> settings) {
        this.kafka = kafka;
        this.id = id;
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(id, Consumed.with(Serdes.String(), Serdes.String()))
                .groupBy((key, word) -> word, Grouped.with(Serdes.String(), Serdes.String()))
                .count()
                .toStream()
                .foreach((word, count) -> counted.add(word));
        Properties all = new Properties();
        all.putAll(settings);
        all.put("application.id", id);
        all.put("bootstrap.servers", kafka.bootstrapServers());
        all.put("auto.offset.reset", "earliest");
        // A record alone would go through Kafka, because a put costs more.
        all.put("blobshuffle.inline.max.bytes", "0");
        // A count leaves its cache at a commit; the usual one of at-least-once comes after 30 s.
        all.putIfAbsent("commit.interval.ms", "1000");
        streams = new KafkaStreams(builder.build(), all);
        streams.start();
    }

    /** Sends a word, and waits until it is counted. */
    void count(String word) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            producer.send(new ProducerRecord<>(id, word)).get();
        }
        String counts = counted.poll(3, TimeUnit.MINUTES);
        assertThat(counts).as("%s counts, and is %s", id, streams.state()).isEqualTo(word);
    }

    /** Ends it and leaves the group, so that the next instance need not wait for its session. */
    @Override
    public void close() {
        streams.close(CloseOptions.timeout(Duration.ofMinutes(1)).withGroupMembershipOperation(LEAVE_GROUP));
    }
}
