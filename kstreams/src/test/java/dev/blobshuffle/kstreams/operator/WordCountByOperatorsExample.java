package dev.blobshuffle.kstreams.operator;

import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;

/**
 * A word count with one shuffle by the operators, which the topology shows. {@code main} takes the
 * bootstrap servers and the store.
 */
public final class WordCountByOperatorsExample {
    private WordCountByOperatorsExample() {}

    /** Runs until the process is ended. */
    public static void main(String[] arguments) {
        KafkaStreams streams = new KafkaStreams(topology(arguments[1]), settings(arguments[0]));
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
    }

    static Properties settings(String bootstrapServers) {
        Properties settings = new Properties();
        settings.put("application.id", "word-count-by-operators");
        settings.put("bootstrap.servers", bootstrapServers);
        settings.put("processing.guarantee", "exactly_once_v2");
        settings.put("commit.interval.ms", 500);
        return settings;
    }

    static Topology topology(String store) {
        BlobShuffle<String, String> byWord = BlobShuffle.<String, String>builder("by-word", 4)
                .serdes(Serdes.String(), Serdes.String())
                .store(new StoreConfig(store))
                .build();
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> words = builder.stream("lines", Consumed.with(Serdes.String(), Serdes.String()))
                .flatMapValues(line -> List.of(line.toLowerCase(Locale.ROOT).split("\\W+")))
                .selectKey((key, word) -> word);
        byWord.repartition(words)
                .groupByKey()
                .count()
                .toStream()
                .to("counts", Produced.with(Serdes.String(), Serdes.Long()));
        return builder.build();
    }
}
