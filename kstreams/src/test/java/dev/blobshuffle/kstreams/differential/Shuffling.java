package dev.blobshuffle.kstreams.differential;

import dev.blobshuffle.kstreams.operator.BlobShuffle;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Repartitioned;

/** How the streams of the topology are shuffled. */
public enum Shuffling {
    /** By Kafka Streams, natively or through blobs. */
    BY_KAFKA_STREAMS {
        @Override
        public KStream<String, String> beforeUse(String name, KStream<String, String> stream) {
            return stream;
        }

        @Override
        public KStream<String, String> repartition(String name, KStream<String, String> stream) {
            return stream.repartition(Repartitioned.<String, String>as(name)
                    .withKeySerde(Serdes.String())
                    .withValueSerde(Serdes.String())
                    .withNumberOfPartitions(Topics.PARTITIONS));
        }
    },

    /** By the explicit operators. */
    BY_OPERATORS {
        @Override
        public KStream<String, String> beforeUse(String name, KStream<String, String> stream) {
            return repartition(name, stream);
        }

        @Override
        public KStream<String, String> repartition(String name, KStream<String, String> stream) {
            return BlobShuffle.<String, String>builder(name, Topics.PARTITIONS)
                    .serdes(Serdes.String(), Serdes.String())
                    .maxTimeSpan(Duration.ofMinutes(1))
                    .build()
                    .repartition(stream);
        }
    };

    /**
     * Prepares a stream whose key has changed for operators that need it by key. They repartition
     * it themselves unless this method does.
     */
    public abstract KStream<String, String> beforeUse(String name, KStream<String, String> stream);

    /** A stream that the application repartitions itself. */
    public abstract KStream<String, String> repartition(String name, KStream<String, String> stream);
}
