package dev.blobshuffle.kstreams;

import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Produced;

/**
 * A word count whose repartition topic travels through blobs. The topology knows nothing of it.
 * {@code main} takes the bootstrap servers and the store.
 */
public final class WordCountExample {
    private WordCountExample() {}

    /** Runs until the process is ended. */
    public static void main(String[] arguments) {
        Properties settings = settings(arguments[0], arguments[1]);
        KafkaStreams streams = new KafkaStreams(topology(), settings);
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
    }

    static Properties settings(String bootstrapServers, String store) {
        Properties settings = new Properties();
        settings.put("application.id", "word-count");
        settings.put("bootstrap.servers", bootstrapServers);
        settings.put("processing.guarantee", "exactly_once_v2");
        settings.put("commit.interval.ms", 500);
        settings.put("default.key.serde", Serdes.StringSerde.class);
        settings.put("default.value.serde", Serdes.StringSerde.class);
        BlobShuffleClientSupplier.addTo(settings);
        settings.put("blobshuffle.store", store);
        return settings;
    }

    static Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("lines")
                .flatMapValues(line -> List.of(line.toLowerCase(Locale.ROOT).split("\\W+")))
                .groupBy((key, word) -> word)
                .count()
                .toStream()
                .to("counts", Produced.valueSerde(Serdes.Long()));
        return builder.build();
    }
}
