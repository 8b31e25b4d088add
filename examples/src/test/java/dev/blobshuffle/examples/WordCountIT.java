package dev.blobshuffle.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.kafkaembedded.EmbeddedShuffle;
import dev.blobshuffle.kafkaembedded.EmbeddedShuffleExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The example of docs/guides/testing.md, which has the lines between the marks. */
// begin
@ExtendWith(EmbeddedShuffleExtension.class)
class WordCountIT {
    @Test
    void wordsAreCountedThroughBlobs(EmbeddedShuffle shuffle) {
        shuffle.createTopic("words", 2);
        Map<String, Long> counts = new ConcurrentHashMap<>();
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("words", Consumed.with(Serdes.String(), Serdes.String()))
                .groupBy((key, word) -> word, Grouped.with(Serdes.String(), Serdes.String()))
                .count()
                .toStream()
                .foreach(counts::put);

        try (KafkaStreams streams = new KafkaStreams(builder.build(), shuffle.settings("word-count"))) {
            streams.start();
            send(shuffle, "words", "to", "be", "or", "not", "to", "be");

            await().atMost(Duration.ofMinutes(2))
                    .until(() -> counts.equals(Map.of("to", 2L, "be", 2L, "or", 1L, "not", 1L)));
        }
        assertThat(shuffle.blobs()).isPositive();
    }
    // end

    private static void send(EmbeddedShuffle shuffle, String topic, String... values) {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", shuffle.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (String value : values) {
                var ignored = producer.send(new ProducerRecord<>(topic, value));
            }
        }
    }

    /** Nested classes have the same broker, and leave it running. */
    @Nested
    class InANestedClass {
        @Test
        void theBrokerIsShared(EmbeddedShuffle shuffle) {
            shuffle.createTopic("nested", 1);
            send(shuffle, "nested", "once");
        }
    }

    @Test
    void theGuideHasTheseLines() throws IOException {
        String own = Files.readString(Path.of("src/test/java/dev/blobshuffle/examples/WordCountIT.java"));
        String lines = own.substring(own.indexOf("// begin\n") + "// begin\n".length(), own.indexOf("    // end\n"));
        assertThat(Files.readString(Path.of("../docs/guides/testing.md"))).contains("```java\n" + lines + "}\n```");
    }
}
