package example;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/**
 * Adds up each customer's orders. The key of an order is its number, so Kafka Streams repartitions
 * the orders: natively, or through blobs if the settings say so.
 */
public final class OrderTotals {
    public static void main(String[] arguments) throws IOException {
        KafkaStreams streams = new KafkaStreams(topology(), settings());
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
    }

    /** An order's key is its number, its value {@code customer:amount}. */
    private static Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("orders", Consumed.with(Serdes.String(), Serdes.String()))
                .map((number, order) -> {
                    String[] parts = order.split(":");
                    return KeyValue.pair(parts[0], Long.valueOf(parts[1]));
                })
                .groupByKey(Grouped.with("by-customer", Serdes.String(), Serdes.Long()))
                .reduce(Long::sum, Materialized.with(Serdes.String(), Serdes.Long()))
                .toStream()
                .to("totals", Produced.with(Serdes.String(), Serdes.Long()));
        return builder.build();
    }

    /** The settings of {@code application.properties}, and those that differ between machines. */
    private static Properties settings() throws IOException {
        Properties settings = new Properties();
        try (InputStream file = OrderTotals.class.getResourceAsStream("/application.properties")) {
            settings.load(file);
        }
        Map<String, String> environment = System.getenv();
        settings.put("bootstrap.servers", environment.getOrDefault("KAFKA_BOOTSTRAP_SERVERS", "localhost:9092"));
        settings.put("blobshuffle.store", environment.getOrDefault("BLOB_STORE", "file:///var/lib/blobs"));
        settings.put("state.dir", environment.getOrDefault("STATE_DIR", "/tmp/order-totals"));
        return settings;
    }
}
